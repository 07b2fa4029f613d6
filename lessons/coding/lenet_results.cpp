// Judges a training of LeNet-5: batches, equality of the ranks, parameters after each step, accuracy.
#include "lessons/coding/lenet_results.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "lessons/coding/result_parts.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {
namespace {

using training::LeNet5Layout;
using training::ParameterInfo;
using Batch = std::vector<std::uint32_t>;
constexpr std::uint64_t kOfBeginning = 2 * LeNet5Layout::kParameters * sizeof(float);  // bytes

/// One rank's training as it was handed in.
struct Trained {
  int steps = 0;  ///< Calls of after_step(); more than those kept, perhaps.
  std::vector<LenetParameters> after;
  std::vector<Batch> batches;
  LenetParameters end;
  Batch looked_at_train, looked_at_test;  ///< After the last step.
  std::optional<double> accuracy;
  std::string returned;  ///< Its kind.
};

/// Returns nothing for anything but a list of pictures' numbers.
std::optional<Batch> pictures_in(const capi::TaskResult* result, Count most) {
  if (result == nullptr || result->dtype != DType::int64) return std::nullopt;
  Batch out;
  for (const double number : numbers_in(*result)) {
    if (!(number >= 0 && number < static_cast<double>(most))) return std::nullopt;
    out.push_back(static_cast<std::uint32_t>(number));
  }
  return out;
}

/// The parameters; or what is wrong with them.
LenetParameters parameters_in(const capi::AgentReport& rank, const std::string& name, Rank number,
                              std::string& fault) {
  const auto* got = result_called(rank, name);
  if (got == nullptr || kind_in(*got) != to_string(DType::float32) ||
      numbers_in(*got).size() != LeNet5Layout::kParameters) {
    fault =
        fmt::format("rank {}'s model no longer has the {} parameters of float32 that it began with",
                    number, LeNet5Layout::kParameters);
    return {};
  }
  const auto values = numbers_in(*got);
  if (!ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    fault = fmt::format("a parameter of rank {} is no number any more ({}): the training diverges",
                        number, name);
    return {};
  }
  return {values.begin(), values.end()};
}

class Training {
 public:
  explicit Training(const CaseReports& in)
      : size_(lenet_size(in.exercise, in.one)),
        seed_(in.one.seed),
        data_(lenet_data(size_, in.one.seed)) {
    for (Rank rank = 0; rank < size_.ranks; ++rank) ranks_.push_back(read(in.of(rank), rank));
    for (const auto& rank : in.ranks) most_sent_ = std::max(most_sent_, rank.sent.bytes);
  }

  CodeFaults judge() {
    CodeFaults out;
    out.batches = judge_batches();
    out.values = fault_;
    if (out.values.empty()) out.values = judge_number_of_steps();
    if (out.values.empty()) out.agree = judge_equality();
    if (out.values.empty()) out.values = judge_parameters();
    if (out.agree.empty() && !out.values.empty() && !compared_) out.agree = out.values;
    out.accuracy = judge_accuracy(compared_ ? "" : out.values);
    out.explains_values = explained_;
    const bool steps = fault_.empty() && !judge_number_of_steps().empty();
    if (explained_ || steps || (compared_ && !out.batches.empty())) out.near_values = kOfOneSlip;
    if (other_algorithm_) out.near_values = 0;
    out.known_way = other_algorithm_ && most_sent_ > 0;
    return out;
  }

 private:
  Trained read(const capi::AgentReport& report, Rank rank) {
    Trained out;
    const auto complain = [&](const std::string& words) {
      if (fault_.empty()) fault_ = words;
    };
    const auto* steps = result_called(report, "steps");
    const auto count = steps == nullptr ? std::vector<double>{} : numbers_in(*steps);
    if (count.size() != 1) complain(fmt::format("nothing came back from rank {}", rank));
    else out.steps = static_cast<int>(std::clamp(count[0], 0.0, 1e6));
    std::string fault;
    for (int k = 0; k < std::min(out.steps, size_.steps); ++k) {
      out.after.push_back(parameters_in(report, fmt::format("after {}", k), rank, fault));
      auto batch = pictures_in(result_called(report, fmt::format("batch {}", k)), size_.pictures);
      if (!batch) complain(fmt::format("rank {} has no list of the pictures of step {}", rank, k));
      else out.batches.push_back(std::move(*batch));
    }
    out.end = parameters_in(report, "end", rank, fault);
    if (!fault.empty()) complain(fault);
    const auto looked = [&](const char* name, Count most) {
      return pictures_in(result_called(report, name), most).value_or(Batch{});
    };
    out.looked_at_train = looked("looked at train", size_.pictures);
    out.looked_at_test = looked("looked at test", size_.test_pictures);
    if (const auto* returned = result_called(report, "return")) {
      out.returned = kind_in(*returned);
      const auto numbers = numbers_in(*returned);
      if ((out.returned == "float" || out.returned == "int") && numbers.size() == 1)
        out.accuracy = numbers[0];
    }
    return out;
  }

  std::string judge_number_of_steps() const {
    for (Rank rank = 0; rank < size_.ranks; ++rank) {
      const int have = of(rank).steps;
      if (have == size_.steps) continue;
      const std::string words =
          fmt::format("rank {} calls after_step() {} times, where {} steps are asked for", rank,
                      have, size_.steps);
      if (have == 0) return words + ": call it at the end of each step";
      if (have == size_.steps + 1)
        return words + ": one step more, as k = 0 ... steps counts both ends";
      if (have == size_.steps - 1) return words + ": one step less";
      return words;
    }
    return {};
  }

  // ---- Which pictures ----

  std::string judge_batches() const {
    std::vector<std::set<std::uint32_t>> shares;
    for (Rank rank = 0; rank < size_.ranks; ++rank) {
      auto words = judge_sizes(rank);
      if (words.empty()) words = judge_repetition(rank);
      if (!words.empty()) return words;
      std::set<std::uint32_t> own;
      for (const Batch& batch : of(rank).batches) own.insert(batch.begin(), batch.end());
      shares.push_back(std::move(own));
    }
    return judge_shares(shares);
  }

  std::string judge_sizes(Rank rank) const {
    const Trained& one = of(rank);
    for (std::size_t k = 0; k < one.batches.size(); ++k) {
      const auto have = static_cast<int>(one.batches[k].size());
      if (have == size_.batch) continue;
      const std::string words =
          fmt::format("rank {} takes {} pictures of `train` in step {}; batch_size is {}", rank,
                      have, k, size_.batch);
      if (have == 0)
        return words + ": take the batch of a step from `train` in that step, before after_step()";
      if (size_.ranks > 1 && have * size_.ranks == size_.batch)
        return words + ": each rank has a batch of batch_size, it is not divided by N";
      if (have == size_.batch * size_.ranks)
        return words + ": each rank takes its own batch only, not those of all ranks";
      if (static_cast<Count>(have) >= size_.pictures / size_.ranks)
        return words + ": a step takes one batch, not all of the data";
      return words;
    }
    return {};
  }

  std::string judge_repetition(Rank rank) const {
    const Trained& one = of(rank);
    std::vector<std::set<std::uint32_t>> seen;
    for (const Batch& batch : one.batches) {
      std::set<std::uint32_t> now(batch.begin(), batch.end());
      if (const auto at = ranges::find(seen, now); at != seen.end())
        return fmt::format("rank {} takes the same batch in the steps {} and {}", rank,
                           at - seen.begin(), seen.size());
      seen.push_back(std::move(now));
    }
    return {};
  }

  std::string judge_shares(const std::vector<std::set<std::uint32_t>>& shares) const {
    for (Rank a = 0; a < size_.ranks; ++a)
      for (Rank b = a + 1; b < size_.ranks; ++b) {
        const auto &one = shares[static_cast<std::size_t>(a)],
                   &other = shares[static_cast<std::size_t>(b)];
        const auto common = ranges::find_if(one, [&](auto at) { return other.contains(at); });
        if (common == one.end()) continue;
        if (one == other)
          return fmt::format(
              "ranks {} and {} train with the same pictures: each rank must use its own, or N "
              "ranks learn no more than one",
              a, b);
        return fmt::format(
            "picture {} is used by rank {} and by rank {}: each rank must use its own", *common, a,
            b);
      }
    return {};
  }

  // ---- The parameters ----

  std::string judge_equality() const {
    for (int k = 0; k < size_.steps; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto& first = of(0).after[at];
      const double movement = distance(first, k == 0 ? lenet_begin(seed_, 0) : of(0).after[at - 1]);
      for (Rank rank = 1; rank < size_.ranks; ++rank)
        if (!alike(of(rank).after[at], first, movement))
          return fmt::format("after step {} rank {} has other parameters than rank 0: {}", k, rank,
                             worst(of(rank).after[at], first));
    }
    return {};
  }

  /// The tensor that is furthest off, relative to its length: "fc3.bias begins with 0.12, there with 0.13".
  static std::string worst(std::span<const double> have, std::span<const double> want) {
    const ParameterInfo* most = nullptr;
    double most_off = 0;
    for (const ParameterInfo& one : LeNet5Layout::parameters()) {
      const auto mine = have.subspan(one.offset, one.count),
                 right = want.subspan(one.offset, one.count);
      const std::vector<double> zeros(one.count);
      const double off = distance(mine, right) / std::max(distance(right, zeros), 1e-30);
      if (most != nullptr && !(off > most_off)) continue;
      most = &one;
      most_off = off;
    }
    std::size_t at = most->offset;
    for (std::size_t i = at; i < most->offset + most->count; ++i)
      if (std::abs(have[i] - want[i]) > std::abs(have[at] - want[at])) at = i;
    return fmt::format("element {} of {} is {:.6g}, not {:.6g}", at - most->offset, most->name,
                       have[at], want[at]);
  }

  std::vector<Batch> batches_of(int k) const {
    std::vector<Batch> out;
    for (const Trained& rank : ranks_) out.push_back(rank.batches[static_cast<std::size_t>(k)]);
    return out;
  }

  std::string judge_parameters() {
    compared_ = true;
    for (int k = 0; k < size_.steps; ++k)
      for (const Batch& batch : batches_of(k))
        if (batch.empty()) return "the steps cannot be computed again: " + judge_batches();
    LenetTraining right(size_, data_, network_, seed_);
    LenetParameters before = lenet_begin(seed_, 0);
    for (int k = 0; k < size_.steps; ++k) {
      right.step(batches_of(k));
      const LenetParameters& want = right.parameters().front();
      const double movement = distance(want, before);
      for (Rank rank = 0; rank < size_.ranks; ++rank) {
        const auto& have = of(rank).after[static_cast<std::size_t>(k)];
        if (!alike(have, want, movement)) return wrong_step(k, rank, before, want);
      }
      before = want;
    }
    for (Rank rank = 0; rank < size_.ranks; ++rank)
      if (of(rank).end != of(rank).after.back())
        return fmt::format("rank {}'s parameters change after the last after_step()", rank);
    return {};
  }

  std::string wrong_step(int k, Rank rank, const LenetParameters& before,
                         const LenetParameters& want) {
    LenetStep step{.before = before, .step_size = size_.step_size, .batch = size_.batch};
    const auto batches = batches_of(k);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      step.gradients.push_back(network_.gradient(before, data_.train, batches[r]));
      step.after.push_back(ranks_[r].after[static_cast<std::size_t>(k)]);
    }
    std::string words = explain_step(step);
    if (words.empty())
      for (const LenetFault& fault : lenet_faults()) {
        if (!words.empty() || !is_training_of(fault)) continue;
        other_algorithm_ = fault.is_other_algorithm();
        words = most_sent_ > kOfBeginning && !fault.says_of_senders.empty() ? fault.says_of_senders
                                                                            : fault.says;
      }
    explained_ = !words.empty();
    if (explained_) return words;
    return fmt::format("after step {} the parameters of rank {} are not those of the algorithm: {}",
                       k, rank, worst(of(rank).after[static_cast<std::size_t>(k)], want));
  }

  bool is_training_of(const LenetFault& fault) {
    // The direction of each of Adam's first steps is the gradient's sign, which float32 turns where it is nearly 0.
    const bool adam = fault.descent == LenetFault::Descent::adam;
    constexpr double kOfAdam = 0.2;
    LenetTraining wrong(size_, data_, network_, seed_, fault);
    for (int k = 0; k < (adam ? 1 : size_.steps); ++k) {
      const auto before = wrong.parameters();
      wrong.step(batches_of(k));
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const auto& want = wrong.parameters()[rank];
        const double movement = distance(want, before[rank]);
        if (adam &&
            !(distance(ranks_[rank].after[static_cast<std::size_t>(k)], want) < kOfAdam * movement))
          return false;
        if (!adam && !alike(ranks_[rank].after[static_cast<std::size_t>(k)], want,
                            distance(want, before[rank])))
          return false;
      }
    }
    if (adam) return true;
    const auto last = wrong.parameters();
    wrong.finish();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto& want = wrong.parameters()[rank];
      if (!alike(ranks_[rank].end, want, distance(want, last[rank]))) return false;
    }
    return true;
  }

  // ---- The accuracy ----

  double share_right(const LenetParameters& at, const LenetPictures& pictures,
                     const Batch& chosen) {
    return static_cast<double>(network_.count_right(at, pictures, chosen)) /
           static_cast<double>(std::max<std::size_t>(chosen.size(), 1));
  }

  std::string judge_accuracy(const std::string& values) {
    if (!values.empty()) return "the parameters are wrong, so that the accuracy means nothing";
    for (Rank rank = 0; rank < size_.ranks; ++rank) {
      const Trained& one = of(rank);
      if (!one.accuracy)
        return fmt::format(
            "rank {} returns {}; it should return the share of the test pictures that the model "
            "gets right, from 0 to 1",
            rank, one.returned == "NoneType" || one.returned.empty() ? "nothing" : one.returned);
      const auto words = judge_share(one);
      if (!words.empty())
        return fmt::format("rank {} returns {:.4g}: {}", rank, *one.accuracy, words);
    }
    return {};
  }

  std::string judge_share(const Trained& one) {
    Batch test(data_.test.size()), train(data_.train.size());
    std::iota(test.begin(), test.end(), 0U);
    std::iota(train.begin(), train.end(), 0U);
    const double have = *one.accuracy, want = share_right(one.end, data_.test, test);
    // float32 may turn a picture whose two best classes are nearly equal.
    const double one_picture = 1.01 / static_cast<double>(test.size());
    const auto is = [&](double share) { return std::abs(have - share) <= 1e-6; };
    if (std::abs(have - want) <= one_picture) return {};
    if (std::abs(have - 100 * want) <= 100 * one_picture)
      return "it is the share in percent; 0.97 is asked for where 97 % are right";
    if (std::abs(have - want * static_cast<double>(test.size())) <= 1.01)
      return "it is the number of test pictures that are right, not their share";
    if (is(share_right(one.end, data_.train, train)) ||
        (!one.looked_at_train.empty() &&
         is(share_right(one.end, data_.train, one.looked_at_train))))
      return "it is the accuracy on training pictures; the pictures of `test` have to be counted, "
             "which no step has seen";
    if (one.looked_at_test.size() < test.size() && !one.looked_at_test.empty() &&
        is(share_right(one.end, data_.test, one.looked_at_test)))
      return "it is the accuracy on a part of the test pictures: all of them count (a sum over the "
             "ranks is needed where each looks at its own part)";
    if (one.looked_at_test.empty()) return "no picture of `test` was looked at after the last step";
    return fmt::format("the model that it trained gets {:.4g} of the test pictures right", want);
  }

  const Trained& of(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  const LenetSize size_;
  const std::uint64_t seed_;
  const LenetData data_;
  LenetNetwork network_;
  std::vector<Trained> ranks_;
  std::string fault_;
  bool compared_ = false, explained_ = false, other_algorithm_ = false;
  std::uint64_t most_sent_ = 0;  ///< Bytes, by one rank.
};

}  // namespace

LenetSize lenet_size(const CodingExercise& exercise, const CodeCase& one) {
  const CodingCall& call = exercise.call;
  return {one.ranks, one.shape[0], call.test_pictures, call.batch_size, call.steps, call.step_size};
}

CodeFaults judge_lenet(const CaseReports& in) { return Training(in).judge(); }

namespace {

using training::LeNet5Layout;
using training::ParameterInfo;

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

LenetParameters local_step(const LenetStep& step, std::size_t rank) {
  LenetParameters out = step.before;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= step.step_size * step.gradients[rank][i];
  return out;
}

/// `value` is a whole number, or 1 over one: "4", "1/4"; else three digits.
std::string ratio_text(double value) {
  const auto whole = [](double x) { return std::abs(x - std::round(x)) < 2e-3 * std::abs(x); };
  if (whole(value)) return fmt::format("{:.0f}", value);
  if (value > 0 && whole(1 / value)) return fmt::format("1/{:.0f}", 1 / value);
  return fmt::format("{:.3g}", value);
}

/// Returns the factor if all ranks have the same multiple of `right` instead of it; otherwise nothing.
std::optional<double> factor_of(const std::vector<LenetParameters>& have,
                                const LenetParameters& right, double tolerance) {
  const double length = product(right, right);
  if (length == 0) return std::nullopt;
  const double factor = product(have.front(), right) / length;
  if (!std::isfinite(factor)) return std::nullopt;
  LenetParameters scaled = right;
  for (double& value : scaled) value *= factor;
  for (const LenetParameters& rank : have)
    if (!(distance(rank, scaled) <= tolerance * std::max(1.0, std::abs(factor))))
      return std::nullopt;
  return factor;
}

bool is_ratio(double have, double want) { return std::abs(have - want) < 2e-3 * std::abs(want); }

/// The sum of the parameters over another number than N.
std::string wrong_divisor(const LenetStep& step, const LenetParameters& right) {
  const auto n = static_cast<double>(step.gradients.size());
  const auto factor = factor_of(step.after, right, kLenetTolerance * distance(right, step.before));
  if (!factor || is_ratio(*factor, 1)) return {};
  if (is_ratio(*factor, n))
    return fmt::format("the sum of the parameters is not divided by N = {:.0f}", n);
  if (is_ratio(*factor, 1 / n))
    return fmt::format("the parameters are divided by N = {:.0f} twice", n);
  return fmt::format("the sum of the parameters is divided by {}, where there are N = {:.0f} ranks",
                     ratio_text(n / *factor), n);
}

/// The right direction, and another length.
std::string wrong_length(const LenetStep& step, const LenetParameters& right) {
  const auto n = static_cast<double>(step.gradients.size());
  LenetParameters wanted = right;
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] -= step.before[i];
  std::vector<LenetParameters> moved = step.after;
  for (LenetParameters& rank : moved)
    for (std::size_t i = 0; i < rank.size(); ++i) rank[i] -= step.before[i];
  constexpr double kOfRounding = 2e-2;  // a short step is rounded more
  const auto factor =
      factor_of(moved, wanted, kOfRounding * std::sqrt(product(wanted, wanted)) / n);
  constexpr double kShortest = 0.01;  // less is no step at all, and rounding
  if (!factor || is_ratio(*factor, 1) || std::abs(*factor) < kShortest) return {};
  if (n > 1 && std::abs(*factor - n) < 1e-2 * n)
    return fmt::format(
        "the sum of the gradients is not divided by N: the step is {:.0f} times as long as it "
        "should be",
        n);
  if (n > 1 && std::abs(*factor * n - 1) < 1e-2)
    return fmt::format(
        "the gradients are divided by N = {:.0f} twice: the step is 1/{:.0f} of what it should be",
        n, n);
  if (*factor < 0)
    return "the step goes up the gradient, not down: the parameters get larger losses";
  if (std::abs(*factor - step.batch) < 1e-2 * step.batch)
    return fmt::format(
        "the step is {} times as long as it should be: the loss is the mean over the "
        "batch's {} pictures, not their sum",
        ratio_text(*factor), step.batch);
  return fmt::format("the step is {} times as long as it should be", ratio_text(*factor));
}

/// Each rank moves along its own gradient, by another length than that of its local step.
std::string own_length(const LenetStep& step) {
  std::optional<double> common;
  for (std::size_t rank = 0; rank < step.after.size(); ++rank) {
    LenetParameters moved = step.after[rank], wanted = local_step(step, rank);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] -= step.before[i];
      wanted[i] -= step.before[i];
    }
    constexpr double kOfRounding = 1e-2, kAlike = 1e-2;
    const double tolerance = kOfRounding * std::sqrt(product(wanted, wanted));
    const auto factor = factor_of({moved}, wanted, tolerance);
    if (!factor || std::abs(*factor) < kAlike || std::abs(*factor - 1) < kAlike ||
        std::abs(*factor - common.value_or(*factor)) > kAlike)
      return {};
    common = factor;
  }
  return fmt::format(
      "each rank makes {} of its own local step, and no other rank's gradient is in it: is an "
      "asynchronous allreduce waited for (work.wait()) before its result is used?",
      ratio_text(*common));
}

/// Some tensors are averaged, and others are each rank's own.
std::string left_out(const LenetStep& step, const LenetParameters& right) {
  std::vector<std::string_view> averaged, own;
  for (const ParameterInfo& one : LeNet5Layout::parameters()) {
    const auto part = [&](const LenetParameters& all) {
      return std::span(all).subspan(one.offset, one.count);
    };
    const double movement = distance(part(right), part(step.before));
    bool is_average = true, is_own = true;
    for (std::size_t rank = 0; rank < step.after.size(); ++rank) {
      const LenetParameters local = local_step(step, rank);
      is_average = is_average && alike(part(step.after[rank]), part(right), movement);
      is_own = is_own && alike(part(step.after[rank]), part(local), movement);
    }
    if (is_average == is_own) return {};
    (is_average ? averaged : own).push_back(one.name);
  }
  if (averaged.empty() || own.empty()) return {};
  return averaged.size() <= own.size()
             ? fmt::format(
                   "only {} {} averaged over the ranks; all of model.parameters() have to be",
                   fmt::join(averaged, ", "), averaged.size() == 1 ? "is" : "are")
             : fmt::format(
                   "{} {} not averaged over the ranks; all of model.parameters() have to be",
                   fmt::join(own, ", "), own.size() == 1 ? "is" : "are");
}

}  // namespace

bool alike(std::span<const double> a, std::span<const double> b, double movement) {
  constexpr double kFloat32 = 3e-7;  // of what float32 rounds, where a step is short
  double length = 0;
  for (const double value : b) length += value * value;
  return distance(a, b) <= kLenetTolerance * movement + kFloat32 * std::sqrt(length);
}

LenetParameters right_step(const LenetStep& step) {
  std::vector<LenetParameters> local;
  for (std::size_t rank = 0; rank < step.gradients.size(); ++rank)
    local.push_back(local_step(step, rank));
  return mean_of(local);
}

std::string explain_step(const LenetStep& step) {
  const LenetParameters right = right_step(step);
  for (const auto& words : {wrong_divisor(step, right), wrong_length(step, right),
                            left_out(step, right), own_length(step)})
    if (!words.empty()) return words;
  return {};
}

}  // namespace rankscope
