// The table of algorithms, in a file of its own so that tests can link one with faulty algorithms instead.
#include "engine/collectives/plugin_loader.h"

namespace rankscope {

std::span<const Algorithm> algorithms() { return with_plugins(); }

}  // namespace rankscope
