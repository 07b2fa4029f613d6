// The outcome of a run, and the faults that a grader found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/core/run/cause.h"

namespace rankscope {

/// The first wrong element of an output; `index` is -1 if all elements are right.
struct Mismatch {
  Count index = -1;
  std::string expected, got;
  bool ok() const noexcept { return index < 0; }
};

/// A rank's own report at the end of its part.
struct RankOutcome {
  Rank rank = -1;
  bool ok = false;
  std::string error;  ///< The reason if not ok. Shown by shown_error().
  Cause cause = Cause::none;
  /// The parts of a message's error: "recv: 8 bytes do not fit" and "allreduce_ring.cpp:27".
  std::string reason, site;
  bool checked = false;
  Mismatch mismatch;
  std::uint64_t digest = 0;     ///< XXH3 of the output; equal on ranks that must agree.
  std::vector<double> times_s;  ///< One per timed iteration, this rank's.
  std::int64_t began_ns = 0;    ///< When the first iteration began, on this rank's clock.
  std::uint64_t events = 0;     ///< Number of recorded events.
  std::uint64_t bytes_sent = 0, bytes_received = 0, frames_sent = 0, frames_received = 0;
  std::uint64_t malformed = 0, wrong_secret = 0, stale = 0;  ///< Frames dropped.
  std::uint64_t bytes_copied = 0;  ///< Bytes copied by the link (LinkCounters).
};

/// A lost rank as the conductor saw it from outside.
struct RankFailure {
  Rank rank = -1;
  std::string what;   ///< "was killed by signal 9 (Killed)", "is stopped", "does not answer"
  std::string where;  ///< From its status page: "blocked in recv from rank 2 at file:line".
  std::uint64_t lost_events = 0;
  RankLoss loss = RankLoss::unknown;
};

/// A deadlock's message, in the parts that the user interface shows in different places.
struct DeadlockText {
  std::string headline;  ///< "deadlock: ranks 0 and 1 wait for each other"
  std::string what;      ///< The headline, followed by each rank's position.
  std::string advice;    ///< A suggestion for what to try.
  std::string message() const { return what + ". " + advice; }
};

struct JobResult {
  enum class Status : std::uint8_t { ok, wrong_result, failed, timeout, interrupted, deadlock };
  Status status = Status::failed;
  std::string
      algorithm;        ///< The algorithm that ran: for "allreduce.auto", the one that was chosen.
  std::string message;  ///< One line for a person when not ok.
  Rank failed_rank = -1;  ///< The rank whose error `message` is; -1 if it is no rank's.
  std::optional<DeadlockText> deadlock;  ///< The parts of a deadlock's message.
  std::vector<RankOutcome> ranks;        ///< The ranks that answered.
  /// Lost ranks; after a timeout or deadlock, the position of every rank.
  std::vector<RankFailure> failures;
  double start_s = 0;    ///< From the request to the first rank's first verb.
  double elapsed_s = 0;  ///< From the request to the last answer.
  std::uint64_t events = 0, lost_events = 0;
  std::uint64_t refused = 0;  ///< Messages of strangers that the conductor dropped during the run.
  std::vector<int> pids;      ///< The worker processes, by rank (0: not ours).

  bool ok() const noexcept { return status == Status::ok; }
  /// Returns the slowest rank's time per iteration.
  std::vector<double> times_s() const;
};
std::string_view to_string(JobResult::Status status) noexcept;
std::optional<JobResult::Status> parse_status(std::string_view name) noexcept;

/// A rule that a run breaks, as its grader found.
struct RunFault {
  std::string rule;  ///< The rule's words: the correct behaviour.
  std::string says;  ///< The violation: "step 1: rank 0 sent to rank 2, where rank 1 was expected".
  std::string site;  ///< "my_broadcast.py:22"; may be empty.
  /// The kind of the finding that it reports ("request dropped"); empty if the fault is a grader's own.
  std::string finding;
  Rank rank = -1;
  /// The event's number in the rank's own stream, because positions in a trace may differ between readings.
  std::optional<std::uint32_t> seq;
  bool operator==(const RunFault&) const = default;
};

/// The faults of one run of an exercise, without rules that an earlier run broke. Those at an event come first.
struct RunFaults {
  std::string exercise;  ///< Its title.
  std::string run;       ///< "4 ranks, [8], float32"
  std::vector<RunFault> faults;
  bool operator==(const RunFaults&) const = default;
};

}  // namespace rankscope
