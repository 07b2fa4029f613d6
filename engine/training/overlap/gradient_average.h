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

/// A part of the gradient that is averaged by one allreduce.
struct Bucket {
  Range range;  ///< Elements of the gradient.
  /// The bucket is full when the backward pass has done this layer.
  std::size_t last_layer = 0;
};

/// Buckets in the order in which they become full. `layers` are the layers' ranges in the gradient, first layer first,
/// each behind the one before. The backward pass begins with the last layer, so buckets are filled from there: a
/// bucket is full once it has at least `bucket_bytes`, and the one with the first layer takes what is left. A layer
/// is not divided (there, a parameter is not).
std::vector<Bucket> gradient_buckets(std::span<const Range> layers, std::size_t element_bytes,
                                     std::uint64_t bucket_bytes);

/// "bucket 1" for index 0: the name of its phase in a trace.
std::string bucket_name(std::size_t index);

/// The buffers to average, of equal size; they must outlive the average.
struct GradientBuffers {
  Buffer mine;      ///< This rank's gradient.
  Buffer together;  ///< Becomes the average.
};

/// Averages the buckets one after the other, each in a phase of its name. Collective. Throws CommError.
void average_buckets(Communicator& comm, const Algorithm& allreduce, const GradientBuffers& buffers,
                     std::span<const Bucket> buckets);

/// The same during the backward pass, by the same calls in the same order, so that the average has the same
/// bits: a strand of its own (where NCCL has a communication stream) takes the buckets as they become full (Li et al.,
/// VLDB 2020, section 3.2.3). Its messages are in a context of their own. All ranks make one at the same place in the
/// order of their collectives.
class OverlappedAverage {
 public:
  OverlappedAverage(Communicator& comm, const Algorithm& allreduce, GradientBuffers buffers,
                    std::span<const Bucket> buckets);
  OverlappedAverage(const OverlappedAverage&) = delete;
  OverlappedAverage& operator=(const OverlappedAverage&) = delete;
  /// Before wait(), for a backward pass that failed: buckets that are not full are given up.
  ~OverlappedAverage();

  /// This layer's part of `mine` is complete; the backward pass will not write it again. Layers come last first.
  void layer_done(std::size_t layer);
  /// Returns when all buckets are averaged on this rank. All layers are done. Throws what the allreduce threw.
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
