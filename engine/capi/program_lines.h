// Finds the source lines of addresses in the program that has loaded this library, by its debug information.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::capi {

/// A line of the program's own sources.
struct ProgramLine {
  std::string file;
  std::string function;  ///< Empty if unknown.
  unsigned line = 0;
  bool operator==(const ProgramLine&) const = default;
};

/// Returns the calling thread's stack. In a signal handler, `fault` is the interrupted address, and what is above it is
/// left out; else it is 0. Takes no memory: the result is `into`'s beginning. Call it once before a handler needs it.
std::size_t read_stack(std::span<std::uintptr_t> into, std::uintptr_t fault) noexcept;

/// Returns the lines of the program's own sources, the innermost first: neither those of the system's headers and
/// libraries nor ours. Empty if the program has no debug information, or addr2line is missing.
std::vector<ProgramLine> lines_of(std::span<const std::uintptr_t> stack);

}  // namespace rankscope::capi
