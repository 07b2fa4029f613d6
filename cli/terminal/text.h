// Text for a terminal: counts, ASCII, control characters, how much room it takes, and tables whose columns are aligned.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/console.h"
#include "engine/core/base/quantity.h"

namespace rankscope::cli {

/// "1 rank", "4 ranks".
std::string plural(std::uint64_t count, std::string_view noun);
template <std::signed_integral T>
std::string plural(T count, std::string_view noun) {
  return plural(static_cast<std::uint64_t>(count), noun);
}

/// The same text without anything that a terminal in the C locale cannot show: "->" for an arrow,
/// "us" for microseconds, "?" for what has no likeness.
std::string to_ascii(std::string_view utf8);

/// The same text without what a terminal would take as an order: a name in a trace or of a file may
/// hold any byte. Line ends stay, and our own colours where they are in use.
std::string without_orders(std::string_view text, bool colors);

/// JSON as the commands print it. Names of files and a student's texts may be no UTF-8.
std::string json_text(const nlohmann::json& value);

/// Columns that a text takes in a terminal: code points, without colour codes and combining marks;
/// East Asian wide characters and pictographs take two.
int display_width(std::string_view utf8);

/// Words joined into lines of at most `width` columns; every line starts with `indent` blanks,
/// except the first. Line breaks in the text stay.
std::string wrap(std::string_view text, int width, int indent = 0);

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    Column(std::string words, Align at = Align::right) : title(std::move(words)), align(at) {}
    Column(const char* words) : title(words) {}

    std::string title;
    Align align = Align::right;  ///< For numbers.
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Cells may hold colour codes. Missing cells are empty.
  void add_row(std::vector<std::string> cells);
  /// Adds a line across the columns, after an empty line unless it is the first.
  void add_section(std::string title);
  bool empty() const noexcept { return rows_.empty(); }

  /// Separates columns by two blanks, without blanks at the end of a line; every line starts with `indent` blanks and
  /// ends in a line break. Long cells are broken where the table would be wider than `most` columns of the terminal (0
  /// for no limit).
  std::string to_string(const Style& style, int indent = 0, int most = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool section = false;
  };

  std::vector<int> widths(const Style& style, int most) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

inline constexpr auto kLeft = Table::Align::left;

}  // namespace rankscope::cli
