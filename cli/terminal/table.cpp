// Computes column widths and lays out a table.
#include "cli/terminal/table.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

std::string padded(const std::string& cell, int width, Table::Align align, bool last) {
  const std::string room(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  if (align == Table::Align::right) return room + cell;
  return last ? cell : cell + room;
}

/// The wide columns share what the narrow ones leave of `room`.
void shrink(std::vector<int>& widths, int room) {
  constexpr int kLeastColumn = 8;
  std::vector<int> order = widths;
  ranges::sort(order);
  int share = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    share = std::max(room / static_cast<int>(order.size() - i), kLeastColumn);
    if (order[i] > share) break;
    room -= order[i];
  }
  for (int& width : widths) width = std::min(width, share);
}

std::vector<std::string> cell_lines(const std::string& cell, int width) {
  if (display_width(cell) <= width) return {cell};
  const std::string text = wrap(cell, width, 0);
  const auto lines = split_at(text, "\n");
  return {lines.begin(), lines.end()};
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), false});
}

void Table::add_section(std::string title) { rows_.push_back({{std::move(title)}, true}); }

std::vector<int> Table::widths(const Style& style, int most) const {
  std::vector<int> widths;
  for (const auto& column : columns_) widths.push_back(display_width(style.text(column.title)));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.cells.size() && !row.section; ++i)
      widths[i] = std::max(widths[i], display_width(style.text(row.cells[i])));
  if (most > 0 && !widths.empty()) shrink(widths, most - 2 * static_cast<int>(widths.size() - 1));
  return widths;
}

std::string Table::to_string(const Style& style, int indent, int most) const {
  const auto room = widths(style, most > 0 ? std::max(most - indent, 1) : 0);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells, bool title) {
    std::vector<std::vector<std::string>> lines;
    std::size_t count = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines.push_back(cell_lines(style.text(cells[i]), room[i]));
      count = std::max(count, lines[i].size());
    }
    for (std::size_t l = 0; l < count; ++l) {
      std::string line = margin;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool last = i + 1 == cells.size();
        const auto cell =
            padded(l < lines[i].size() ? lines[i][l] : "", room[i], columns_[i].align, last);
        line += (i > 0 ? "  " : "") + (title ? style.dim(cell) : cell);
      }
      trim_end(line);
      text += line + "\n";
    }
  };

  std::vector<std::string> titles;
  for (const auto& column : columns_) titles.push_back(column.title);
  add_line(titles, true);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto& row = rows_[i];
    if (!row.section) {
      add_line(row.cells, false);
    } else {
      if (i > 0) text += "\n";
      text += margin + style.bold(style.text(row.cells.front())) + "\n";
    }
  }
  return text;
}

}  // namespace rankscope::cli
