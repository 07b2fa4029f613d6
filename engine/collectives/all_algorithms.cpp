// In a file of its own, so that a program can have another table (tests: one with faulty algorithms).
#include "engine/collectives/plugin_loader.h"

namespace rankscope {

std::span<const Algorithm> algorithms() { return with_plugins(); }

}  // namespace rankscope
