// Formats communication errors with their location.
#include "engine/core/base/error.h"

#include <fmt/format.h>

namespace rankscope {

CommError::CommError(Reason reason, Rank rank, Rank peer, const CallSite& site,
                     const std::string& what)
    : std::runtime_error(site.line == 0
                             ? fmt::format("rank {}: {}", rank, what)
                             : fmt::format("rank {} at {}: {}", rank, short_location(site), what)),
      reason_(reason),
      rank_(rank),
      peer_(peer),
      site_(site),
      words_(what) {}

std::string short_file(std::string_view path) {
  for (std::string_view folder : {"engine/", "transports/", "lessons/", "tests/", "cli/", "gui/"}) {
    const auto at = path.rfind(folder);
    if (at != std::string_view::npos && (at == 0 || path[at - 1] == '/'))
      return std::string(path.substr(at));
  }
  return std::string(path);
}

std::string short_location(const CallSite& site) {
  return fmt::format("{}:{}", short_file(site.file), site.line);
}

std::string short_function(std::string_view pretty) {
  const auto paren = pretty.find('(');
  auto name = pretty.substr(0, paren);
  const auto start = name.find_last_of(" :*&");
  if (start != std::string_view::npos) name.remove_prefix(start + 1);
  return std::string(name.empty() ? pretty : name);
}

}  // namespace rankscope
