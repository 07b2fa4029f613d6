// Tables for people: aligned by what the terminal shows, whatever the bytes.
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
    Align align = Align::right;  ///< Numbers; names are left-aligned.
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Cells may hold colour codes. Missing cells are empty.
  void add_row(std::vector<std::string> cells);
  /// A line of its own across the columns, with an empty line before it unless it is the first.
  void add_section(std::string title);
  bool empty() const noexcept { return rows_.empty(); }

  /// Columns are two blanks apart and the last one is not padded; every line starts with `indent`
  /// blanks and ends in a line break. Where they would be wider than `most` columns of the terminal (0: any number),
  /// long cells go on in the next line.
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
