// The settings of a step with and without overlap, and what they mean for layers and buckets.
#include "engine/training/job/overlap_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/training/job/training_program.h"

namespace rankscope::training {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MadeUpLayer, backward_us, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OverlapRun, stack, batch, compute_scale, allreduce, bucket_bytes,
                                   seed)

void OverlapRun::validate() const {
  constexpr double kLongestLayer = 60e6;  // microseconds
  constexpr std::uint64_t kLargestLayer = std::uint64_t{1} << 30;
  const auto need = [](bool good, const char* what) {
    if (!good) throw UserError(what);
  };
  need(batch >= 1 && batch <= 4096, "a batch has 1 to 4096 pictures");
  need(compute_scale >= 1 && compute_scale <= 10000,
       "computing takes 1 to 10000 times as long as it would: choose such a --compute-scale");
  need(bucket_bytes >= 1, "a bucket has 1 byte or more");
  need(stack.size() <= 256, "a made-up network has at most 256 layers");
  for (const MadeUpLayer& one : stack) {
    need(one.backward_us >= 0 && one.backward_us * compute_scale <= kLongestLayer,
         "the backward pass of a layer takes 0 to 60 s, the scale included");
    need(one.bytes >= 4 && one.bytes <= kLargestLayer, "a layer's gradient has 4 bytes to 1 GiB");
  }
  if (require_algorithm(allreduce).collective != Collective::allreduce)
    throw UserError(
        fmt::format("{} is no allreduce: `rankscope list allreduce` has them", allreduce));
}

std::string to_json(const OverlapRun& run) { return dump_json(nlohmann::json(run)); }

OverlapRun overlap_run_from_json(std::string_view text) try {
  return parse_json(text).get<OverlapRun>();
} catch (const nlohmann::json::exception& e) {
  throw UserError(fmt::format("these are no settings of a step with overlap: {}", e.what()));
}

std::vector<OverlapLayer> layers_of(const OverlapRun& run) {
  std::vector<OverlapLayer> out;
  if (run.stack.empty()) {
    for (const LayerInfo& one : LeNet5Layout::layers())
      out.push_back(
          {std::string(one.name), {static_cast<Count>(one.offset), static_cast<Count>(one.count)}});
    return out;
  }
  Count offset = 0;
  for (const MadeUpLayer& one : run.stack) {
    const auto count = static_cast<Count>(one.bytes / sizeof(float));
    out.push_back({fmt::format("layer {}", out.size() + 1), {offset, count}});
    offset += count;
  }
  return out;
}

std::vector<Bucket> buckets_of(const OverlapRun& run) {
  std::vector<Range> ranges;
  for (const OverlapLayer& one : layers_of(run)) ranges.push_back(one.range);
  return gradient_buckets(ranges, sizeof(float), run.bucket_bytes);
}

JobSpec job_of(const OverlapRun& run, int world_size) {
  run.validate();
  constexpr double kLongest = 3600;  // seconds
  JobSpec spec;
  spec.algorithm = kOverlapProgram;
  spec.platform = kTrainingPlatform;
  spec.program = to_json(run);
  spec.world_size = world_size;
  spec.timeout_s = kLongest;
  return spec;
}

std::string backward_name(std::string_view layer) { return fmt::format("backward {}", layer); }

}  // namespace rankscope::training
