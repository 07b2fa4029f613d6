// Checks a breakpoint's file and line against the embedded sources.
#include "engine/run/step/breakpoint_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

std::size_t lines_of(const EmbeddedSource& source) {
  return static_cast<std::size_t>(ranges::count(source.text, '\n'));
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string unknown_file(const std::string& file) {
  std::vector<std::string> names;
  for (const auto& source : embedded_sources()) names.emplace_back(name_of(source.file));
  return fmt::format("no source of the algorithms is called {}{}", file,
                     nearest_hint(name_of(file), names));
}

}  // namespace

std::string breakpoint_problem(const Breakpoint& at, int world_size) {
  if (at.rank >= world_size)
    return fmt::format("there is no rank {} (0 to {})", at.rank, world_size - 1);
  if (at.file.ends_with(".h")) return {};
  std::size_t longest = 0;
  bool known = false;
  for (const auto& source : embedded_sources()) {
    if (!source.file.ends_with(at.file)) continue;  // the gate's own rule; an empty name fits all
    known = true;
    longest = std::max(longest, lines_of(source));
  }
  if (!known) return unknown_file(at.file);
  if (at.line > longest)
    return fmt::format("{} has {} lines, there is no line {}",
                       at.file.empty() ? "the longest source" : at.file, longest, at.line);
  return {};
}

std::string breakpoint_file(const std::string& file) {
  std::string found;
  for (const auto& source : embedded_sources()) {
    const bool whole =
        name_of(source.file) == name_of(file);  // "ring.cpp" is no allreduce_ring.cpp
    if (!whole || !source.file.ends_with(file)) continue;
    if (!found.empty()) return file;
    found = source.file;
  }
  return found.empty() ? file : found;
}

}  // namespace rankscope
