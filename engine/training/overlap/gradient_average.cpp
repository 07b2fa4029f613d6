// Averages buckets of a gradient, on the calling strand or on one of its own.
#include "engine/training/overlap/gradient_average.h"

#include <cassert>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::training {

std::vector<Bucket> gradient_buckets(std::span<const Range> layers, std::size_t element_bytes,
                                     std::uint64_t bucket_bytes) {
  std::vector<Bucket> out;
  bool full = true;
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const Range& range = layers[layer];
    if (full) out.push_back({.range = {range.end(), 0}});
    Bucket& bucket = out.back();
    bucket.range = {range.offset, bucket.range.end() - range.offset};
    bucket.last_layer = layer;
    full = static_cast<std::uint64_t>(bucket.range.count) * element_bytes >= bucket_bytes;
  }
  return out;
}

std::string bucket_name(std::size_t index) { return fmt::format("bucket {}", index + 1); }

namespace {

Buffer part_of(const Buffer& all, const Range& range) {
  const Slice part = all[range];
  return Buffer::borrow(part.data(), part.dtype(), Shape::flat(part.count()));
}

void average_bucket(Communicator& comm, const Algorithm& allreduce, const GradientBuffers& buffers,
                    std::span<const Bucket> buckets, std::size_t index) {
  const auto phase = comm.phase(bucket_name(index));
  const Buffer in = part_of(buffers.mine, buckets[index].range),
               out = part_of(buffers.together, buckets[index].range);
  ranges::copy(in.all().raw(), out.data());
  run_algorithm(comm, allreduce, {.in = in, .out = out, .op = ReduceOp::avg});
}

}  // namespace

void average_buckets(Communicator& comm, const Algorithm& allreduce, const GradientBuffers& buffers,
                     std::span<const Bucket> buckets) {
  for (std::size_t i = 0; i < buckets.size(); ++i)
    average_bucket(comm, allreduce, buffers, buckets, i);
}

OverlappedAverage::OverlappedAverage(Communicator& comm, const Algorithm& allreduce,
                                     GradientBuffers buffers, std::span<const Bucket> buckets)
    : allreduce_(allreduce),
      buffers_(std::move(buffers)),
      buckets_(buckets.begin(), buckets.end()),
      work_(comm.start([this](Communicator& strand) { carry_out(strand); })) {}

// Wakes the strand, which may sleep for a bucket that nobody will fill; `work_` then waits for its end.
OverlappedAverage::~OverlappedAverage() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_one();
}

void OverlappedAverage::layer_done(std::size_t layer) {
  {
    const std::lock_guard lock(mutex_);
    if (full_ == buckets_.size() || buckets_[full_].last_layer != layer) return;
    ++full_;
  }
  changed_.notify_one();
}

void OverlappedAverage::wait() {
  assert(full_ == buckets_.size());
  work_.wait();
}

bool OverlappedAverage::await(std::size_t bucket) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return full_ > bucket || given_up_; });
  return full_ > bucket;
}

void OverlappedAverage::carry_out(Communicator& strand) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (!await(i)) return;
    average_bucket(strand, allreduce_, buffers_, buckets_, i);
  }
}

}  // namespace rankscope::training
