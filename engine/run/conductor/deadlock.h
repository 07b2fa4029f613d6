// Deadlock: all ranks that have not ended sleep, and no message is under way to any of them, so none can ever wake up.
// A pure state machine: the ranks' reports go in, questions and the verdict come out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/conductor/standstill.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// A deadlock and its explanation.
struct Deadlock {
  std::vector<Rank> cycle;  ///< Each waits for the next one, the last for the first.
  DeadlockText text;        ///< The cycle of waiting ranks, their places, and what to try.
  std::vector<RankFailure> failures;  ///< Every rank that waits, with its line.
};

/// One report per rank does not suffice: the reports are from different moments, and between two of them a message may
/// have passed unnoticed. So every rank is asked again once all have reported that they sleep. No rank moved between
/// its first and its second report, and these two enclose the moment of the last first report: at that moment all
/// slept, and everything sent had arrived.
class DeadlockWatch {
 public:
  explicit DeadlockWatch(int world_size, std::string platform = {});

  /// Notes that a rank ended its part: it no longer sends or receives.
  void ended(Rank rank, std::vector<FrameCount> traffic);
  /// `round` is the number of the question that the report answers; 0 if unasked.
  void add_report(Standstill report, std::uint64_t round);

  /// Returns the ranks to ask now, once each; the question carries round().
  std::vector<Rank> take_questions();
  std::uint64_t round() const noexcept { return round_; }
  /// Returns the deadlock once every rank has confirmed.
  std::optional<Deadlock> verdict() const;

 private:
  struct RankStatusReport {
    bool ended = false;
    bool confirmed = false;
    Standstill report;  ///< Only the traffic if the rank has ended.
  };
  bool may_be_deadlocked() const;
  void ask_if_suspected();

  const std::string platform_;  ///< As in a job: advice uses its terms.
  std::vector<RankStatusReport> rank_reports_;
  std::uint64_t round_ = 0;
  bool asking_ = false;
  std::vector<Rank> questions_;
};

/// Describes a deadlock. `reports` are by rank, with nothing for ranks that have ended.
Deadlock explain_deadlock(const std::vector<std::optional<Standstill>>& reports,
                          std::string_view platform = {});

}  // namespace rankscope
