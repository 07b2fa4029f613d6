// Reads and writes tables as text with commas or other separators (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A cell that opens in a spreadsheet as the text that it is, never as a formula.
std::string csv_cell(std::string_view text);
/// A row that is not empty, and the number of the line that it begins on.
struct CsvRow {
  std::vector<std::string> cells;
  int line = 0;
  bool is_open = false;  ///< A quote in it is never closed, so it reaches to the file's end.
};
/// The separator of cells: ',', ';' or a tab, whichever the first line has most often outside of quotes, or the one in a
/// first line "sep=;", as Excel writes it.
char csv_separator(std::string_view text);
/// The rows of a file, without empty ones and without Excel's "sep=;". Lines may end as on any system; a byte-order
/// mark is left out.
std::vector<CsvRow> csv_lines(std::string_view text, char separator = ',');
/// Returns the cells of such rows, separated by commas.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

}  // namespace rankscope
