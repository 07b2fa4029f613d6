// The average of the workers' gradients, bucket by bucket: after the backward pass, or while it goes on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"
#include "engine/training/overlap/buckets.h"

namespace rankscope::training {

/// What is averaged: buffers of equal size, which must outlive the average.
struct GradientBuffers {
  Buffer mine;      ///< This rank's gradient.
  Buffer together;  ///< Becomes the average.
};

/// Averages the buckets one after the other, each in a phase of its name. Collective. Throws CommError.
void average_buckets(Communicator& comm, const Algorithm& allreduce, const GradientBuffers& buffers,
                     std::span<const Bucket> buckets);

/// The same while the backward pass goes on, by the same calls in the same order, so that the average has the same
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
  std::size_t full_ = 0;  ///< So many buckets are.
  bool given_up_ = false;
  Work work_;  ///< Last: it uses all the others.
};

}  // namespace rankscope::training
