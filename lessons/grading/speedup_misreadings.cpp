// What a wrong table of k*(N) counts instead of iterations.
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/grading/speedup_answer.h"

namespace rankscope {
namespace {

/// Whether all k that are there are what `expected` says of the world size and the range of its iterations.
bool all_are(const SpeedupQuestion& question, const SpeedupAnswer& answer,
             const std::function<Range99(int ranks, const Range99& iterations)>& expected) {
  int seen = 0;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const auto range = question.reference[i].prediction(question.every);
    if (!answer.k[i] || !range) continue;
    ++seen;
    if (!expected(question.worlds[i], *range).holds(*answer.k[i])) return false;
  }
  return seen > 1;
}

/// An epoch is a pass through all pictures, of all workers together or of each; begun ones may count.
bool are_epochs(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  const auto in_epochs = [&](bool together) {
    return all_are(question, answer, [&, together](int ranks, const Range99& range) {
      const double iterations = question.pictures / question.batch / (together ? ranks : 1);
      return Range99{range.least / iterations, std::ceil(range.most / iterations)};
    });
  };
  return in_epochs(true) || in_epochs(false);
}

bool are_pictures(const SpeedupQuestion& question, const SpeedupAnswer& answer, bool of_all) {
  return all_are(question, answer, [&](int ranks, const Range99& range) {
    const double each = question.batch * (of_all ? ranks : 1);
    return Range99{range.least * each, range.most * each};
  });
}

bool are_of_all_workers(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  return all_are(question, answer, [](int ranks, const Range99& range) {
    return Range99{range.least * ranks, range.most * ranks};
  });
}

/// Numbers with digits behind the point are measured with a clock; so are others that are of the reference's order of
/// magnitude.
bool are_seconds(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  const bool broken =
      ranges::any_of(answer.k, [](const auto& k) { return k && *k != std::floor(*k); });
  if (broken) return true;
  constexpr double kOtherMachine = 10;
  for (std::size_t i = 0; i < question.worlds.size(); ++i) {
    const ReferenceRow& row = question.reference[i];
    if (!answer.k[i]) continue;
    if (row.seconds <= 0 || *answer.k[i] > row.mean() / kOtherMachine ||
        std::abs(std::log(*answer.k[i] / row.seconds)) > std::log(kOtherMachine))
      return false;
  }
  return true;
}

bool is_divided_by_n(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  for (std::size_t i = 0; i < question.worlds.size(); ++i)
    if (!answer.k[i] || !answer.k.front() ||
        std::abs(*answer.k[i] - *answer.k.front() / question.worlds[i]) > 1 + 0.002 * *answer.k[i])
      return false;
  return true;
}

/// All accuracies are multiples of 1 / batch: those of a test set of thousands of pictures are not.
bool is_of_batches(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  constexpr std::size_t kFewest = 6;   // one may be so by chance
  constexpr double kDigits = 0.00006;  // four behind the point
  std::size_t between = 0;
  for (const auto& look : answer.curve) {
    const double each = question.batch * look.ranks;
    const auto is_multiple = [&](double pictures) {
      return std::abs(look.accuracy - std::round(look.accuracy * pictures) / pictures) <= kDigits;
    };
    if (!is_multiple(question.batch) && !is_multiple(each)) return false;
    if (look.accuracy > 0 && look.accuracy < 1) ++between;
  }
  return between >= kFewest;
}

bool are_all_smaller(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  return all_are(question, answer, [](int, const Range99& range) {
    return Range99{0, range.least};
  });
}

}  // namespace

std::string explain_iterations(const SpeedupQuestion& question, const SpeedupAnswer& answer) {
  if (answer.k.empty()) return {};
  if (is_of_batches(question, answer))
    return fmt::format(
        "These are accuracies on training batches: all of the curve's are multiples of 1/{:g}, as "
        "counts of a "
        "batch's pictures are. k* is by the accuracy on the test set.",
        question.batch);
  if (are_epochs(question, answer))
    return fmt::format(
        "These look like epochs. An iteration is one step with one batch of each worker; an epoch "
        "of {:g} "
        "pictures has {:g}/({:g} N) of them.",
        question.pictures, question.pictures, question.batch);
  if (are_seconds(question, answer))
    return "These look like seconds. k*(N) counts iterations, whatever a clock says: the time of a "
           "message is not in it.";
  if (is_divided_by_n(question, answer))
    return "k*(N) is exactly k*(1)/N: that assumes the linear speedup which is to be examined. Run "
           "each world size.";
  if (are_of_all_workers(question, answer))
    return "The steps of all workers are added up. In one iteration all N workers make a step at "
           "the same time: it counts "
           "once.";
  if (are_pictures(question, answer, true) || are_pictures(question, answer, false))
    return fmt::format(
        "These look like numbers of pictures: an iteration takes {:g} of each worker.",
        question.batch);
  if (are_all_smaller(question, answer))
    return fmt::format(
        "All are reached sooner than the spread of our runs explains. Is it the accuracy on "
        "training pictures "
        "that got to {:g}? k* is by the test set, which no step has seen.",
        question.until);
  return {};
}

}  // namespace rankscope
