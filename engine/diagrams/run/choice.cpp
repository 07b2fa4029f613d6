// Checks the ranks and rounds that a diagram is asked for against the trace.
#include "engine/diagrams/run/choice.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

void check_ranks(const std::vector<Rank>& ranks, int world) {
  std::set<Rank> seen;
  for (const Rank rank : ranks) {
    if (rank < 0 || rank >= world)
      throw UserError(
          fmt::format("there is no rank {}: this run has ranks 0 to {}", rank, world - 1));
    if (!seen.insert(rank).second) throw UserError(fmt::format("rank {} is named twice", rank));
  }
}

std::pair<int, int> chosen_rounds(int first, int wanted, int count) {
  const int all = std::max(count, 1);
  const int last = wanted > 0 ? wanted : all;
  if (first < 1 || last > all || (first > last && wanted <= 0))
    throw UserError(
        fmt::format("steps {}:{} are outside of the run, which has steps 1:{}", first, last, all));
  if (first > last)
    throw UserError(fmt::format("steps {}:{} end before they begin: this run has steps 1:{}", first,
                                last, all));
  return {first, last};
}

}  // namespace rankscope
