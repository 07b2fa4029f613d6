// The table of platforms.
#include "engine/core/run/platform.h"

#include <algorithm>
#include <iterator>

namespace rankscope {
namespace {

constexpr Platform kPlatforms[] = {
    {.name = "torch",
     .in_exercises = true,
     .both = ", or use isend",
     .sends_first = "Start the send with isend, then recv, and only then wait() for the send",
     .receives_first =
         "Start the send before the receive: isend, then recv, then wait() for the send"},
    {.name = "ray", .in_exercises = true, .both = "", .sends_first = "", .receives_first = ""},
    {.name = "mpi",
     .in_exercises = true,
     .mpi = true,
     .isend = "Isend",
     .waits_by = "",
     .both = ", or use Isend or Sendrecv",
     .sends_first = "Use Sendrecv (or Isend, then Recv, and then Wait)",
     .receives_first = "Use Sendrecv"},
    {.name = "native", .sends = SendMode::buffered, .compiled = true},
};
constexpr Platform kOther;

}  // namespace

std::span<const Platform> platforms() noexcept { return kPlatforms; }

const Platform& platform_of(std::string_view name) noexcept {
  const auto row = std::find_if(std::begin(kPlatforms), std::end(kPlatforms),
                                [&](const Platform& one) { return name.starts_with(one.name); });
  return row == std::end(kPlatforms) ? kOther : *row;
}

}  // namespace rankscope
