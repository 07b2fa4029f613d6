// Steps of loads, and sums over them.
#include "engine/network/flow/link_loads.h"

#include "engine/core/base/ranges.h"

namespace rankscope {

void LinkLoads::load_changed(double at, int link, bool back, double bytes_per_second) {
  std::vector<Step>& steps = steps_[index(link, back)];
  if (!steps.empty() && steps.back().at == at) steps.pop_back();
  const double before = steps.empty() ? 0 : steps.back().bytes_per_second;
  if (before != bytes_per_second) steps.push_back({at, bytes_per_second});
}

double LinkLoads::load(int link, bool back, double at) const {
  const auto all = steps(link, back);
  const auto next = ranges::upper_bound(all, at, {}, &Step::at);
  return next == all.begin() ? 0 : std::prev(next)->bytes_per_second;
}

double LinkLoads::bytes(int link, bool back, double from, double to) const {
  const auto all = steps(link, back);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double begin = std::max(all[i].at, from);
    const double end = i + 1 < all.size() ? std::min(all[i + 1].at, to) : to;
    if (end > begin) sum += (end - begin) * all[i].bytes_per_second;
  }
  return sum;
}

}  // namespace rankscope
