// Asks for the topologies that are installed, once.
#include "gui/state/run/topology_words.h"

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/network/files/topology_file.h"

namespace rankscope::gui {

const std::vector<std::string>& known_topologies() {
  static const std::vector<std::string> kNames = [] {
    try {
      return topology_names();
    } catch (const UserError&) {  // a sentence does without them; a job that names one says why not
      return std::vector<std::string>{};
    }
  }();
  return kNames;
}

bool is_topology(std::string_view word) {
  return ranges::find(known_topologies(), word) != known_topologies().end();
}

int ranks_of_topology(const std::string& name) {
  try {
    return open_topology(name).ranks();
  } catch (const UserError&) {
    return 0;
  }
}

std::vector<std::string> with_topologies(const std::string& typed) {
  constexpr std::string_view kOn = " on ";
  const auto at = typed.rfind(kOn);
  if (at == std::string::npos) return {};
  const std::string begun = ascii_lower(typed.substr(at + kOn.size()));
  std::vector<std::string> whole;
  if (begun.find(' ') != std::string::npos) return whole;
  for (const std::string& name : known_topologies())
    if (name.starts_with(begun) && name != begun)
      whole.push_back(typed.substr(0, at + kOn.size()) + name);
  return whole;
}

}  // namespace rankscope::gui
