// Lays the layers and the buckets of a modelled step out in time.
#include "engine/training/job/overlap_model.h"

#include <algorithm>
#include <cmath>

#include "engine/core/base/error.h"
#include "engine/model/overlap.h"

namespace rankscope::training {

std::int64_t ring_allreduce_ns(const NetworkModel& network, int ranks, std::uint64_t bytes) {
  if (ranks < 2) return 0;
  const double message =
      network.alpha_us * 1e3 + static_cast<double>(bytes) / ranks / network.bytes_per_s * 1e9;
  return std::llround(2.0 * (ranks - 1) * message);
}

RankWork modelled_step(const OverlapRun& run, const NetworkModel& network, int ranks,
                       bool overlapped) {
  if (run.stack.empty())
    throw UserError("a model needs the layers' times: give made-up ones with --layers");
  if (!(network.alpha_us >= 0 && network.bytes_per_s > 0) || ranks < 1)
    throw UserError(
        "a modelled network has a latency of 0 or more, a bandwidth above 0, and 1 or more ranks");
  RankWork out;
  const auto layers = layers_of(run);
  std::vector<std::int64_t> done(layers.size());
  std::int64_t now = 0;
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const std::int64_t begin = now;
    now += std::llround(run.stack[layer].backward_us * run.compute_scale * 1e3);
    done[layer] = now;
    out.computing.push_back({{begin, now}, backward_name(layers[layer].name)});
  }
  std::vector<std::int64_t> startable, lasting;
  const auto buckets = buckets_of(run);
  for (const Bucket& one : buckets) {
    startable.push_back(overlapped ? done[one.last_layer] : now);
    lasting.push_back(ring_allreduce_ns(
        network, ranks, static_cast<std::uint64_t>(one.range.count) * sizeof(float)));
  }
  const auto times = channel_times(startable, lasting);
  for (std::size_t j = 0; j < times.size(); ++j)
    out.communicating.push_back({times[j], bucket_name(j), 1});
  out.time = {0, std::max(now, times.back().end)};
  return out;
}

}  // namespace rankscope::training
