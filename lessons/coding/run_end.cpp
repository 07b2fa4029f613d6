// Describes how a run ended: an error, a busy or lost rank, a deadlock, a limit.
#include "lessons/coding/run_end.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/findings/findings.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/outcome.h"
#include "lessons/coding/rank_starter.h"
#include "lessons/coding/results.h"

namespace rankscope {

namespace {

// Ranks that wait for one that raised an error are not to blame.
const capi::AgentReport* raised_first(const CodeRun& run) {
  const auto at = ranges::find_if(run.ranks, [](const capi::AgentReport& rank) {
    return !rank.error.empty() && !rank.error_after_stop;
  });
  return at == run.ranks.end() ? nullptr : &*at;
}

// The first rank with an error, even if it was stopped.
const capi::AgentReport* with_error(const CodeRun& run) {
  const auto at = ranges::find_if(run.ranks, [](const auto& rank) { return !rank.error.empty(); });
  return at == run.ranks.end() ? nullptr : &*at;
}

std::string error_text(const CodeRun& run, const capi::AgentReport& rank) {
  // A starter's function raises it without a message; parts that are lacking say which.
  const std::string& name = rank.error_class;
  const bool starter = name == "NotImplementedError" && rank.error.size() > name.size() &&
                       rank.error[name.size()] == ' ';
  const char* const calls = starter ? " calls what is not written yet" : "";
  return fmt::format("rank {}{}: {}", &rank - run.ranks.data(), calls, rank.error);
}

/// Names the ranks of a run that took too long which are in no call of ours, and since when.
std::string busy_ranks_text(const CodeRun& run) {
  if (!run.trace) return {};
  const finder::TraceOperations facts(run.trace->trace());
  struct Calls {
    bool open = false;
    std::uint64_t last = kNoEvent;
  };
  std::vector<Calls> calls(run.ranks.size());
  for (const finder::Operation& one : facts.operations) {
    Calls& own = calls[static_cast<std::size_t>(one.rank)];
    own.open = own.open || one.completed == kNoEvent;
    own.last = one.posted;
  }
  std::vector<Rank> busy;
  bool silent = true;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    if (run.ranks[rank].finished || calls[rank].open) continue;
    busy.push_back(static_cast<Rank>(rank));
    silent = silent && calls[rank].last == kNoEvent;
  }
  if (busy.empty()) return {};
  const bool several = busy.size() > 1;
  std::string words =
      fmt::format(": {} {}, or {} for something other than a message", rank_list(busy),
                  several ? "compute" : "computes", several ? "wait" : "waits");
  if (silent)
    return words + fmt::format(", and {} sent and received nothing", several ? "have" : "has");
  const std::uint64_t last = calls[static_cast<std::size_t>(busy.front())].last;
  const std::string at = last == kNoEvent ? "" : facts.at(last);
  if (at.empty()) return words;
  return words + fmt::format("; the last call of rank {} is the one{}", busy.front(), at);
}

}  // namespace

CaseRun::Status status_of(const CodeRun& run) {
  using Status = CaseRun::Status;
  if (run.trouble.empty() && raised_first(run) != nullptr) return Status::failed;
  if (run.result.status == JobResult::Status::deadlock) return Status::deadlock;
  if (run.result.status == JobResult::Status::timeout && run.trouble.empty())
    return Status::timeout;
  const bool failed = !run.result.ok() || run.boxes_ended || with_error(run) != nullptr;
  return failed ? Status::failed : Status::ended;
}

std::string failure_of(const CodeRun& run) {
  if (!run.trouble.empty()) return run.trouble;
  if (const auto* rank = raised_first(run)) return error_text(run, *rank);
  if (run.result.status == JobResult::Status::deadlock && run.trace) {
    for (const Finding& one : run.trace->findings())
      if (info(one.kind).blocks) return one.what;
    return run.result.message;
  }
  if (const auto* rank = with_error(run)) return error_text(run, *rank);
  if (run.result.status == JobResult::Status::timeout)
    return run.result.message + busy_ranks_text(run);
  return run.result.message;
}

void tell_first_error(const CodeRun& run, TraceMeta& meta) {
  const auto* const rank = raised_first(run);
  if (!meta.outcome || rank == nullptr || status_of(run) != CaseRun::Status::failed) return;
  meta.outcome->status = JobResult::Status::failed;
  meta.outcome->message = failure_of(run);
  meta.outcome->deadlock.reset();
  meta.outcome->failures.clear();  // where the others waited
  meta.outcome->failed_rank = static_cast<Rank>(rank - run.ranks.data());
}

Cause cause_of(const CodeRun& run) {
  if (!run.trouble.empty()) return run.trouble_cause;
  const auto* first = raised_first(run);
  if (const auto* rank = first == nullptr ? with_error(run) : first)
    return is_lack(rank->error_number) ? Cause::machine : Cause::own;
  if (run.result.status == JobResult::Status::timeout) return Cause::late;
  return run.result.ok() ? Cause::none : Cause::own;
}

std::string error_class_of(const CodeRun& run) {
  if (!run.trouble.empty()) return error_class(run.trouble);  // the program's last output, perhaps
  const auto* first = raised_first(run);
  const auto* rank = first == nullptr ? with_error(run) : first;
  return rank == nullptr ? "" : rank->error_class;
}

std::optional<Rank> came_first(const CodeRun& run) {
  if (!run.trace) return std::nullopt;
  for (const Finding& one : run.trace->findings())
    if (one.kind == Finding::Kind::wildcard && !one.ranks.empty()) return one.ranks.front();
  return std::nullopt;
}

double delay_us(const CodeRun& run, Rank rank, double wanted_us, double timeout_s) {
  std::int64_t verbs = 0;
  for (std::uint64_t k = 0; k < run.trace->trace().size(); ++k)
    verbs += run.trace->trace()[k].rank == rank && run.trace->trace()[k].kind == EventKind::posted;
  return std::min(wanted_us,
                  timeout_s * 1e6 / 3 / static_cast<double>(std::max<std::int64_t>(verbs, 1)));
}

explore::RunFailure failure_in(const CodingExercise& exercise, const CodeCase& one,
                               const CodeRun& run) {
  using Way = explore::FailureKind::Way;
  switch (status_of(run)) {
    case CaseRun::Status::failed: return {{Way::failed, error_class_of(run)}, failure_of(run)};
    case CaseRun::Status::deadlock: return {{Way::deadlock, {}}, failure_of(run)};
    case CaseRun::Status::timeout: return {{Way::timeout, {}}, failure_of(run)};
    case CaseRun::Status::ended: break;
  }
  const CodeFaults faults = judge_results({exercise, one, run.ranks});
  for (const auto& [way, words] : {std::pair{Way::wrong_result, &faults.values},
                                   {Way::wrong_log, &faults.log},
                                   {Way::wrong_argument, &faults.argument},
                                   {Way::wrong_shards, &faults.shards}})
    if (!words->empty()) return {{way, {}}, *words};
  return {};
}

std::uint64_t stopped_at(const CodeRun& run) {
  if (!run.trace) return kNoEvent;
  if (run.result.status == JobResult::Status::deadlock)
    for (const Finding& one : run.trace->findings())
      if (!one.events.empty() && one.events.front() != kNoEvent) return one.events.front();
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    if (run.ranks[rank].error.empty()) continue;
    for (std::uint64_t k = run.trace->trace().size(); k-- > 0;)
      if (run.trace->trace()[k].rank == static_cast<Rank>(rank) && run.trace->trace()[k].site != 0)
        return k;
  }
  return kNoEvent;
}

bool may_be_slip(const CodeRun& run) {
  if (status_of(run) == CaseRun::Status::deadlock) return true;
  const auto* rank = raised_first(run);
  return rank != nullptr && (rank->error_class == "UsageError" || rank->error_class == "SelfSend");
}

std::string unwaited(const CodeRun& run) {
  if (!run.trace) return {};
  std::string words;
  for (const Finding& one : run.trace->findings()) {
    if (one.kind != Finding::Kind::request_dropped || one.events.empty()) continue;
    const bool receive = run.trace->trace()[one.events.front()].verb == Verb::recv;
    if (receive || words.empty()) words = "; " + one.what;
    if (receive) break;
  }
  return words;
}

}  // namespace rankscope
