// The sample runs of the welcome page.
#include "gui/state/files/samples.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"

namespace rankscope::gui {
namespace {

constexpr std::array<Sample, 5> kSamples = {{
    {"tree", "Tree broadcast", "one rank's data to all, in a logarithm of steps",
     "run broadcast.binomial ranks=8 count=16"},
    {"doubling", "Recursive doubling", "everybody exchanges everything, log P times",
     "run allreduce.bde ranks=8 count=16"},
    {"alltoall", "All-to-all", "every rank a piece for every other",
     "run alltoall.pairwise ranks=4 shape=4x4"},
    {"hierarchical", "Hierarchical allreduce", "inside groups, then between them",
     "run allreduce.hierarchical ranks=8 count=16"},
    {"sixteen", "Ring of sixteen", "what scales, and what waits",
     "run allreduce.ring ranks=16 count=64"},
}};

}  // namespace

std::span<const Sample> samples() noexcept { return kSamples; }

const Sample& sample_named(std::string_view name) {
  const auto found = std::ranges::find(kSamples, name, &Sample::name);
  if (found != kSamples.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto& sample : kSamples) names.push_back(sample.name);
  throw UserError(
      fmt::format("there is no sample \"{}\": choose {}", name, fmt::join(names, ", ")));
}

}  // namespace rankscope::gui
