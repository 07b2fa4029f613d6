// In a file of its own, so that a program can have another table (tests: one with faulty algorithms).
#include "engine/collectives/algorithm.h"

namespace rankscope {

std::span<const Algorithm> algorithms() { return built_in_algorithms(); }

}  // namespace rankscope
