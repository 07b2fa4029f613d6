// Distributed SGD on LeNet-5, in float64: the pictures and parameters that a case's ranks are given, what each step should
// leave in the parameters, and what well-known mistakes leave there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/training/network/lenet5.h"

namespace rankscope {

struct LenetSize {
  int ranks = 1;
  Count pictures = 0, test_pictures = 0;  ///< All ranks' together.
  int batch = 1;                          ///< A rank's pictures in a step.
  int steps = 1;
  double step_size = 0.1;
};

using LenetParameters = training::AlignedVector<double>;

/// Pictures with mean 0 and deviation 1 over the training pictures: pixels [size][28][28].
struct LenetPictures {
  training::AlignedVector<double> pixels;
  std::vector<std::uint8_t> labels;
  std::size_t size() const noexcept { return labels.size(); }
};
struct LenetData {
  LenetPictures train, test;
};
LenetData lenet_data(const LenetSize& size, std::uint64_t seed);
/// A rank's own parameters before the training, which differ from those of other ranks.
LenetParameters lenet_begin(std::uint64_t seed, Rank rank);

/// The network, with memory for each size of batch.
class LenetNetwork {
 public:
  LenetNetwork();
  ~LenetNetwork();
  LenetNetwork(const LenetNetwork&) = delete;
  LenetNetwork& operator=(const LenetNetwork&) = delete;

  /// The gradient of the mean loss over these pictures, of which there is at least one.
  LenetParameters gradient(const LenetParameters& at, const LenetPictures& pictures,
                           std::span<const std::uint32_t> chosen);
  int count_right(const LenetParameters& at, const LenetPictures& pictures,
                  std::span<const std::uint32_t> chosen);

 private:
  training::LeNet5<double>& of_batch(std::size_t count);
  training::BatchResult forward(const LenetParameters& at, const LenetPictures& pictures,
                                std::span<const std::uint32_t> chosen);
  std::map<std::size_t, std::unique_ptr<training::LeNet5<double>>> networks_;
  training::AlignedVector<double> pixels_;
  std::vector<std::uint8_t> labels_;
};

/// A way to train, right or wrong.
struct LenetFault {
  enum class Average : std::uint8_t {
    parameters,  ///< Right: after the local step.
    gradients,   ///< As right, for plain descent from equal parameters.
    before,      ///< The parameters, before the local step.
    one_rank,    ///< The parameters, or the gradient, of the first rank count, and no others.
    last_rank,
    none,
    nothing_written,  ///< Parameters stay as they were.
  };
  enum class Descent : std::uint8_t { plain, momentum, adam };
  Average average = Average::parameters;
  Descent descent = Descent::plain;
  bool own_begin = false;        ///< Each rank starts from its own parameters.
  bool keeps_gradient = false;   ///< Gradients are added to those of earlier steps.
  bool averaged_at_end = false;  ///< After the last step, parameters are averaged once.
  int period = 1;                ///< Parameters are averaged in one of so many steps,
  bool last_of_period = false;   ///< the last of them; else the first.
  std::string_view says = {};
  std::string_view says_of_senders = {};  ///< Where much is sent in spite of it; empty if the same.
  /// No slip: it is not how distributed gradient descent goes.
  bool is_other_algorithm() const noexcept {
    return descent != Descent::plain || average == Average::one_rank ||
           average == Average::last_rank || averaged_at_end || period != 1;
  }
};
const std::vector<LenetFault>& lenet_faults();

/// A training, step by step.
class LenetTraining {
 public:
  LenetTraining(const LenetSize& size, const LenetData& data, LenetNetwork& network,
                std::uint64_t seed, const LenetFault& fault = {});
  /// Takes one step with each rank's batch.
  void step(std::span<const std::vector<std::uint32_t>> batches);
  /// Does what follows the last step.
  void finish();
  const std::vector<LenetParameters>& parameters() const noexcept { return at_; }

 private:
  void descend(std::size_t rank, const LenetParameters& gradient);
  const LenetSize size_;
  const LenetData& data_;
  LenetNetwork& network_;
  const LenetFault fault_;
  std::vector<LenetParameters> at_, kept_, velocity_, square_;
  int steps_ = 0;
};

LenetParameters mean_of(std::span<const LenetParameters> ranks);
/// The Euclidean distance.
double distance(std::span<const double> a, std::span<const double> b);

}  // namespace rankscope
