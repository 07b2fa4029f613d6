// A step with and without overlap: settings, closed form, figures from a trace, and the run on a rank.
#include "engine/training/job/overlap_run.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/training/job/training_program.h"

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
  require_algorithm(allreduce, Collective::allreduce);
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
  spec.call.algorithm = kOverlapProgram;
  spec.call.platform = kTrainingPlatform;
  spec.call.program = to_json(run);
  spec.world.size = world_size;
  spec.recording.timeout_s = kLongest;
  return spec;
}

std::string backward_name(std::string_view layer) { return fmt::format("backward {}", layer); }

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

namespace {

constexpr std::string_view kIncomplete =
    "the trace does not hold both steps on every rank: was the run stopped? Record it again";

std::int64_t end_of(const std::vector<WorkSpan>& spans, std::string_view name) {
  const auto found = ranges::find(spans, name, &WorkSpan::name);
  if (found == spans.end()) throw UserError(std::string(kIncomplete));
  return found->time.end;
}

std::vector<std::int64_t> lengths_of(const std::vector<Interval>& intervals) {
  std::vector<std::int64_t> out;
  for (const Interval& one : intervals) out.push_back(one.length());
  return out;
}

/// Returns the delays between when allreduces could begin and did, and the gaps within the backward pass, in ns.
std::int64_t slack_of(const StepFigures& figures, const RankWork& work) {
  std::int64_t slack = 0, before = 0;
  for (std::size_t j = 0; j < figures.full.size(); ++j) {
    slack += figures.allreduces[j].begin - std::max(figures.startable[j], before);
    before = figures.allreduces[j].end;
  }
  const std::vector<Interval> backward{{figures.full.front(), figures.computed}};
  std::vector<Interval> computing;
  for (const WorkSpan& span : work.computing) computing.push_back(span.time);
  for (const Interval& gap : without(backward, computing)) slack += gap.length();
  return slack;
}

/// On a single rank allreduces have no messages and count as taking no time.
StepFigures figures_of(const RankWork& work, const std::vector<OverlapLayer>& layers,
                       const std::vector<Bucket>& buckets, int ranks, bool overlapped) {
  StepFigures out;
  out.rank = work.rank;
  out.times = overlap_times(work);
  out.computed = end_of(work.computing, backward_name(layers.front().name));
  for (std::size_t j = 0; j < buckets.size(); ++j) {
    out.full.push_back(end_of(work.computing, backward_name(layers[buckets[j].last_layer].name)));
    out.startable.push_back(overlapped ? out.full.back() : out.computed);
    const auto found = ranges::find(work.communicating, bucket_name(j), &WorkSpan::name);
    if (found != work.communicating.end()) out.allreduces.push_back(found->time);
    else if (ranks == 1) out.allreduces.push_back({out.startable.back(), out.startable.back()});
    else throw UserError(std::string(kIncomplete));
  }
  out.closed_form = exposed_time(out.startable, lengths_of(out.allreduces), out.computed);
  out.slack = slack_of(out, work);
  return out;
}

/// Reads the ranks' comparison of their averages.
void read_differences(const Trace& trace, OverlapMeasured& out) {
  std::size_t ranks = 0;
  out.ranks_agree = true;
  for (const BufferState& state : trace.seek(trace.size())) {
    const Definition* const buffer = trace.definition(Definition::Kind::buffer, state.buffer);
    if (buffer == nullptr || buffer->name != kDifferences) continue;
    std::array<std::int64_t, 2> found{};
    if (state.samples.size() != sizeof(found)) throw UserError(std::string(kIncomplete));
    std::memcpy(found.data(), state.samples.data(), sizeof(found));
    out.different += static_cast<std::uint64_t>(found[0]);
    out.ranks_agree &= found[1] == 0;
    ++ranks;
  }
  if (std::cmp_not_equal(ranks, trace.world_size())) throw UserError(std::string(kIncomplete));
}

}  // namespace

const StepFigures& OverlapMeasured::slowest(bool with) const {
  const auto& all = with ? overlapped : apart;
  return *ranges::max_element(all, {}, [](const StepFigures& one) { return one.times.total; });
}

std::int64_t OverlapMeasured::step_ns(bool with) const { return slowest(with).times.total; }

std::int64_t OverlapMeasured::expected_exposed() const {
  const auto given = ranges::find(apart, slowest(true).rank, &StepFigures::rank);
  return exposed_time(given->full, lengths_of(given->allreduces), given->computed);
}

OverlapMeasured overlap_measured(const Trace& trace) {
  const JobSpec spec = trace.meta().job.value_or(JobSpec());
  if (spec.call.algorithm != kOverlapProgram || !spec.is_program())
    throw UserError(
        fmt::format("the trace is of {}, not of a step with overlap: `rankscope overlap -o FILE` "
                    "records one",
                    trace.meta().algorithm));
  OverlapMeasured out;
  out.run = overlap_run_from_json(spec.call.program);
  const auto layers = layers_of(out.run);
  const auto buckets = buckets_of(out.run);
  for (const RankWork& work : work_of_ranks(trace, kApartPhase))
    out.apart.push_back(figures_of(work, layers, buckets, trace.world_size(), false));
  for (const RankWork& work : work_of_ranks(trace, kOverlappedPhase))
    out.overlapped.push_back(figures_of(work, layers, buckets, trace.world_size(), true));
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  if (ranks == 0 || out.apart.size() != ranks || out.overlapped.size() != ranks)
    throw UserError(std::string(kIncomplete));
  read_differences(trace, out);
  return out;
}

namespace {

/// Records spans of computing, and makes each take longer.
class ComputeRecorder {
 public:
  ComputeRecorder(Communicator& comm, std::string_view step, double scale)
      : comm_(comm), recorder_(comm.context().recorder()), scale_(scale) {
    step_ = recorder_.phase(step, 0);
    begin_ = comm_.now();
  }

  /// Ends a span that began at the last end(), or at construction.
  void end(std::string_view name) {
    const auto spent = static_cast<double>(comm_.now() - begin_);
    sleep(std::chrono::nanoseconds(static_cast<std::int64_t>(spent * (scale_ - 1))));
    StepEvent event;
    event.kind = EventKind::local;
    event.verb = Verb::compute;
    event.begin_ns = begin_;
    event.time_ns = begin_ = comm_.now();
    event.comm = comm_.definition();
    event.site = recorder_.site(std::source_location::current(), 0);
    event.phase = recorder_.phase(name, step_);
    recorder_.record(event);
  }
  static void sleep(std::chrono::nanoseconds time) {
    if (time.count() > 0) std::this_thread::sleep_for(time);
  }

 private:
  Communicator& comm_;
  Recorder& recorder_;
  double scale_;
  std::uint32_t step_ = 0;
  std::int64_t begin_ = 0;
};

/// Computes a gradient, layer by layer.
class Network {
 public:
  virtual ~Network() = default;
  /// Writes `gradient`; calls `done` when a layer's part is complete, last layer first.
  virtual void compute(std::span<float> gradient, ComputeRecorder& record,
                       const LayerDone& done) = 0;
};

/// LeNet-5 with made-up pictures, other ones on each rank.
class PictureNetwork : public Network {
 public:
  PictureNetwork(const OverlapRun& run, Rank rank)
      : network_({}, run.batch, *usable_kernels<float>().front()),
        parameters_(initial_parameters<float>(run.seed)),
        gradient_(parameters_.size()) {
    RandomNumbers random(run.seed * 1000 + static_cast<std::uint64_t>(rank));
    const auto batch = static_cast<std::size_t>(run.batch);
    for (std::size_t i = 0; i < batch * LeNet5Layout::kPixels; ++i)
      pixels_.push_back(static_cast<float>(random.below(256)) / 128 - 1);
    for (std::size_t i = 0; i < batch; ++i)
      labels_.push_back(static_cast<std::uint8_t>(random.below(LeNet5Layout::kClasses)));
  }

  void compute(std::span<float> gradient, ComputeRecorder& record, const LayerDone& done) override {
    network_.forward(parameters_, pixels_, labels_);
    record.end("forward");
    const auto layers = LeNet5Layout::layers();
    network_.backward(parameters_, gradient_, [&](std::size_t layer) {
      const LayerInfo& info = layers[layer];
      std::copy_n(gradient_.begin() + static_cast<std::ptrdiff_t>(info.offset), info.count,
                  gradient.begin() + static_cast<std::ptrdiff_t>(info.offset));
      record.end(backward_name(info.name));
      done(layer);
    });
  }

 private:
  LeNet5<float> network_;
  AlignedVector<float> parameters_, gradient_, pixels_;
  std::vector<std::uint8_t> labels_;
};

/// Layers that sleep, with random numbers as the gradient.
class SleepingNetwork : public Network {
 public:
  SleepingNetwork(const OverlapRun& run, Rank rank)
      : run_(run), layers_(layers_of(run)), random_(run.seed * 1000 + std::uint64_t(rank)) {
    for (Count i = 0; i < layers_.back().range.end(); ++i)
      gradient_.push_back(static_cast<float>(random_.below(1 << 20)) * 0x1p-19F - 1);
  }

  void compute(std::span<float> gradient, ComputeRecorder& record, const LayerDone& done) override {
    for (std::size_t layer = layers_.size(); layer-- > 0;) {
      const double us = run_.stack[layer].backward_us;
      ComputeRecorder::sleep(std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1e3)));
      const Range range = layers_[layer].range;
      std::copy_n(gradient_.begin() + range.offset, range.count, gradient.begin() + range.offset);
      record.end(backward_name(layers_[layer].name));
      done(layer);
    }
  }

 private:
  const OverlapRun& run_;
  const std::vector<OverlapLayer> layers_;
  RandomNumbers random_;
  std::vector<float> gradient_;
};

std::unique_ptr<Network> network_of(const OverlapRun& run, Rank rank) {
  if (run.stack.empty()) return std::make_unique<PictureNetwork>(run, rank);
  return std::make_unique<SleepingNetwork>(run, rank);
}

class OverlapPart {
 public:
  OverlapPart(RankContext& rank, const OverlapRun& run)
      : run_(run),
        comm_(rank),
        allreduce_(require_algorithm(run.allreduce)),
        network_(network_of(run, comm_.rank())),
        buckets_(buckets_of(run)),
        count_(layers_of(run).back().range.end()) {}

  void measure() {
    const GradientBuffers apart = buffers(), overlapped = buffers();
    step_apart(apart);
    step_overlapped(overlapped);
    compare(apart.together, overlapped.together);
  }

 private:
  GradientBuffers buffers() const {
    return {.mine = Buffer::allocate(DType::float32, count_),
            .together = Buffer::allocate(DType::float32, count_)};
  }

  void start_together() {
    const auto phase = comm_.phase("start together");
    require_algorithm("barrier.dissemination").run(comm_, {});
  }

  void step_apart(const GradientBuffers& buffers) {
    start_together();
    const auto phase = comm_.phase(kApartPhase);
    ComputeRecorder record(comm_, kApartPhase, run_.compute_scale);
    network_->compute(buffers.mine.as<float>(), record, [](std::size_t) {});
    average_buckets(comm_, allreduce_, buffers, buckets_);
  }

  void step_overlapped(const GradientBuffers& buffers) {
    start_together();
    const auto phase = comm_.phase(kOverlappedPhase);
    OverlappedAverage average(comm_, allreduce_, buffers, buckets_);
    ComputeRecorder record(comm_, kOverlappedPhase, run_.compute_scale);
    network_->compute(buffers.mine.as<float>(), record,
                      [&](std::size_t layer) { average.layer_done(layer); });
    average.wait();
  }

  /// Puts into the trace a buffer with the number of elements that differ between the two averages, and 1 if the bytes
  /// differ from rank 0's.
  void compare(const Buffer& apart, const Buffer& overlapped) {
    const auto phase = comm_.phase("comparison");
    std::int64_t different = 0;
    const auto a = apart.as<std::uint32_t>(),
               b = overlapped.as<std::uint32_t>();  // bits, not values
    for (std::size_t i = 0; i < a.size(); ++i) different += a[i] == b[i] ? 0 : 1;
    const auto mine = static_cast<std::int64_t>(XXH3_64bits(overlapped.data(), overlapped.bytes()));
    Buffer digest = Buffer::of(std::vector{mine});
    run_algorithm(comm_, require_algorithm("broadcast.binomial"), {.in = digest, .out = digest});
    Buffer differences = Buffer::of(
        std::vector<std::int64_t>{different, digest.as<std::int64_t>().front() == mine ? 0 : 1});
    comm_.watch(kDifferences, differences);
  }

  const OverlapRun& run_;
  Communicator comm_;
  const Algorithm& allreduce_;
  std::unique_ptr<Network> network_;
  const std::vector<Bucket> buckets_;
  const Count count_;
};

}  // namespace

void measure_overlap(RankContext& rank, std::string_view settings) {
  const OverlapRun run = overlap_run_from_json(settings);
  run.validate();
  OverlapPart(rank, run).measure();
}

}  // namespace rankscope::training
