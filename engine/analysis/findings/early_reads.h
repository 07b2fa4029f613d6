// Finds, in a program's text, the line that uses a result before the line that waits for it.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/findings/source_calls.h"

namespace rankscope::finder {

/// Returns whether a line of C++ certainly reads an array of this name, or its elements, and changes nothing in it.
bool only_reads(std::string_view code, std::string_view name);

struct EarlyRead {
  std::size_t line = 0;
  std::string name;  ///< The array that is read.
};

/// `call`: a line that begins to write into an argument, given by its name alone; `wait`: the line of the same function
/// that waits. Only lines between them that the same run of the function comes by are looked at, and only uses that read
/// elements: those of a view (y = x[1:]), of a shape, or by a function of the program are left out.
std::optional<EarlyRead> find_early_read(const SourceText& text, std::size_t call,
                                         std::size_t wait);

}  // namespace rankscope::finder
