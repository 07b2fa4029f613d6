// Computes distributed gradient descent in all its variants, with its typical mistakes.
#include "lessons/coding/sgd_model.h"

#include <cmath>
#include <limits>

#include "engine/core/base/random.h"

namespace rankscope {
namespace {

using Average = SgdFault::Average;

// Multiples of 1/128 that every floating-point type holds.
Matrix random_matrix(Count rows, Count cols, double most, RandomNumbers& random) {
  Matrix out(rows, cols);
  for (double& value : out.at) value = (static_cast<double>(random.below(257)) - 128) / 128 * most;
  return out;
}

/// Moves numbers as float32 may round them: which way depends on the order of additions, so it is drawn.
class Rounding {
 public:
  explicit Rounding(std::optional<std::uint64_t> draw) {
    if (draw) random_.emplace(*draw);
  }
  double operator()(double exact) {
    if (!random_) return exact;
    constexpr double kMost = 0x1p-23;
    const double from_0_to_2 = static_cast<double>(random_->next() >> 11) * 0x1p-52;
    return exact * (1 + kMost * (from_0_to_2 - 1));
  }

 private:
  std::optional<RandomNumbers> random_;
};

SgdParameters gradient(const SgdParameters& at, const SgdData& data, Count first, Count count,
                       Rounding& round) {
  const Matrix &w1 = at.of[0], &b1 = at.of[1], &w2 = at.of[2], &b2 = at.of[3];
  SgdParameters out{
      {Matrix(w1.rows, w1.cols), Matrix(1, b1.cols), Matrix(1, w2.cols), Matrix(1, 1)}};
  for (Count row = first; row < first + count; ++row) {
    std::vector<double> inner(static_cast<std::size_t>(w1.rows));
    double y = b2(0, 0);
    for (Count j = 0; j < w1.rows; ++j) {
      double sum = b1(0, j);
      for (Count c = 0; c < w1.cols; ++c) sum += round(w1(j, c) * data.inputs(row, c));
      const double a = round(std::tanh(round(sum)));
      inner[static_cast<std::size_t>(j)] = a;
      y += round(w2(0, j) * a);
    }
    const double slope = round(2 * (round(y) - data.targets(row, 0)) / static_cast<double>(count));
    out.of[3](0, 0) += slope;
    for (Count j = 0; j < w1.rows; ++j) {
      const double a = inner[static_cast<std::size_t>(j)];
      const double below = round(slope * w2(0, j) * (1 - round(a * a)));
      out.of[2](0, j) += round(slope * a);
      out.of[1](0, j) += below;
      for (Count c = 0; c < w1.cols; ++c) out.of[0](j, c) += round(below * data.inputs(row, c));
    }
  }
  return out;
}

double loss_of(const SgdParameters& at, const SgdData& data, Count first, Count count) {
  const Matrix &w1 = at.of[0], &b1 = at.of[1], &w2 = at.of[2], &b2 = at.of[3];
  double squares = 0;
  for (Count row = first; row < first + count; ++row) {
    double y = b2(0, 0);
    for (Count j = 0; j < w1.rows; ++j) {
      double sum = b1(0, j);
      for (Count c = 0; c < w1.cols; ++c) sum += w1(j, c) * data.inputs(row, c);
      y += w2(0, j) * std::tanh(sum);
    }
    squares += (y - data.targets(row, 0)) * (y - data.targets(row, 0));
  }
  return squares / static_cast<double>(count);
}

/// All ranks' numbers become their sum, times `factor`.
void combine(std::vector<SgdParameters>& ranks, std::size_t which, double factor, Rounding& round) {
  Matrix sum = ranks[0].of[which];
  for (std::size_t i = 0; i < sum.at.size(); ++i) {
    sum.at[i] = 0;
    for (const auto& rank : ranks) sum.at[i] += round(factor * rank.of[which].at[i]);
  }
  for (auto& rank : ranks) rank.of[which] = sum;
}

void combine_all(std::vector<SgdParameters>& ranks, Average how, Rounding& round) {
  const double mean = 1 / static_cast<double>(ranks.size());
  for (std::size_t which = 0; which < 4; ++which) {
    if (how == Average::last_layer && which < 2) continue;
    if (how == Average::weights_only && which % 2 == 1) continue;
    const bool sums = how == Average::sum_of_parameters || how == Average::sum_of_gradients;
    combine(ranks, which, sums ? 1 : how == Average::divided_twice ? mean * mean : mean, round);
  }
}

/// PyTorch's Adam with its own settings.
struct Adam {
  SgdParameters mean, square;
  int steps = 0;

  void step(SgdParameters& at, const SgdParameters& by, double size) {
    constexpr double kMean = 0.9, kSquare = 0.999, kEpsilon = 1e-8;
    if (steps++ == 0)
      for (std::size_t p = 0; p < 4; ++p)
        mean.of[p] = square.of[p] = Matrix(at.of[p].rows, at.of[p].cols);
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t i = 0; i < at.of[p].at.size(); ++i) {
        const double g = by.of[p].at[i];
        double& m = mean.of[p].at[i];
        double& v = square.of[p].at[i];
        m = kMean * m + (1 - kMean) * g;
        v = kSquare * v + (1 - kSquare) * g * g;
        at.of[p].at[i] -= size * m / (1 - std::pow(kMean, steps)) /
                          (std::sqrt(v / (1 - std::pow(kSquare, steps))) + kEpsilon);
      }
  }
};

void descend(SgdParameters& at, const SgdParameters& by, double size, Rounding& round) {
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t i = 0; i < at.of[p].at.size(); ++i)
      at.of[p].at[i] = round(at.of[p].at[i] - size * by.of[p].at[i]);
}

bool averages_gradients(const SgdFault& fault) {
  return fault.average == Average::sum_of_gradients || fault.average == Average::divided_twice ||
         fault.adam || !fault.of_parameters;
}

}  // namespace

SgdParameters sgd_begin(const SgdSize& size, std::uint64_t seed, int rank) {
  RandomNumbers random(seed * 3'000'017 + static_cast<std::uint64_t>(rank) * 104'729 + 11);
  return {{random_matrix(size.hidden, size.width, 0.75, random),
           random_matrix(1, size.hidden, 0.75, random), random_matrix(1, size.hidden, 0.75, random),
           random_matrix(1, 1, 0.75, random)}};
}

SgdData sgd_data(const SgdSize& size, std::uint64_t seed) {
  RandomNumbers random(seed * 5'000'011 + 23);
  SgdData out{random_matrix(size.samples, size.width, 2, random), Matrix(size.samples, 1)};
  // Each rank's rows follow another law, so that a share left out is seen.
  for (Count row = 0; row < size.samples; ++row) {
    double y = static_cast<double>(row * size.ranks / size.samples) / 4;
    for (Count c = 0; c < size.width; ++c)
      y += out.inputs(row, c) / 4 * static_cast<double>(c % 3 - 1);
    out.targets(row, 0) = static_cast<double>(std::lround(y * 128)) / 128;
  }
  return out;
}

SgdData only_own_rows(const SgdSize& size, const SgdData& data, int rank) {
  SgdData out = data;
  const Count share = size.samples / size.ranks;
  for (Count row = 0; row < size.samples; ++row) {
    if (row / share == rank) continue;
    for (Count c = 0; c < size.width; ++c)
      out.inputs(row, c) = std::numeric_limits<double>::quiet_NaN();
    out.targets(row, 0) = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

std::vector<SgdParameters> sgd(const SgdSize& size, std::uint64_t seed, const SgdFault& fault,
                               std::optional<std::uint64_t> draw) {
  Rounding round(draw);
  const SgdData data = sgd_data(size, seed);
  const Count share = size.samples / size.ranks, batches = share / size.batch;
  std::vector<SgdParameters> at;
  for (int rank = 0; rank < size.ranks; ++rank)
    at.push_back(sgd_begin(size, seed, fault.own_begin ? rank : 0));
  std::vector<Adam> adam(at.size());
  for (int k = fault.first_step; k < size.steps + fault.more_steps; ++k) {
    std::vector<SgdParameters> slopes;
    const Count batch = fault.same_batch ? 0 : k % batches;
    for (int rank = 0; rank < size.ranks; ++rank)
      slopes.push_back(gradient(at[static_cast<std::size_t>(rank)], data,
                                rank * share + batch * size.batch, size.batch, round));
    const bool never = fault.average == Average::none || fault.average == Average::at_the_end;
    if (averages_gradients(fault) && !never) combine_all(slopes, fault.average, round);
    for (std::size_t rank = 0; rank < at.size(); ++rank) {
      if (fault.adam) adam[rank].step(at[rank], slopes[rank], size.step_size);
      else descend(at[rank], slopes[rank], size.step_size, round);
    }
    if (!averages_gradients(fault) && !never) combine_all(at, fault.average, round);
  }
  if (fault.average == Average::at_the_end) combine_all(at, Average::right, round);
  return at;
}

std::vector<std::vector<double>> sgd_losses(const SgdSize& size, std::uint64_t seed,
                                            LossTime time) {
  const SgdData data = sgd_data(size, seed);
  const Count share = size.samples / size.ranks, batches = share / size.batch;
  std::vector<std::vector<double>> out;
  for (int k = 0; k < size.steps; ++k) {
    SgdSize until = size;
    until.steps = time == LossTime::before_step ? k : k + 1;
    const SgdParameters at = sgd(until, seed).front();
    out.emplace_back();
    for (int rank = 0; rank < size.ranks; ++rank)
      out.back().push_back(loss_of(at, data, rank * share + k % batches * size.batch, size.batch));
  }
  return out;
}

const std::vector<SgdFault>& sgd_faults() {
  static const std::vector<SgdFault> kFaults = [] {
    std::vector<SgdFault> out;
    const auto add = [&](std::string_view says) -> SgdFault& {
      out.emplace_back().says = says;
      return out.back();
    };
    add("the sum of the parameters is not divided by N").average = Average::sum_of_parameters;
    add("the sum of the gradients is not divided by N").average = Average::sum_of_gradients;
    add("the average of the gradients is divided by N once more").average = Average::divided_twice;
    add("the ranks begin with different parameters: broadcast rank 0's first").own_begin = true;
    SgdFault& slopes = add(
        "the ranks begin with different parameters, and averaged gradients leave them different: "
        "broadcast rank 0's first");
    slopes.own_begin = true;
    slopes.of_parameters = false;
    add("only the last layer is averaged").average = Average::last_layer;
    add("only the weights are averaged, not the biases").average = Average::weights_only;
    add("the parameters are averaged once, at the end, and not in each step").average =
        Average::at_the_end;
    add("nothing is averaged over the ranks").average = Average::none;
    add("the steps are Adam's, not those of plain gradient descent").adam = true;
    add("one step more than asked for was made").more_steps = 1;
    add("one step less than asked for was made").more_steps = -1;
    add("the first step is left out, and its batch: steps count from 0").first_step = 1;
    add("each step uses the first batch").same_batch = true;
    SgdFault& alone = add("the ranks begin with different parameters, and nothing is averaged");
    alone.own_begin = true;
    alone.average = Average::none;
    return out;
  }();
  return kFaults;
}

}  // namespace rankscope
