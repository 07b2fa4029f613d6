// Runs a program in many orders, counts those in which it fails, and shortens a failing one to the deviations that it
// takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/core/run/outcome.h"
#include "engine/explore/interleaving.h"

namespace rankscope::explore {

/// The way in which a run failed. Explorations count failures by it, and shortening keeps to one.
struct FailureKind {
  enum class Way : std::uint8_t {
    none,  ///< All is right.
    failed,
    deadlock,
    timeout,
    interrupted,
    wrong_result,
    wrong_log,
    wrong_argument,
    wrong_shards,
    other_output,  ///< It prints something else than in the default order.
    rule,          ///< It breaks a rule of an exercise.
    finding        ///< Its trace has a finding.
  };
  Way way = Way::none;
  /// Which one of them: the class of the error ("ValueError"), the kind of rule, the finding. May be empty.
  std::string name;

  explicit operator bool() const noexcept { return way != Way::none; }
  bool operator==(const FailureKind&) const = default;
  /// "deadlock", "wrong result", "failed: ValueError", "rule: ring"; empty when all is right.
  std::string text() const;
};
FailureKind::Way way_of(JobResult::Status status) noexcept;

/// A run's failure with words for people; only the kinds are compared.
struct RunFailure : FailureKind {
  std::string words;
};

struct Outcome {
  RunFailure failure;
  std::optional<TraceAnalysis> trace;  ///< Missing when there was no run.
  std::vector<EventBatch> events;      ///< The trace's, for a file.
  TraceMeta meta;
  bool interrupted = false;
  bool fails() const noexcept { return static_cast<bool>(failure); }
};

/// Makes case `which` of the program's runs in this order.
using RunInOrder = std::function<Outcome(std::uint32_t which, InterleavingOrder& order)>;

struct ExploreSettings {
  std::uint64_t seed = 1;  ///< The first order's seed; each further order takes the next number.
  int orders = 100;
  std::vector<int> ranks;  ///< The number of ranks of each case; case_of_seed() chooses one.
  OrderSettings order;
  int most_tests = 150;  ///< To shorten the failing order with the fewest deviations.
  int replays = 3;       ///< With the shortened order.
  /// Makes programs forget what they keep from run to run; called before each replay. May be null.
  std::function<void()> restart;
  /// While an order is shortened, `done` counts tests, `all` is 0, and `failed` is the number of deviations tried.
  std::function<void(int done, int all, int failed)> on_progress;
};

struct FailingOrder {
  std::optional<std::uint64_t> seed;  ///< Missing for an interleaving that a user gave.
  Interleaving interleaving;          ///< Shortened.
  std::size_t deviations_before = 0;
  bool minimal = false;
  Outcome outcome;                 ///< With the shortened order.
  std::vector<std::string> words;  ///< Differences from the default order, one sentence each.
  int replays = 0, failed_again = 0,
      same_again = 0;     ///< Failed in the same way; also made the same moves.
  Rank left_behind = -1;  ///< A rank that computed for too long to be waited for.
};

struct Exploration {
  int orders = 0;  ///< Orders that were run; fewer than asked for after an interruption.
  int failed = 0;
  std::vector<std::pair<FailureKind, int>> kinds;  ///< In the order of appearance.
  std::vector<std::uint64_t> failing_seeds;
  int inexact = 0;  ///< Runs in which a rank was left behind.
  std::optional<FailingOrder> shortest;
  bool interrupted = false;
};

Exploration explore(const ExploreSettings& settings, const RunInOrder& run);
std::uint32_t case_of_seed(std::uint64_t seed, const std::vector<int>& ranks);

/// One order, run again; `words` says what differs from a run in the default order.
struct Replay {
  Outcome outcome;
  std::vector<TakenChoice> taken;
  std::vector<std::string> words;
  std::uint64_t digest = 0, moves = 0;
  Rank left_behind = -1;
};
Replay replay_seed(std::uint64_t seed, const ExploreSettings& settings, const RunInOrder& run);
Replay replay_interleaving(const Interleaving& interleaving, const ExploreSettings& settings,
                           const RunInOrder& run);

/// Says what differs from the run of the default order (may be empty, or of another length), a
/// sentence for each thing: "rank 2's message to rank 0 (race.py:14) arrives before rank 1's (race.py:12)".
std::vector<std::string> order_words(const Trace& by_default, const Trace& run,
                                     const std::vector<TakenChoice>& taken);

}  // namespace rankscope::explore
