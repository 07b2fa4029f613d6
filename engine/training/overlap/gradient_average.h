// Averages the workers' gradients, bucket by bucket: after the backward pass, or during it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/partition.h"
#include "engine/core/message/communicator.h"

namespace rankscope::training {

/// A part of the gradient that one allreduce averages.
struct Bucket {
  Range range;  ///< Elements of the gradient.
  /// The bucket is full once the backward pass has done this layer.
  std::size_t last_layer = 0;
};

/// Returns the buckets in the order in which they become full. `layers` are the layers' ranges in the gradient, first
/// layer first, without gaps. The backward pass begins with the last layer, so buckets are filled from there: a bucket
/// is full once it has at least `bucket_bytes`, and the one with the first layer takes the rest. A layer is never
/// divided.
std::vector<Bucket> gradient_buckets(std::span<const Range> layers, std::size_t element_bytes,
                                     std::uint64_t bucket_bytes);

/// Returns the name of a bucket's phase in a trace: "bucket 1" for index 0.
std::string bucket_name(std::size_t index);

/// The buffers to average, of equal size; they must outlive the average.
struct GradientBuffers {
  Buffer mine;      ///< This rank's gradient.
  Buffer together;  ///< Becomes the average.
};

/// Averages the buckets one after the other, each in a phase of its name. Collective. Throws CommError.
void average_buckets(Communicator& comm, const Algorithm& allreduce, const GradientBuffers& buffers,
                     std::span<const Bucket> buckets);

/// Averages the buckets during the backward pass: a strand (NCCL: a communication stream) takes each once it is full
/// (Li et al., VLDB 2020, section 3.2.3). It makes the same calls as average_buckets() in the same order, so that the
/// average has the same bits. Its messages have their own context. All ranks make one at the same place in the order of
/// their collectives.
class OverlappedAverage {
 public:
  OverlappedAverage(Communicator& comm, const Algorithm& allreduce, GradientBuffers buffers,
                    std::span<const Bucket> buckets);
  OverlappedAverage(const OverlappedAverage&) = delete;
  OverlappedAverage& operator=(const OverlappedAverage&) = delete;
  /// If the backward pass failed before wait(), gives up the buckets that are not full.
  ~OverlappedAverage();

  /// Reports that this layer's part of `mine` is complete and will not be written again. The last layer comes first.
  void layer_done(std::size_t layer);
  /// Returns when all buckets are averaged on this rank. All layers must be done. Throws what the allreduce threw.
  void wait();

 private:
  void carry_out(Communicator& strand);
  bool await(std::size_t bucket);

  const Algorithm& allreduce_;
  const GradientBuffers buffers_;
  const std::vector<Bucket> buckets_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t full_ = 0;  ///< Number of full buckets.
  bool given_up_ = false;
  Work work_;  ///< Last: it uses all the others.
};

}  // namespace rankscope::training
