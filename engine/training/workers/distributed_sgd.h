// Stochastic gradient descent by several workers, one per rank, on a Communicator. They average parameters after each
// step (the homework's Algorithm 1), less often, or with neighbours only; or gradients before it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/training/data/pictures.h"
#include "engine/training/network/lenet5.h"
#include "engine/training/overlap/gradient_average.h"

namespace rankscope::training {

/// The values that the workers average.
enum class Averaging {
  parameters,  ///< Each makes a step with its own gradient; then parameters are averaged.
  gradients,   ///< All make the step with the average of the gradients.
  gossip,      ///< As `parameters`, but with the two neighbours in the ring only.
};

/// The pictures from which a worker draws its batches.
enum class Sharing {
  sampled,  ///< Any training picture.
  sharded,  ///< Its own: rank r of N has pictures r, r + N, r + 2 N ...
};

struct SgdSettings {
  LeNet5Options network = {};
  Averaging averaging = Averaging::parameters;
  Sharing sharing = Sharing::sampled;
  int batch = 32;  ///< Pictures per worker and iteration.
  double step = 0.1;
  double momentum = 0;
  /// Local SGD (Stich, ICLR 2019): parameters are averaged after every `period` iterations.
  int period = 1;
  /// Iterations over which the step grows from step / warmup to `step` (Goyal et al. 2017, section 2.2).
  int warmup = 0;
  /// For averaged gradients: buckets of at least this many bytes are averaged during the backward pass; 0: all at once
  /// after it. Rounding differs between sizes.
  std::uint64_t bucket_bytes = 0;
  std::uint64_t seed = 1;  ///< For the initial parameters and the batches.

  /// Throws UserError for a value that is too small, a period > 1 without averaged parameters, and buckets without
  /// averaged gradients.
  void validate() const;
  double step_of(std::int64_t iteration) const noexcept;
};

/// The state from which a run continues. The batches of an iteration depend on the settings, rank and iteration only.
template <class T>
struct SgdState {
  std::int64_t iteration = 0;  ///< Number of finished iterations.
  AlignedVector<T> parameters, velocity;
};

struct SgdTimes {
  /// If they overlap, `communicating` is only the rest after the backward pass.
  std::chrono::nanoseconds computing{0}, communicating{0};
  std::chrono::nanoseconds testing{0};  ///< In evaluate(), with its communication.
};

/// Returns a worker's batch: the pictures that `rank` of `ranks` takes in this iteration (counted from 0).
std::vector<std::uint32_t> batch_of(const SgdSettings& settings, std::size_t pictures, int ranks,
                                    Rank rank, std::int64_t iteration);

/// One worker. All ranks of the communicator make the same calls. T is float or double.
template <class T>
class DistributedSgd {
 public:
  /// Rank 0's initial parameters are those of the seed; the others receive them (with a broadcast of the registry).
  /// `allreduce`: null with gossip. Throws UserError for settings that do not validate or fewer pictures than ranks.
  DistributedSgd(Communicator& comm, const PictureData& data, const SgdSettings& settings,
                 const Algorithm* allreduce);

  /// Makes one iteration; returns the result of this rank's batch before its step. Throws CommError.
  BatchResult step();
  /// Returns how many of the test pictures are recognised. Each rank tests a share of them, with its own parameters
  /// (which differ with gossip), and the counts are summed up.
  std::int64_t evaluate();

  const SgdState<T>& state() const noexcept { return state_; }
  /// Goes on from `state`. Throws UserError if the number of parameters is not LeNet-5's.
  void resume(SgdState<T> state);
  const SgdTimes& times() const noexcept { return times_; }

 private:
  void average(std::span<T> values, std::string_view what);
  void backward_and_average();
  void average_with_neighbours();

  Communicator& comm_;
  const PictureData& data_;
  SgdSettings settings_;
  const Algorithm* allreduce_;
  const Kernels<T>& kernels_;
  LeNet5<T> network_;       ///< For a batch.
  LeNet5<T> test_network_;  ///< For the test pictures of one pass.
  SgdState<T> state_;
  SgdTimes times_;
  Buffer mine_, together_;
  std::vector<Bucket> buckets_;  ///< Empty if the gradient is averaged after the backward pass.
  AlignedVector<T> gradient_, pixels_;
  std::vector<std::uint8_t> labels_;
};

extern template class DistributedSgd<float>;
extern template class DistributedSgd<double>;

}  // namespace rankscope::training
