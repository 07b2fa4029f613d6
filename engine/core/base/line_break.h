// Breaks text into lines: measured words, plain text, and lines of a program.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Returns the width of a text in the unit of the line limit: pixels, or columns of a terminal.
using TextWidth = std::function<double(std::string_view)>;

/// A piece of text that is not broken further.
struct LineWord {
  double width = 0;
  double gap = 0;          ///< Space before it, unless it begins a line.
  bool tied = false;       ///< Kept on the line of the word before if both fit on one line.
  bool ends_line = false;  ///< The next word begins a line.
};

/// Fills lines no wider than `room` from the left. Returns for each line the index after its last word. A word wider
/// than `room` gets a line of its own.
std::vector<std::size_t> line_ends(std::span<const LineWord> words, double room);

/// Breaks a text at spaces and line ends. Consecutive spaces count as one; an empty line stays, and a text of spaces
/// alone has no lines.
std::vector<std::string> text_lines(std::string_view text, double room, const TextWidth& width);

/// Returns how many bytes of an overlong word to put on a line: up to the last good break within `room` (after a slash,
/// an underscore ...), otherwise as many characters as fit, at least one.
std::size_t fitting_bytes(std::string_view word, double room, const TextWidth& width);

/// A part of a line of code: its bytes, and the column where it begins.
struct CodePart {
  std::size_t begin = 0, end = 0, indent = 0;
  bool operator==(const CodePart&) const = default;
};

/// Breaks a line of code into parts of at most `columns` columns (at least 16): after a space, a comma or an opening
/// bracket, inside the fewest brackets, else at a dot or a colon, else anywhere. Parts after the first are indented by
/// four more columns. Every byte is in one part, except leading spaces of a long line that begins far to the right.
std::vector<CodePart> code_parts(std::string_view line, std::size_t columns);

}  // namespace rankscope
