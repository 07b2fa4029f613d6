// Judges results rank by rank.
#include "lessons/coding/right_ranks.h"

#include <optional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/coding/inputs.h"
#include "lessons/coding/result_parts.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {
namespace {

using Harness = CodingCall::Harness;

const capi::TaskResult* result_of(const CodingExercise& exercise, const capi::AgentReport& rank) {
  const bool worker = exercise.call.harness == Harness::worker;
  return result_called(rank, !exercise.call.in_place ? "return" : worker ? "msg" : "argument 0");
}

bool holds(const capi::TaskResult* got, const CodeCase& one, const std::vector<double>& want) {
  return got != nullptr && kind_in(*got) == to_string(one.dtype) && numbers_in(*got) == want;
}

bool is_right(const CodingExercise& exercise, const CodeCase& one, const capi::AgentReport& report,
              Rank rank) {
  const auto* returned = result_called(report, "return");
  switch (exercise.call.harness) {
    case Harness::function:
    case Harness::worker:
      return holds(result_of(exercise, report), one, expected_values(one, rank));
    case Harness::pass_it_on: {
      double want = passed_on(one);
      for (Rank other = 1; other <= rank; ++other) want += other;
      return returned != nullptr && numbers_in(*returned) == std::vector<double>{want};
    }
    case Harness::send_recv:
      if (rank == one.root || rank == one.target)
        return holds(returned, one, input_of(one, one.root));
      return returned != nullptr && kind_in(*returned) == "NoneType";
    default: return false;
  }
}

/// By rank: whose data has come to it, directly or through others; each number of ranks fits into the bits.
std::vector<std::uint64_t> heard_from(const TraceAnalysis& run, int ranks) {
  struct Step {
    std::uint64_t at = 0;
    std::size_t message = 0;
    bool arrives = false;
  };
  const auto& messages = run.messages();
  std::vector<Step> steps;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageRecord& one = messages[i];
    if (one.sync || one.sent == kNoEvent || one.received == kNoEvent) continue;
    steps.push_back({one.sent, i, false});
    steps.push_back({one.received, i, true});
  }
  ranges::sort(steps, {}, &Step::at);
  std::vector<std::uint64_t> heard, carried(messages.size());
  for (int rank = 0; rank < ranks; ++rank) heard.push_back(std::uint64_t{1} << rank);
  for (const Step& step : steps) {
    const MessageRecord& one = messages[step.message];
    if (!step.arrives) carried[step.message] = heard[static_cast<std::size_t>(one.from)];
    else heard[static_cast<std::size_t>(one.to)] |= carried[step.message];
  }
  return heard;
}

/// The rank whose input all ranks hold.
std::optional<Rank> copied_everywhere(const CodingExercise& exercise, const CodeCase& one,
                                      const std::vector<capi::AgentReport>& ranks) {
  for (Rank source = 0; source < one.ranks; ++source) {
    const auto want = values_for(one, source);
    if (ranges::all_of(ranks, [&](const capi::AgentReport& rank) {
          return holds(result_of(exercise, rank), one, want);
        }))
      return source;
  }
  return std::nullopt;
}

}  // namespace

double share_of_right_ranks(const CodingExercise& exercise, const CodeCase& one,
                            const std::vector<capi::AgentReport>& ranks) {
  int right = 0;
  for (Rank rank = 0; rank < one.ranks; ++rank)
    right += is_right(exercise, one, ranks[static_cast<std::size_t>(rank)], rank);
  return 2 * right < one.ranks ? 0 : static_cast<double>(right) / one.ranks;
}

std::string explain_result_on_one(const CodingExercise& exercise, const CodeCase& one,
                                  const std::vector<capi::AgentReport>& ranks) {
  const auto& call = exercise.call;
  const bool for_all =
      call.collective == Collective::allreduce || call.collective == Collective::allgather;
  if (!for_all || one.ranks < 3) return {};
  std::optional<Rank> only;
  for (Rank rank = 0; rank < one.ranks; ++rank) {
    if (!is_right(exercise, one, ranks[static_cast<std::size_t>(rank)], rank)) continue;
    if (only) return {};
    only = rank;
  }
  if (!only || ranks[static_cast<std::size_t>(*only)].sent.bytes > 0) return {};
  return fmt::format("rank {} alone has the result and sends it to nobody: that is a {}", *only,
                     call.collective == Collective::allreduce ? "reduce" : "gather");
}

void weigh_source(const CodingExercise& exercise, const CodeCase& one,
                  const std::vector<capi::AgentReport>& ranks, const TraceAnalysis& run,
                  CodeFaults& out) {
  constexpr int kMostRanks = 64;  // bits
  const bool sum = exercise.call.collective == Collective::allreduce;
  if (!sum || out.near_values > 0 || one.ranks > kMostRanks || one.ranks < 2) return;
  const auto source = copied_everywhere(exercise, one, ranks);
  if (!source) return;
  const auto heard = heard_from(run, one.ranks);
  const std::uint64_t all = ~std::uint64_t{0} >> (kMostRanks - one.ranks);
  if (heard[static_cast<std::size_t>(*source)] == all) return;
  const auto holder = ranges::find(heard, all);
  if (holder == heard.end()) return;
  out.values +=
      fmt::format("; rank {} has heard from all ranks, but what rank {} has goes to the others",
                  holder - heard.begin(), *source);
  out.near_values = kOfOneSlip;
}

}  // namespace rankscope
