// Tables as text with commas (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A cell that opens in a spreadsheet as the text that it is, never as a formula.
std::string csv_cell(std::string_view text);
/// The rows of a file, without empty ones. Lines may end as on any system; a byte-order mark is left out.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

}  // namespace rankscope
