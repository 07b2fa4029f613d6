// Computes column widths and lays out a table.
#include "cli/terminal/table.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text.h"

namespace rankscope::cli {
namespace {

std::string padded(const std::string& cell, int width, Table::Align align, bool last) {
  const std::string room(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  if (align == Table::Align::right) return room + cell;
  return last ? cell : cell + room;
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), false});
}

void Table::add_section(std::string title) { rows_.push_back({{std::move(title)}, true}); }

std::vector<int> Table::widths(const Style& style) const {
  std::vector<int> widths;
  for (const auto& column : columns_) widths.push_back(display_width(style.text(column.title)));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.cells.size() && !row.section; ++i)
      widths[i] = std::max(widths[i], display_width(style.text(row.cells[i])));
  return widths;
}

std::string Table::to_string(const Style& style, int indent) const {
  const auto room = widths(style);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells, bool title) {
    std::string line = margin;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      const auto cell = padded(style.text(cells[i]), room[i], columns_[i].align, last);
      line += (i > 0 ? "  " : "") + (title ? style.dim(cell) : cell);
    }
    trim_end(line);
    text += line + "\n";
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
