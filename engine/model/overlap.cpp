// Computes the times of a channel that carries one allreduce at a time.
#include "engine/model/overlap.h"

#include <algorithm>
#include <cassert>

namespace rankscope {

std::vector<Interval> channel_times(std::span<const std::int64_t> full,
                                    std::span<const std::int64_t> lasting) {
  assert(full.size() == lasting.size());
  std::vector<Interval> out;
  for (std::size_t j = 0; j < full.size(); ++j) {
    const std::int64_t begin = out.empty() ? full[j] : std::max(full[j], out.back().end);
    out.push_back({begin, begin + lasting[j]});
  }
  return out;
}

std::int64_t exposed_time(std::span<const std::int64_t> full, std::span<const std::int64_t> lasting,
                          std::int64_t end_of_computing) {
  assert(full.size() == lasting.size());
  std::int64_t exposed = 0, rest = 0;
  for (std::size_t j = full.size(); j-- > 0;) {
    rest += lasting[j];
    exposed = std::max(exposed, full[j] + rest - end_of_computing);
  }
  return exposed;
}

}  // namespace rankscope
