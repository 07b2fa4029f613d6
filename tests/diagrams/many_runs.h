// Runs of each kind that diagrams have to show: right, uneven, stuck, wrong, and with a rank that died.
#pragma once

#include <array>
#include <string>

#include <fmt/format.h>

#include "tests/support/job_traces.h"
#include "tests/support/made_up_run.h"

namespace rankscope::test {

/// What came of a run that lost a rank.
inline JobResult lost(Rank rank) {
  JobResult result;
  result.failures.push_back({rank, "was killed by signal 9 (Killed)", "", 0});
  return result;
}

/// Each waits for the next one's message.
inline Trace stuck_run_of(int ranks) {
  MadeUpRun run(ranks);
  for (Rank r = 0; r < ranks; ++r) run.post(Verb::recv, r, (r + 1) % ranks, 1000 + r);
  run.meta.outcome.emplace().status = JobResult::Status::deadlock;
  run.meta.complete = true;
  return run.trace();
}

/// Each sends to the next one first, and none has come to its receive.
inline Trace run_of_sends(int ranks) {
  MadeUpRun run(ranks);
  for (Rank r = 0; r < ranks; ++r) run.post(Verb::send, r, (r + 1) % ranks, 1000 + r);
  run.meta.outcome.emplace().status = JobResult::Status::deadlock;
  run.meta.complete = true;
  return run.trace();
}

/// Pairs that wait for each other; the last rank waits for the first, and the one before it has ended.
inline Trace run_of_pairs(int ranks) {
  MadeUpRun run(ranks);
  for (Rank r = 0; r + 2 < ranks; ++r)
    run.post(Verb::recv, r, (r ^ 1) < ranks - 2 ? r ^ 1 : 0, 1000 + r);
  run.post(Verb::recv, ranks - 1, 0, 3000);
  run.end(ranks - 2, 4000);
  run.meta.outcome.emplace().status = JobResult::Status::deadlock;
  run.meta.complete = true;
  return run.trace();
}

inline Trace run_with_lost_rank(int ranks) {
  MadeUpRun run(ranks);
  for (Rank r = 0; r < ranks; ++r) run.message(r, (r + 1) % ranks, 1000 + r, 5000 + r);
  run.post(Verb::recv, 0, ranks - 1, 9000);
  run.meta.outcome = lost(1);
  run.meta.complete = true;
  return run.trace();
}

/// A ring that ends before the last rank's part has come to rank 1: the ranks 1 to ranks - 2 lack some.
inline Trace run_with_wrong_result(int ranks) {
  JobSpec spec;
  spec.call.algorithm = "allreduce.schedule";
  spec.world.size = ranks;
  spec.call.shape = {2 * ranks};
  spec.call.dtype = DType::int64;
  spec.transport.name = "inproc";
  std::string moves;
  int step = 0;
  for (int r = 0; r + 1 < ranks; ++r)
    moves += fmt::format("{}: {} -> {} chunk 1 add; ", ++step, r, r + 1);
  moves += fmt::format("{}: {} -> 0 chunk 1 keep", step + 1, ranks - 1);
  spec.call.schedule = moves;
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  if (result.status != JobResult::Status::wrong_result)
    throw std::runtime_error("the schedule was to give a wrong result: " + result.message);
  TraceMeta meta = meta_of(spec);
  add_outcome(meta, runner, result);
  meta.outcome = result;
  meta.complete = true;
  return make_trace(sink.take(), meta);
}

inline constexpr const char* kHeldRun = "live held";

inline constexpr std::array<const char*, 12> kManyRuns = {
    "allreduce.ring",    "allreduce.bde",          "broadcast.binomial",
    "alltoall.pairwise", "allreduce.hierarchical", "uneven ring",
    "deadlock",          "wrong result",           "lost rank",
    "blocked sends",     "pairs that wait",        kHeldRun};

/// Of all kinds but kHeldRun, which is no run alone: see growing_run.h.
inline Trace run_of(const std::string& name, int ranks) {
  if (name == "deadlock") return stuck_run_of(ranks);
  if (name == "blocked sends") return run_of_sends(ranks);
  if (name == "pairs that wait") return run_of_pairs(ranks);
  if (name == "lost rank") return run_with_lost_rank(ranks);
  if (name == "wrong result") return run_with_wrong_result(ranks);
  if (name == "uneven ring") return trace_of_job("allreduce.ring", ranks, 2 * ranks - 3);
  return trace_of_algorithm(name, ranks, 1);
}

}  // namespace rankscope::test
