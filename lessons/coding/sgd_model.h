// Distributed gradient descent on a small network, in float64: what the exercise should leave in the
// parameters, and what well-known mistakes leave there.
#pragma once

#include <array>
#include <optional>

#include "lessons/coding/block_model.h"

namespace rankscope {

/// y = W2 tanh(W1 x + b1) + b2, with the mean squared error.
struct SgdSize {
  int ranks = 1;
  Count samples = 1, width = 1, hidden = 1;  ///< samples: of all ranks together.
  Count batch = 1;
  int steps = 1;
  double step_size = 0.1;
};

/// The network's parameters as PyTorch names and orders them.
struct SgdParameter {
  const char* name;
  bool is_bias;
};
inline constexpr std::array<SgdParameter, 4> kSgdParameters = {
    {{"0.weight", false}, {"0.bias", true}, {"2.weight", false}, {"2.bias", true}}};
struct SgdParameters {
  std::array<Matrix, kSgdParameters.size()> of;
};
/// A rank's own parameters before the training, which differ from those of other ranks.
SgdParameters sgd_begin(const SgdSize& size, std::uint64_t seed, int rank);
struct SgdData {
  Matrix inputs, targets;
};
SgdData sgd_data(const SgdSize& size, std::uint64_t seed);
/// The data as a rank gets them: there are no numbers in other ranks' rows.
SgdData only_own_rows(const SgdSize& size, const SgdData& data, int rank);

struct SgdFault {
  enum class Average : std::uint8_t {
    right,
    sum_of_parameters,  ///< Not divided by N.
    sum_of_gradients,
    divided_twice,  ///< The gradients.
    last_layer,
    weights_only,
    at_the_end,
    none
  };
  Average average = Average::right;
  bool own_begin = false;     ///< Each rank starts from its own parameters.
  bool of_parameters = true;  ///< With own_begin: parameters are averaged, not gradients.
  bool adam = false, same_batch = false;
  int first_step = 0, more_steps = 0;
  std::string_view says;
  /// No slip: it is not how distributed gradient descent goes.
  bool is_other_algorithm() const noexcept {
    return adam || average == Average::at_the_end || average == Average::none;
  }
};
/// The parameters of each rank at the end. `draw`: of roundings as float32 has them, in whatever order it adds up; without
/// it none are made.
std::vector<SgdParameters> sgd(const SgdSize& size, std::uint64_t seed, const SgdFault& fault = {},
                               std::optional<std::uint64_t> draw = {});
const std::vector<SgdFault>& sgd_faults();

/// Each rank's own loss, the mean squared error of its batch, in each step: before the step changes the parameters, or
/// after it. By step, then by rank.
enum class LossTime : std::uint8_t { before_step, after_step };
std::vector<std::vector<double>> sgd_losses(const SgdSize& size, std::uint64_t seed,
                                            LossTime time = LossTime::before_step);

}  // namespace rankscope
