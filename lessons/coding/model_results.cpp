// Compares the results of model exercises with the reference models and recognises typical
// mistakes.
#include "lessons/coding/model_results.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/coding/inputs.h"
#include "lessons/coding/result_parts.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {
namespace {

// The change by float32 and another order of additions, far less than a mistake's.
constexpr double kTolerance = 2e-4;

bool near(double have, double want) {
  return std::abs(have - want) <= kTolerance * std::max(1.0, std::abs(want));
}

bool all_near(std::span<const double> have, std::span<const double> want) {
  return ranges::equal(have, want, near);
}

/// "element 3 is 0.12, it should be 0.5"; empty if they are alike.
std::string difference(std::span<const double> have, std::span<const double> want) {
  for (std::size_t i = 0; i < want.size() && i < have.size(); ++i)
    if (!near(have[i], want[i]))
      return fmt::format("element {} is {:.5g}, it should be {:.5g}", i, have[i], want[i]);
  return {};
}

bool has_no_number(const std::vector<double>& have) {
  return ranges::any_of(have, [](double one) { return std::isnan(one); });
}

/// The tensor of a rank, of the right type and shape; or what is wrong instead.
const capi::TaskResult* model_tensor(const capi::AgentReport& rank, std::string_view name,
                                     std::string_view what, DType dtype,
                                     const std::vector<Count>& shape, std::string& fault) {
  const auto* got = result_called(rank, name);
  if (got == nullptr) {
    fault = fmt::format("{} is missing", what);
  } else if (kind_in(*got) != to_string(dtype)) {
    fault = fmt::format("{} is {}, it should be a tensor of {}", what,
                        kind_in(*got) == "NoneType" ? "nothing" : kind_in(*got), to_string(dtype));
  } else if (got->shape != shape) {
    fault = fmt::format("{} has shape {}, it should have {}", what, Shape(got->shape).to_string(),
                        Shape(shape).to_string());
  } else {
    return got;
  }
  return nullptr;
}

std::string cut_words(const BlockParameter& parameter, int rank, Count from, Count count) {
  const bool rows = parameter.cut == BlockCut::rows;
  return fmt::format("{} {} to {} of {}{}",
                     rows                ? "rows"
                     : parameter.is_bias ? "elements"
                                         : "columns",
                     rank * from, rank * from + count - 1, parameter.name,
                     parameter.is_bias ? ""
                     : rows            ? ": it is column-parallel"
                                       : ": it is row-parallel");
}

/// The first shard that is wrong, and how many there are of how many.
struct Shards {
  std::string first;
  int all = 0, wrong = 0, cut_otherwise = 0;  ///< cut_otherwise: wrong shapes on one rank.
  void add(std::string says) {
    ++wrong;
    if (first.empty()) first = std::move(says);
  }
};

Shards judge_shards(const CodeCase& one, const std::vector<BlockParameter>& parameters,
                    const std::vector<capi::AgentReport>& ranks) {
  Shards out;
  for (Rank rank = 0; rank < one.ranks; ++rank)
    for (const BlockParameter& parameter : parameters) {
      const std::string name = shard_name(parameter);
      if (name.empty()) continue;
      const Matrix want = shard_of(parameter, rank, one.ranks);
      const std::string what = fmt::format("{} of rank {}", name, rank);
      const Count count = parameter.cut == BlockCut::rows ? want.rows : want.cols;
      const std::string should = cut_words(parameter, rank, count, count);
      std::string fault;
      ++out.all;
      const auto* got = model_tensor(ranks[static_cast<std::size_t>(rank)], "shard " + name, what,
                                     one.dtype, parameter_shape(want, parameter.is_bias), fault);
      if (got == nullptr) {
        out.cut_otherwise += rank == 0 && !parameter.is_bias;
        out.add(fmt::format("{}; it should be {}", fault, should));
      } else if (!all_near(numbers_in(*got), want.at)) {
        out.add(fmt::format("{} is not {}", what, should));
      }
    }
  return out;
}

std::vector<Matrix> block_results(const CodingExercise& exercise, const CodeCase& one,
                                  const std::vector<BlockParameter>& parameters,
                                  const TensorParallelFault& tensor, const UlyssesFault& sequence) {
  if (exercise.call.harness == CodingCall::Harness::tensor_parallel)
    return tensor_parallel(block_size(one), parameters, block_argument(exercise, one, 0), tensor);
  std::vector<Matrix> x;
  for (Rank rank = 0; rank < one.ranks; ++rank) x.push_back(block_argument(exercise, one, rank));
  return ulysses(block_size(one), parameters, x, sequence);
}

bool is_all(const std::vector<std::vector<double>>& have, const std::vector<Matrix>& want) {
  return ranges::equal(have, want, all_near, {}, &Matrix::at);
}

/// A known mistake, and whether it is a slip or another algorithm; empty if none.
struct Mistake {
  std::string_view says;
  bool is_slip = false;
};
/// The known mistake whose results these are.
Mistake block_mistake(const CodingExercise& exercise, const CodeCase& one,
                      const std::vector<BlockParameter>& parameters,
                      const std::vector<std::vector<double>>& have) {
  if (exercise.call.harness == CodingCall::Harness::tensor_parallel) {
    for (const auto& fault : tensor_parallel_faults())
      if (is_all(have, block_results(exercise, one, parameters, fault, {})))
        return {fault.says, !fault.is_other_algorithm()};
  } else {
    for (const auto& fault : ulysses_faults())
      if (is_all(have, block_results(exercise, one, parameters, {}, fault)))
        return {fault.says, !fault.is_other_algorithm()};
  }
  return {};
}

/// No message, or zeros only.
bool sends_nothing(const std::vector<capi::AgentReport>& ranks) {
  return ranges::all_of(ranks, [](const capi::AgentReport& rank) {
    return rank.sent.bytes == 0 || (rank.sent.alike && rank.sent.value == 0);
  });
}

/// The ways to make one loss of the ranks' own ones.
enum class LossOver : std::uint8_t { mean, sum, own };

std::vector<double> combined(const std::vector<std::vector<double>>& losses, LossOver over,
                             Rank rank) {
  std::vector<double> out;
  for (const auto& step : losses) {
    double sum = 0;
    for (const double own : step) sum += own;
    out.push_back(over == LossOver::own   ? step[static_cast<std::size_t>(rank)]
                  : over == LossOver::sum ? sum
                                          : sum / static_cast<double>(step.size()));
  }
  return out;
}

/// Returns the known mistake that gives a rank these losses; empty if none.
std::string loss_mistake(const SgdSize& size, std::uint64_t seed, Rank rank,
                         const std::vector<double>& have) {
  const auto before = sgd_losses(size, seed);
  if (all_near(have, combined(before, LossOver::own, rank)))
    return fmt::format(
        "rank {} returns the losses of its own batches; that of the whole batch is the mean over "
        "all ranks",
        rank);
  if (all_near(have, combined(before, LossOver::own, 0)))
    return fmt::format(
        "rank {} returns the losses of rank 0's batches; that of the whole batch is the mean over "
        "all ranks",
        rank);
  if (all_near(have, combined(before, LossOver::sum, rank)))
    return fmt::format("rank {} returns the sum of the ranks' losses, not divided by N", rank);
  const auto after = sgd_losses(size, seed, LossTime::after_step);
  for (const LossOver over : {LossOver::mean, LossOver::own})
    if (all_near(have, combined(after, over, rank)))
      return fmt::format(
          "rank {} returns losses that were computed after the step; asked for is the loss whose "
          "gradient makes the step",
          rank);
  return {};
}

std::string fault_of_losses(const SgdSize& size, std::uint64_t seed,
                            const std::vector<capi::AgentReport>& ranks) {
  for (Rank rank = 0; rank < size.ranks; ++rank) {
    const auto* got = result_called(ranks[static_cast<std::size_t>(rank)], "losses");
    if (got == nullptr || kind_in(*got) != "float64")
      return fmt::format("rank {} returns {}, it should return the list of the {} losses", rank,
                         got == nullptr || kind_in(*got) == "NoneType" ? "nothing" : "no numbers",
                         size.steps);
    const auto have = numbers_in(*got);
    if (std::ssize(have) != size.steps)
      return fmt::format("rank {} returns {} loss{}, there are {} steps", rank, have.size(),
                         have.size() == 1 ? "" : "es", size.steps);
    const auto want = combined(sgd_losses(size, seed), LossOver::mean, rank);
    if (all_near(have, want)) continue;
    const auto mistake = loss_mistake(size, seed, rank, have);
    if (!mistake.empty()) return mistake;
    return fmt::format("the losses of rank {}: {}", rank, difference(have, want));
  }
  return {};
}

/// By rank, then by parameter.
using SgdResults = std::vector<std::vector<std::vector<double>>>;

bool is_all(const SgdResults& have, const std::vector<SgdParameters>& want) {
  return ranges::equal(have, want, [](const auto& got, const SgdParameters& rank) {
    return ranges::equal(got, rank.of, all_near, {}, &Matrix::at);
  });
}

/// Returns whether results are off from these by rounding only. If a mistake lets parameters grow, rounding grows with
/// them, a millionfold in some and hardly in others, as the inputs have it. How far each one moves, a few trainings with
/// other roundings show. One that moves by its own size says nothing. Of all others most are as near as that: a program
/// with another mistake besides has a quarter of them there or fewer.
bool is_but_for_rounding(const SgdResults& have, const std::vector<SgdParameters>& want,
                         const std::vector<std::vector<SgdParameters>>& rounded) {
  constexpr double kMargin = 10;      // so few roundings seldom show the furthest
  constexpr double kMostMoved = 0.5;  // of a parameter that says something
  constexpr int kFewest = 8;          // an eighth of all
  int all = 0, telling = 0, near = 0;
  for (std::size_t rank = 0; rank < have.size(); ++rank)
    for (std::size_t p = 0; p < kSgdParameters.size(); ++p)
      for (std::size_t i = 0; i < have[rank][p].size(); ++i) {
        const double exact = want[rank].of[p].at[i], size = std::max(1.0, std::abs(exact));
        double moved = 0;
        for (const auto& other : rounded)
          moved = std::max(moved, std::abs(other[rank].of[p].at[i] - exact));
        const double most = std::max(kTolerance * size, kMargin * moved);
        const bool tells = most <= kMostMoved * size;
        ++all;
        telling += tells;
        near += tells && std::abs(have[rank][p][i] - exact) <= most;
      }
  return telling * kFewest >= all && near * 2 > telling;
}

/// Far beyond what a training that converges makes of its first parameters.
bool has_grown(const std::vector<SgdParameters>& ranks) {
  constexpr double kGrown = 10;
  return ranges::any_of(ranks, [](const SgdParameters& rank) {
    return ranges::any_of(rank.of, [](const Matrix& parameter) {
      return ranges::any_of(parameter.at, [](double one) { return std::abs(one) > kGrown; });
    });
  });
}

/// Returns the known mistake with these results; null if none.
const SgdFault* sgd_mistake(const SgdSize& size, std::uint64_t seed, const SgdResults& have) {
  for (const SgdFault& fault : sgd_faults())
    if (is_all(have, sgd(size, seed, fault))) return &fault;
  constexpr std::uint64_t kRoundings = 6;
  for (const SgdFault& fault : sgd_faults()) {
    const auto want = sgd(size, seed, fault);
    if (!has_grown(want)) continue;  // nor has rounding
    std::vector<std::vector<SgdParameters>> rounded;
    for (std::uint64_t draw = 0; draw < kRoundings; ++draw)
      rounded.push_back(sgd(size, seed, fault, draw));
    if (is_but_for_rounding(have, want, rounded)) return &fault;
  }
  return nullptr;
}

}  // namespace

CodeFaults judge_block(const CaseReports& in) {
  CodeFaults out;
  const auto parameters = block_parameters(block_size(in.one), in.one.seed);
  const bool cut = in.exercise.call.harness == CodingCall::Harness::tensor_parallel;
  const Shards shards = cut ? judge_shards(in.one, parameters, in.ranks) : Shards();
  out.shards = shards.first;
  if (shards.all > 0) out.near_shards = 1 - static_cast<double>(shards.wrong) / shards.all;
  std::vector<std::vector<double>> have;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto& report = in.of(rank);
    const auto* got = model_tensor(report, "return", fmt::format("the result of rank {}", rank),
                                   in.one.dtype, in.one.shape.extents(), out.values);
    if (got == nullptr) return out;
    have.push_back(numbers_in(*got));
    const auto* argument = result_called(report, "argument 0");
    if (out.argument.empty() &&
        (argument == nullptr ||
         !ranges::equal(numbers_in(*argument), block_argument(in.exercise, in.one, rank).at)))
      out.argument =
          fmt::format("rank {}'s argument has changed; the function must leave it unchanged", rank);
  }
  const auto want = block_results(in.exercise, in.one, parameters, {}, {});
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const std::string what = difference(have[at], want[at].at);
    if (what.empty()) continue;
    const auto known = block_mistake(in.exercise, in.one, parameters, have);
    out.near_values = known.is_slip ? kOfOneSlip : 0;
    if (!known.says.empty()) {
      out.values = known.says;
    } else if (cut && has_no_number(have[at])) {
      // The wrong part of one layer's weights spoils every number, as using the wrong parts of all of them does.
      out.near_values = shards.cut_otherwise > 1 || sends_nothing(in.ranks) ? 0 : kOfOneSlip;
      out.values = fmt::format(
          "the result of rank {} has NaN: it used a part of a weight or bias that is another "
          "rank's (each rank is given its own part; NaN stands in the others)",
          rank);
    } else {
      out.values = fmt::format("the result of rank {}: {}", rank, what);
    }
    return out;
  }
  return out;
}

CodeFaults judge_sgd(const CaseReports& in) {
  CodeFaults out;
  const SgdSize size = sgd_size(in.exercise, in.one);
  if (asks_for_losses(in.exercise)) out.losses = fault_of_losses(size, in.one.seed, in.ranks);
  const auto want = sgd(size, in.one.seed);
  SgdResults have(in.ranks.size());
  std::string first;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t p = 0; p < kSgdParameters.size(); ++p) {
      const auto& [name, is_bias] = kSgdParameters[p];
      const Matrix& right = want[at].of[p];
      const std::string what = fmt::format("the parameter {} of rank {}", name, rank);
      const auto* got = model_tensor(in.ranks[at], fmt::format("parameter {}", name), what,
                                     in.one.dtype, parameter_shape(right, is_bias), out.values);
      if (got == nullptr) return out;
      have[at].push_back(numbers_in(*got));
      if (has_no_number(have[at].back())) {
        out.values = fmt::format(
            "{} is no number: rows of the data were used that are not this rank's share (they are "
            "NaN there)",
            what);
        out.near_values = kOfOneSlip;
        return out;
      }
      if (const auto other = difference(have[at].back(), right.at); !other.empty() && first.empty())
        first = fmt::format("{}: {}", what, other);
    }
  }
  if (first.empty()) return out;
  out.values = first;
  if (const SgdFault* const fault = sgd_mistake(size, in.one.seed, have)) {
    out.values = fault->says;
    out.known_way = fault->is_other_algorithm() && !sends_nothing(in.ranks);
    out.near_values = fault->is_other_algorithm() ? 0 : kOfOneSlip;
  }
  return out;
}

}  // namespace rankscope
