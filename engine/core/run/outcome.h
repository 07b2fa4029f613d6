// The outcome of a run with its cause, by which code decides (the words are for people), and the faults that a grader found.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// The cause that ended a rank's part, a run, or a program started for one.
enum class Cause : std::uint8_t {
  none,
  own,            ///< An error of the rank's own.
  communication,  ///< An error in one of its messages; the words name the rank: "rank 2 at ring.cpp:7: ...".
  stopped,  ///< Stopped because another rank had failed or the run could not go on.
  machine,  ///< The machine lacked memory, processes, files or disk, or a connection failed.
  limit,    ///< It exceeded a limit: processor time, memory, processes, output.
  late,     ///< It did not end in time, possibly because the machine was busy.
  others,   ///< Another process ended it, or kept it from starting.
  user      ///< A user stopped it.
};
std::string_view to_string(Cause cause) noexcept;
Cause cause_of(const std::exception& error) noexcept;
/// Derives the cause from words alone: those of a program through the C interface, and of traces that record nothing
/// more. The only code that reads such words. Returns none for an empty text.
Cause cause_of(Rank rank, std::string_view error) noexcept;
/// Returns the cause of this name, or the one that the words imply if the name is unknown.
Cause cause_of(std::string_view name, Rank rank, std::string_view error) noexcept;
/// Returns whether an error begins with the rank's name, "rank 1: ..." or "rank 1 at ring.cpp:27: ...", as errors of
/// messages do. An error of rank 12 does not count as rank 1's.
bool names_rank(Rank rank, std::string_view error) noexcept;
/// Returns the error class that a Python or C++ program's own words name: "ValueError" for "ValueError: 3 (a.py:3)".
/// Returns an empty text if they name none. For code that takes these words from the program.
std::string error_class(std::string_view words);
/// Returns "rank 2: out of memory", naming the rank once. Without a cause, it is derived from the words.
std::string shown_error(Rank rank, Cause cause, std::string_view error);

/// The way in which a rank was lost, as the conductor saw it from outside.
enum class RankLoss : std::uint8_t {
  unknown,
  killed,  ///< By a signal.
  ended    ///< It had finished its part (in a run that took too long).
};
std::string_view to_string(RankLoss loss) noexcept;
/// Returns the loss of this name, or the one that the failure's words imply if the name is unknown (older traces).
RankLoss loss_of(std::string_view name, std::string_view what) noexcept;

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
