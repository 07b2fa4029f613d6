// Finds the divisor, the step size or the tensors that make a wrong step of distributed SGD.
#include "lessons/coding/lenet_step.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope {
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

/// The factor by which all ranks have a multiple of `right` instead of it; nothing: it is no multiple.
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
        "should "
        "be",
        n);
  if (n > 1 && std::abs(*factor * n - 1) < 1e-2)
    return fmt::format(
        "the gradients are divided by N = {:.0f} twice: the step is 1/{:.0f} of what it "
        "should be",
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
      "asynchronous allreduce waited "
      "for (work.wait()) before its result is used?",
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
