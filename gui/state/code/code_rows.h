// How a long line of a program goes on below, so that nothing has to be scrolled to be read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lessons/text/code_spans.h"

namespace rankscope::gui {

/// A part of a line: these bytes, so many columns from the left.
struct CodePart {
  std::size_t begin = 0, end = 0, indent = 0;
  bool operator==(const CodePart&) const = default;
};

/// Each at most `columns` wide (16 at least), broken behind a space, a comma or a bracket, else at a dot, else anywhere.
/// All bytes are in a part, except spaces before a long line that begins far to the right.
std::vector<CodePart> code_parts(const std::string& line, std::size_t columns);

struct CodeFold {
  std::size_t first = 0, last = 0;  ///< Lines, from 0; both included.
  std::string label;                ///< "12 lines: imports"
  bool operator==(const CodeFold&) const = default;
};

/// In order, none inside another, each of at least three lines.
std::vector<CodeFold> code_folds(const std::vector<std::string>& lines, CodeLanguage language);

}  // namespace rankscope::gui
