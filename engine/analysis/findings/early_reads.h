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

/// Looks between a line that begins to write into a plain variable (`call`) and the same function's line that waits for it,
/// at lines that a run of the function passes. Only reads of elements count, not views (y = x[1:]), shapes, or arguments
/// of the program's functions.
std::optional<EarlyRead> find_early_read(const SourceText& text, std::size_t call,
                                         std::size_t wait);

}  // namespace rankscope::finder
