// The lines of a program that may be folded: imports, arguments, a long head comment.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lessons/text/code_spans.h"

namespace rankscope::gui {

/// Lines of a program that may be hidden behind one line that names them.
struct CodeFold {
  std::size_t first = 0, last = 0;  ///< Lines, from 0; both included.
  std::string label;                ///< "12 lines: imports"
  bool operator==(const CodeFold&) const = default;
};

/// In order, none inside another, each of at least three lines.
std::vector<CodeFold> code_folds(const std::vector<std::string>& lines, CodeLanguage language);

}  // namespace rankscope::gui
