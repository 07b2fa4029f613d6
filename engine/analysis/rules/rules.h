// The rules for a program's schedule. Each is checked on a trace, which shows whether it is kept and where it is first
// broken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/exercise_case.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// A rule with its limits computed for one run.
struct Rule {
  enum class Kind : std::uint8_t {
    no_built_in,  ///< No built-in collective is called except those of `allowed`.
    messages,     ///< Number of all messages.
    sends,        ///< Number of each rank's sends.
    rounds,       ///< Number of rounds at most, as rounds.h counts them.
    bytes,        ///< Bytes that each rank sends: at most, or exactly.
    size,         ///< Each message is a chunk, or the whole tensor.
    ring,  ///< Each rank sends only to one neighbour, in one direction for all; limits count the sends.
    xor_partners,  ///< The k-th message of rank r goes to r XOR 2^k; surplus ranks fold in and out.
    tree,          ///< Up a spanning tree to the root, then down one; each rank up and down once.
    star,          ///< Every message goes to the root or comes from it.
    pairs,         ///< Each rank sends to each other one exactly once.
    once,          ///< From the root to all: each gets one message, from a rank that has the data.
    chain,         ///< Like `once`, but only from r to r + 1.
    participants,  ///< Only the root sends, and only the target receives.
    chunk_order,   ///< The chunk that a rank of a ring sends at each step.
    built_in_calls,  ///< Each rank calls only built-ins of `allowed`, the first `at_most` times.
    groups,  ///< Between groups of `parameter` ranks only the lowest rank of each sends and receives.
    under_way  ///< While a rank is in compute(), built-ins that it began before are under way.
  };
  /// For `ring`. `either` allows both directions, but one for all ranks.
  enum class Direction : std::uint8_t { either, left, right };
  enum class Size : std::uint8_t { chunk, whole };
  enum class Tree : std::uint8_t {
    any,      ///< Any tree; the way down may use another one.
    free,     ///< Like `any`, with any root.
    homework  ///< Rank n sends up to n - 2^(i-1) at step i, and the same edges are used downwards.
  };

  Kind kind = Kind::no_built_in;
  std::optional<double> at_least;  ///< For messages, sends, bytes.
  std::optional<double> exactly,
      at_most;                       ///< For messages, sends, rounds, bytes, ring, built_in_calls.
  std::vector<std::string> allowed;  ///< Built-ins, as "barrier".
  Direction direction = Direction::either;
  Size size = Size::chunk;
  Tree tree = Tree::any;
  bool any_order = false;  ///< For xor_partners: the distances may have any order.
  bool pieces =
      false;  ///< For once, and xor in any order: data for a rank may go in several messages.
  bool all = false;  ///< For under_way: one for each earlier compute(); otherwise one is enough.
  bool built_ins = false;  ///< Messages in built-in collectives also count.
};
inline constexpr int kRuleKinds = 18;
/// "no_built_in", "xor" ...: as lessons write them.
std::string_view to_string(Rule::Kind kind) noexcept;
std::optional<Rule::Kind> parse_rule_kind(std::string_view name) noexcept;
std::vector<std::string> rule_kind_names();

/// Limits which events of a run count for a rule.
struct RuleEvidence {
  bool agent_only = false;  ///< Only what an agent outside of the program saw counts.
  std::string phase = {};   ///< Only events in a phase of this name; empty for all.
  /// By rank, the elements of its argument in its first message, if the message was a copy, so that only its contents
  /// show them.
  std::vector<std::optional<Range>> first_places = {};
};

/// The verdict of a rule on a run.
struct RuleResult {
  bool kept = true;
  /// The trace shows no fault, but not everything; `says` names the gap.
  bool unsure = false;
  /// One sentence on the first divergence, in program order: the same in each run of the program.
  std::string says;
  std::uint64_t event =
      kNoEvent;  ///< The event that breaks the rule; kNoEvent if something is missing.
  Rank rank = -1;
  std::string site;           ///< "ring.py:12"; empty if unknown.
  bool begins_right = false;  ///< For a broken `tree`: the way up is right.
};

/// Judges a run. Internal messages and those in built-in collectives (but see Rule::built_ins) do not count. On several
/// ranks, a program that sends nothing breaks every rule on messages except one that demands none.
RuleResult check_rule(const TraceAnalysis& analysis, const Rule& rule, const ExerciseCase& asked,
                      const RuleEvidence& evidence = {});

}  // namespace rankscope
