// One rank's part of a step with and without overlap: computes, averages both ways, and compares.
#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/core/base/random.h"
#include "engine/core/message/communicator.h"
#include "engine/training/job/overlap_run.h"
#include "engine/training/overlap/gradient_average.h"

namespace rankscope::training {
namespace {

/// Records what the rank computes, span after span, and lets it take longer.
class ComputeRecorder {
 public:
  ComputeRecorder(Communicator& comm, std::string_view step, double scale)
      : comm_(comm), recorder_(comm.context().recorder()), scale_(scale) {
    step_ = recorder_.phase(step, 0);
    begin_ = comm_.now();
  }

  /// What was computed since the last end, or since the beginning.
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

/// What computes a gradient, layer by layer.
class Network {
 public:
  virtual ~Network() = default;
  /// Writes `gradient`, and says when a layer's part is complete, the last layer's first.
  virtual void compute(std::span<float> gradient, ComputeRecorder& record,
                       const LayerDone& done) = 0;
};

/// LeNet-5 with made-up pictures, of each rank's own.
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

/// Layers that sleep, with numbers for a gradient.
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

  /// The trace says what came of it: by a buffer with the number of elements that differ between the two averages, and
  /// whether the bytes are those of rank 0.
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
