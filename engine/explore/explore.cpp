// Runs the orders of an exploration, shortens a failing one, replays orders, and says what differs between two runs.
#include "engine/explore/explore.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/explore/shorten.h"

namespace rankscope::explore {
namespace {

/// Says what differs from a run in the default order; nothing where one of the two was not made.
std::vector<std::string> words_beside_default(const Outcome& outcome,
                                              const std::vector<TakenChoice>& taken,
                                              std::uint32_t which, const ExploreSettings& settings,
                                              const RunInOrder& run) {
  InterleavingOrder usual(std::vector<Deviation>(), settings.order);
  const Outcome other = run(which, usual);
  if (!outcome.trace || !other.trace) return {};
  return order_words(other.trace->trace(), outcome.trace->trace(), taken);
}

/// Shortens one failing order.
class Shortening {
 public:
  Shortening(const ExploreSettings& settings, const RunInOrder& run, std::uint32_t which,
             FailureKind kind)
      : settings_(settings), run_(run), which_(which), kind_(std::move(kind)) {}

  FailingOrder shorten_it(std::uint64_t seed, const std::vector<Deviation>& all);
  bool interrupted() const noexcept { return interrupted_; }

 private:
  bool fails(const std::vector<Deviation>& part);
  void lower_levels(std::vector<Deviation>& kept);
  void check_again(FailingOrder& out);

  const ExploreSettings& settings_;
  const RunInOrder& run_;
  const std::uint32_t which_;
  const FailureKind kind_;
  int tests_ = 0;
  bool interrupted_ = false;
};

bool Shortening::fails(const std::vector<Deviation>& part) {
  if (interrupted_) return false;
  if (settings_.on_progress) settings_.on_progress(++tests_, 0, static_cast<int>(part.size()));
  InterleavingOrder order(part, settings_.order);
  const Outcome outcome = run_(which_, order);
  interrupted_ |= outcome.interrupted;
  return outcome.failure == kind_;
}

// One level is easier to describe than several.
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
      if (!out.interleaving.deviations.empty())
        out.words = words_beside_default(outcome, order.taken(), which_, settings_, run_);
      out.outcome = std::move(outcome);
      continue;
    }
    ++out.replays;
    out.failed_again += outcome.failure == kind_ ? 1 : 0;
    out.same_again += outcome.failure == kind_ && order.digest() == digest ? 1 : 0;
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

std::string FailureKind::text() const {
  static constexpr std::array<std::string_view, 12> kWays = {
      "",          "failed",         "deadlock",     "timeout",      "interrupted", "wrong result",
      "wrong log", "wrong argument", "wrong shards", "other output", "rule",        "finding"};
  std::string text(kWays[static_cast<std::size_t>(way)]);
  return name.empty() ? text : text + ": " + name;
}

FailureKind::Way way_of(JobResult::Status status) noexcept {
  using Status = JobResult::Status;
  using Way = FailureKind::Way;
  switch (status) {
    case Status::ok: return Way::none;
    case Status::wrong_result: return Way::wrong_result;
    case Status::failed: return Way::failed;
    case Status::timeout: return Way::timeout;
    case Status::interrupted: return Way::interrupted;
    case Status::deadlock: return Way::deadlock;
  }
  return Way::failed;
}

Exploration explore(const ExploreSettings& settings, const RunInOrder& run) {
  Exploration out;
  struct Candidate {
    std::uint64_t seed;
    FailureKind kind;
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
    const FailureKind& kind = outcome.failure;
    const auto known = ranges::find(out.kinds, kind, &std::pair<FailureKind, int>::first);
    if (known == out.kinds.end()) out.kinds.emplace_back(kind, 1);
    else ++known->second;
    std::vector<Deviation> deviations;
    for (const TakenChoice& one : order.taken()) deviations.push_back(one.deviation);
    if (!best || deviations.size() < best->deviations.size())
      best = Candidate{seed, kind, std::move(deviations)};
  }
  if (!best) return out;
  Shortening shortening(settings, run, case_of_seed(best->seed, settings.ranks), best->kind);
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
  out.words = words_beside_default(out.outcome, out.taken, which, settings, run);
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

namespace {

using finder::TraceOperations;
using Kind = Deviation::Kind;

/// A send by its place in its rank's program: the same in every run that goes the same way until there.
struct SendName {
  Rank from = -1, to = -1;
  std::uint32_t number = 0;
  bool operator==(const SendName&) const = default;
};

/// The send that each receive of a rank got, in the order of the receives.
struct Matches {
  struct Receive {
    std::uint32_t operation = 0;
    std::optional<SendName> got;
  };
  explicit Matches(const Trace& trace) : facts(trace) {
    std::map<std::pair<Rank, Rank>, std::uint32_t> sent;
    for (std::uint32_t k = 0; k < facts.operations.size(); ++k) {
      const finder::Operation& one = facts.operations[k];
      if (one.send) {
        names[k] = {one.rank, one.peer, sent[{one.rank, one.peer}]++};
        by_name[{one.rank, one.peer, names[k].number}] = k;
      }
    }
    for (std::uint32_t k = 0; k < facts.operations.size(); ++k) {
      const finder::Operation& one = facts.operations[k];
      if (one.send || one.sync) continue;
      Receive receive{k, std::nullopt};
      if (const auto name = names.find(one.partner); name != names.end())
        receive.got = name->second;
      by_rank[one.rank].push_back(receive);
    }
  }
  std::string line(std::uint32_t operation) const {
    const auto site = facts.site(facts.operations[operation].posted);
    return site.empty() ? site : fmt::format(" ({})", site);
  }
  std::string line(const SendName& name) const {
    const auto at = by_name.find({name.from, name.to, name.number});
    return at == by_name.end() ? std::string() : line(at->second);
  }

  TraceOperations facts;
  std::map<std::uint32_t, SendName> names;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, std::uint32_t> by_name;
  std::map<Rank, std::vector<Receive>> by_rank;
};

// Describes the first receive that got another message than usual; later differences follow from it.
std::vector<std::string> other_matches(const Matches& usual, const Matches& run) {
  struct Other {
    std::uint64_t event;
    std::string words;
  };
  std::optional<Other> first;
  for (const auto& [rank, receives] : run.by_rank) {
    const auto before = usual.by_rank.find(rank);
    if (before == usual.by_rank.end()) continue;
    for (std::size_t k = 0; k < std::min(receives.size(), before->second.size()); ++k) {
      const auto& now = receives[k];
      const auto& then = before->second[k];
      if (!now.got || !then.got || *now.got == *then.got) continue;
      const auto at = run.facts.operations[now.operation].matched;
      if (first && first->event < at) break;
      const std::string late =
          run.line(*then.got).empty() ? usual.line(*then.got) : run.line(*then.got);
      const bool same_rank = now.got->from == then.got->from;
      first = Other{
          at,
          fmt::format(
              "rank {}'s message to rank {}{} arrives before {}{}: the receive{} gets it",
              now.got->from, rank, run.line(*now.got),
              same_rank ? std::string("its other one") : fmt::format("rank {}'s", then.got->from),
              late, run.line(now.operation))};
      break;
    }
  }
  return first ? std::vector{first->words} : std::vector<std::string>();
}

// Returns the place of a send that waits; `number` counts the program's own sends up to the eager limit.
std::string site_of_wait(const TraceOperations& facts, const Deviation& one) {
  const auto& job = facts.trace.meta().job;
  if (!job) return {};
  const bool buffered = job->transport.mode == SendMode::buffered;
  std::uint32_t number = 0;
  for (const finder::Operation& send : facts.operations) {
    if (!send.send || send.sync || send.built_in || send.rank != one.rank || send.peer != one.to)
      continue;
    if (!buffered && send.bytes > job->transport.eager_limit) continue;
    if (number++ == one.number) return facts.at(send.posted);
  }
  return {};
}

std::string words_of(const TraceOperations& facts, const TakenChoice& taken) {
  const Deviation& one = taken.deviation;
  const auto at = [&] {
    const std::uint32_t known = facts.find(taken.op);
    return known == finder::kNone ? std::string() : facts.at(facts.operations[known].posted);
  };
  switch (one.kind) {
    case Kind::wait:
      return fmt::format(
          "rank {}'s send to rank {}{} waits until the receive is posted, as MPI may do with any "
          "send",
          one.rank, one.to, site_of_wait(facts, one));
    case Kind::late:
      return fmt::format("rank {}'s message to rank {} (sent{}) is late", one.rank, one.to, at());
    case Kind::slow: break;
  }
  return fmt::format("rank {} is slow{}: the others go on first", one.rank, at());
}

}  // namespace

std::vector<std::string> order_words(const Trace& by_default, const Trace& run,
                                     const std::vector<TakenChoice>& taken) {
  const Matches now(run);
  auto out = other_matches(Matches(by_default), now);
  // A different match explains everything except sends that wait.
  const bool matched = !out.empty();
  for (const TakenChoice& one : taken)
    if (!matched || one.deviation.kind == Kind::wait) out.push_back(words_of(now.facts, one));
  return out;
}

}  // namespace rankscope::explore
