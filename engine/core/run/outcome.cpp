#include "engine/core/run/outcome.h"

#include <algorithm>
#include <array>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 6> kStatusNames = {"ok",      "wrong result", "failed",
                                                          "timeout", "interrupted",  "deadlock"};

}  // namespace

std::vector<double> JobResult::times_s() const {
  std::vector<double> slowest;
  for (const RankOutcome& rank : ranks) {
    slowest.resize(std::max(slowest.size(), rank.times_s.size()), 0.0);
    for (std::size_t i = 0; i < rank.times_s.size(); ++i)
      slowest[i] = std::max(slowest[i], rank.times_s[i]);
  }
  return slowest;
}

std::string_view to_string(JobResult::Status status) noexcept {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<JobResult::Status> parse_status(std::string_view name) noexcept {
  const auto at = ranges::find(kStatusNames, name);
  if (at == kStatusNames.end()) return std::nullopt;
  return static_cast<JobResult::Status>(at - kStatusNames.begin());
}

}  // namespace rankscope
