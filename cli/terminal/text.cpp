// Measures, wraps and reduces text to ASCII, and lays out tables.
#include "cli/terminal/text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/line_break.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

/// Takes the first code point off `text`. What is not UTF-8 counts as one odd character.
char32_t next_code_point(std::string_view& text) {
  std::size_t length = 0;
  const char32_t code = next_character(text, length);
  text.remove_prefix(length);
  return code;
}

bool is_between(char32_t code, char32_t first, char32_t last) {
  return first <= code && code <= last;
}

int width_of(char32_t code) {
  if (is_between(code, 0x300, 0x36F) || is_between(code, 0x200B, 0x200F) ||
      is_between(code, 0xFE00, 0xFE0F))
    return 0;
  constexpr std::pair<char32_t, char32_t> kWide[] = {
      {0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
      {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
  for (const auto& [first, last] : kWide)
    if (is_between(code, first, last)) return 2;
  return 1;
}

/// Length of the colour code (ESC [ ... m) at the start of `text`; 0 when there is none.
std::size_t color_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos || text[end] != 'm' ? 0 : end + 1;
}

std::string_view likeness(char32_t code) {
  switch (code) {
    case U'µ':
    case U'μ': return "u";
    case U'→': return "->";
    case U'←': return "<-";
    case U'×': return "x";
    case U'÷': return "/";
    case U'·': return ".";
    case U'•': return "*";
    case U'…': return "...";
    case U'–':
    case U'—':
    case U'−':
    case U'─': return "-";
    case U'│': return "|";
    case U'✓': return "ok";
    case U'✗': return "x";
    case U'α': return "alpha";
    case U'β': return "beta";
    case U'γ': return "gamma";
    case U'‘':
    case U'’': return "'";
    case U'“':
    case U'”': return "\"";
    case U'\u00A0': return " ";
    default: return "?";
  }
}

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

std::string plural(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return fmt::format("{} {}{}", count, noun, noun.ends_with('s') ? "es" : "s");
}

std::string to_ascii(std::string_view utf8) {
  std::string ascii;
  ascii.reserve(utf8.size());
  while (!utf8.empty()) {
    if (static_cast<unsigned char>(utf8.front()) < 0x80) {
      ascii += utf8.front();
      utf8.remove_prefix(1);
    } else {
      ascii += likeness(next_code_point(utf8));
    }
  }
  return ascii;
}

std::string without_orders(std::string_view text, bool colors) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    if (const auto color = colors ? color_length(rest) : 0; color > 0) {
      safe += rest.substr(0, color);
      at += color;
      continue;
    }
    const auto begin = at;
    const char32_t character = next_character(text, at);
    const auto bytes = text.substr(begin, at - begin);
    if (is_control(character) && character != U'\n' && character != U'\t') safe += escaped(bytes);
    else safe += bytes;
  }
  return safe;
}

std::string json_text(const nlohmann::json& value) { return dump_json(value, 2) + "\n"; }

int display_width(std::string_view utf8) {
  int width = 0;
  while (!utf8.empty()) {
    if (const auto color = color_length(utf8); color > 0) utf8.remove_prefix(color);
    else width += width_of(next_code_point(utf8));
  }
  return width;
}

std::string wrap(std::string_view text, int width, int indent) {
  return fmt::format("{}", fmt::join(text_lines(text, width - indent, display_width),
                                     "\n" + std::string(static_cast<std::size_t>(indent), ' ')));
}

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
