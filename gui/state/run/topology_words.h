// Topologies as people name them in a sentence, "ring 16 on torus-2d", and their names while somebody types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

/// Those that come with rankscope; none where they are not installed.
const std::vector<std::string>& known_topologies();
bool is_topology(std::string_view word);
/// How many ranks it has; 0: it cannot be read.
int ranks_of_topology(const std::string& name);

/// The whole sentences that the typed one may become: its last word, after "on", begins a topology's name.
std::vector<std::string> with_topologies(const std::string& typed);

}  // namespace rankscope::gui
