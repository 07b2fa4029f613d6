// The table of platforms.
#include "engine/core/run/platform.h"

#include <algorithm>
#include <iterator>

namespace rankscope {
namespace {

constexpr std::string_view kWait = ": request = ...; request.wait()";
constexpr Platform kPlatforms[] = {
    {.name = "torch",
     .in_exercises = true,
     .sends = SendMode::rendezvous,
     .mpi = false,
     .compiled = false,
     .isend = "isend",
     .waits_by = kWait,
     .both = ", or use isend",
     .sends_first = "Start the send with isend, then recv, and only then wait() for the send",
     .receives_first =
         "Start the send before the receive: isend, then recv, then wait() for the send"},
    {.name = "ray",
     .in_exercises = true,
     .sends = SendMode::rendezvous,
     .mpi = false,
     .compiled = false,
     .isend = "isend",
     .waits_by = kWait,
     .both = "",
     .sends_first = "",
     .receives_first = ""},
    {.name = "mpi",
     .in_exercises = true,
     .sends = SendMode::rendezvous,
     .mpi = true,
     .compiled = false,
     .isend = "Isend",
     .waits_by = "",
     .both = ", or use Isend or Sendrecv",
     .sends_first = "Use Sendrecv (or Isend, then Recv, and then Wait)",
     .receives_first = "Use Sendrecv"},
    {.name = "native",
     .in_exercises = false,
     .sends = SendMode::buffered,
     .mpi = false,
     .compiled = true,
     .isend = "isend",
     .waits_by = kWait,
     .both = ", or use isend or sendrecv",
     .sends_first = "Use sendrecv (or isend, then recv, and then wait)",
     .receives_first = "Use sendrecv"},
};
constexpr Platform kOther = {.name = "",
                             .in_exercises = false,
                             .sends = SendMode::rendezvous,
                             .mpi = false,
                             .compiled = false,
                             .isend = "isend",
                             .waits_by = kWait,
                             .both = ", or use isend or sendrecv",
                             .sends_first = "Use sendrecv (or isend, then recv, and then wait)",
                             .receives_first = "Use sendrecv"};

}  // namespace

std::span<const Platform> platforms() noexcept { return kPlatforms; }

const Platform& platform_of(std::string_view name) noexcept {
  const auto row = std::find_if(std::begin(kPlatforms), std::end(kPlatforms),
                                [&](const Platform& one) { return name.starts_with(one.name); });
  return row == std::end(kPlatforms) ? kOther : *row;
}

}  // namespace rankscope
