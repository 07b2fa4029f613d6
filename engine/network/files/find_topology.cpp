// Finds the topologies that come with rankscope.
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "engine/network/files/topology_file.h"

namespace rankscope {

namespace fs = std::filesystem;

fs::path topologies_folder() {
  std::error_code error;
  if (const char* named = std::getenv("RANKSCOPE_TOPOLOGIES"); named != nullptr && *named != '\0') {
    if (!fs::is_directory(named, error))
      throw UserError(
          fmt::format("RANKSCOPE_TOPOLOGIES names '{}', which is not a folder", escaped(named)));
    return named;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* at : {"../share/rankscope/topologies", "../topology-files"})
    if (fs::is_directory(program / at, error)) return (program / at).lexically_normal();
  throw UserError(
      "the topologies are not there: install rankscope with its share/rankscope/topologies, or "
      "name "
      "their folder in RANKSCOPE_TOPOLOGIES");
}

std::vector<std::string> topology_names() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(topologies_folder(), error))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem());
  ranges::sort(out);
  return out;
}

Topology open_topology(std::string_view name_or_file) {
  const std::string text(name_or_file);
  std::error_code error;
  if (text.find('/') != std::string::npos || text.ends_with(".toml") ||
      fs::is_regular_file(text, error))
    return read_topology(text);
  const std::vector<std::string> names = topology_names();
  if (ranges::find(names, text) != names.end())
    return read_topology(topologies_folder() / (text + ".toml"));
  throw UserError(fmt::format(
      "there is no topology '{}'{}", escaped(shortened(text, 100)),
      nearest_hint(shortened(text, 100), names, "see `rankscope topology list`, or name a file")));
}

}  // namespace rankscope
