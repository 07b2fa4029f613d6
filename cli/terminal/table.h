// Tables whose columns are aligned by the width that a terminal shows.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"

namespace rankscope::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
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
