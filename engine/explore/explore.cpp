// Runs the orders of an exploration and shortens a failing one to its fewest deviations.
#include "engine/explore/explore.h"

#include "engine/core/base/ranges.h"
#include "engine/explore/shorten.h"

namespace rankscope::explore {
namespace {

std::vector<Deviation> deviations_of(const std::vector<TakenChoice>& taken) {
  std::vector<Deviation> out;
  for (const TakenChoice& one : taken) out.push_back(one.deviation);
  return out;
}

/// Has to do with one failing order only.
class Shortening {
 public:
  Shortening(const ExploreSettings& settings, const RunInOrder& run, std::uint32_t which,
             std::string failure)
      : settings_(settings), run_(run), which_(which), failure_(std::move(failure)) {}

  FailingOrder shorten_it(std::uint64_t seed, const std::vector<Deviation>& all);
  bool interrupted() const noexcept { return interrupted_; }

 private:
  bool fails(const std::vector<Deviation>& part);
  void lower_levels(std::vector<Deviation>& kept);
  void check_again(FailingOrder& out);

  const ExploreSettings& settings_;
  const RunInOrder& run_;
  const std::uint32_t which_;
  const std::string failure_;
  int tests_ = 0;
  bool interrupted_ = false;
};

bool Shortening::fails(const std::vector<Deviation>& part) {
  if (interrupted_) return false;
  if (settings_.on_progress) settings_.on_progress(++tests_, 0, static_cast<int>(part.size()));
  InterleavingOrder order(part, settings_.order);
  const Outcome outcome = run_(which_, order);
  interrupted_ |= outcome.interrupted;
  return outcome.failure == failure_;
}

// One level is easier to tell than several.
void Shortening::lower_levels(std::vector<Deviation>& kept) {
  for (Deviation& one : kept) {
    if (one.level == 1) continue;
    auto lower = kept;
    lower[static_cast<std::size_t>(&one - kept.data())].level = 1;
    if (fails(lower)) one.level = 1;
  }
}

void Shortening::check_again(FailingOrder& out) {
  std::uint64_t digest = 0;
  for (int k = 0; k <= settings_.replays && !interrupted_; ++k) {
    if (settings_.restart) settings_.restart();
    InterleavingOrder order(out.interleaving.deviations, settings_.order);
    Outcome outcome = run_(which_, order);
    interrupted_ |= outcome.interrupted;
    if (out.left_behind < 0) out.left_behind = order.left_behind();
    if (k == 0) {
      digest = order.digest();
      InterleavingOrder usual(std::vector<Deviation>(), settings_.order);
      Outcome other;
      if (!out.interleaving.deviations.empty()) other = run_(which_, usual);
      if (outcome.trace && other.trace)
        out.words = order_words(other.trace->trace(), outcome.trace->trace(), order.taken());
      out.outcome = std::move(outcome);
      continue;
    }
    ++out.replays;
    out.failed_again += outcome.failure == failure_ ? 1 : 0;
    out.same_again += outcome.failure == failure_ && order.digest() == digest ? 1 : 0;
  }
}

FailingOrder Shortening::shorten_it(std::uint64_t seed, const std::vector<Deviation>& all) {
  FailingOrder out;
  out.seed = seed;
  out.deviations_before = all.size();
  auto shortened = shorten<Deviation>(
      all, [this](const auto& part) { return fails(part); }, settings_.most_tests);
  lower_levels(shortened.kept);
  out.minimal = shortened.minimal && !interrupted_;
  out.interleaving = {which_, std::move(shortened.kept)};
  ranges::sort(out.interleaving.deviations);
  check_again(out);
  return out;
}

}  // namespace

std::uint32_t case_of_seed(std::uint64_t seed, const std::vector<int>& ranks) {
  return ranks.empty() ? 0 : static_cast<std::uint32_t>(seed % ranks.size());
}

std::string failure_kind(std::string_view status, const std::string& error_class) {
  return std::string(status) + (error_class.empty() ? "" : ": " + error_class);
}

Exploration explore(const ExploreSettings& settings, const RunInOrder& run) {
  Exploration out;
  struct Candidate {
    std::uint64_t seed;
    std::string failure;
    std::vector<Deviation> deviations;
  };
  std::optional<Candidate> best;  // with the fewest deviations
  for (int k = 0; k < settings.orders; ++k) {
    if (settings.on_progress) settings.on_progress(k, settings.orders, out.failed);
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(k);
    const std::uint32_t which = case_of_seed(seed, settings.ranks);
    InterleavingOrder order(seed, settings.ranks.at(which), settings.order);
    const Outcome outcome = run(which, order);
    if (outcome.interrupted) {
      out.interrupted = true;
      return out;
    }
    ++out.orders;
    out.inexact += order.exact() ? 0 : 1;
    if (!outcome.fails()) continue;
    ++out.failed;
    out.failing_seeds.push_back(seed);
    const auto kind = ranges::find(out.kinds, outcome.failure, &std::pair<std::string, int>::first);
    if (kind == out.kinds.end()) out.kinds.emplace_back(outcome.failure, 1);
    else ++kind->second;
    auto deviations = deviations_of(order.taken());
    if (!best || deviations.size() < best->deviations.size())
      best = Candidate{seed, outcome.failure, std::move(deviations)};
  }
  if (!best) return out;
  Shortening shortening(settings, run, case_of_seed(best->seed, settings.ranks), best->failure);
  out.shortest = shortening.shorten_it(best->seed, best->deviations);
  out.interrupted = shortening.interrupted();
  return out;
}

namespace {

Replay replayed(std::uint32_t which, InterleavingOrder& order, const ExploreSettings& settings,
                const RunInOrder& run) {
  Replay out;
  if (settings.restart) settings.restart();
  out.outcome = run(which, order);
  out.taken = order.taken();
  out.digest = order.digest();
  out.moves = order.moves();
  out.left_behind = order.left_behind();
  if (out.taken.empty() || out.outcome.interrupted || !out.outcome.trace) return out;
  InterleavingOrder usual(std::vector<Deviation>(), settings.order);
  const Outcome other = run(which, usual);
  if (other.trace)
    out.words = order_words(other.trace->trace(), out.outcome.trace->trace(), out.taken);
  return out;
}

}  // namespace

Replay replay_seed(std::uint64_t seed, const ExploreSettings& settings, const RunInOrder& run) {
  const std::uint32_t which = case_of_seed(seed, settings.ranks);
  InterleavingOrder order(seed, settings.ranks.at(which), settings.order);
  return replayed(which, order, settings, run);
}

Replay replay_interleaving(const Interleaving& interleaving, const ExploreSettings& settings,
                           const RunInOrder& run) {
  InterleavingOrder order(interleaving.deviations, settings.order);
  return replayed(interleaving.which, order, settings, run);
}

}  // namespace rankscope::explore
