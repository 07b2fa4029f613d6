// Deadlock: all ranks that have not ended sleep, and nothing is on its way to any of them. Then nobody
// will ever wake up. A pure state machine: what ranks say goes in, questions and the verdict come out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/conductor/standstill.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// A deadlock as it was found.
struct Deadlock {
  std::vector<Rank> cycle;  ///< Each waits for the next one, the last for the first.
  DeadlockText text;        ///< The cycle of waiting ranks, their places, and what to try.
  std::vector<RankFailure> failures;  ///< Every rank that waits, with its line.
};

/// One report a rank does not do: they are of different moments, and between two of them a message
/// may have gone where nobody looked. So every rank is asked again once all have said that they sleep.
/// Nobody moved from its first to its second report, and these two enclose the moment at which the
/// last first report came: at that moment all slept, and what had been sent had arrived.
class DeadlockWatch {
 public:
  explicit DeadlockWatch(int world_size, std::string platform = {});

  /// A rank that ended its part: it neither sends nor receives any more.
  void ended(Rank rank, std::vector<FrameCount> traffic);
  /// `round`: of the question that it answers; 0: it says so by itself.
  void add_report(Standstill report, std::uint64_t round);

  /// Ranks to be asked now, once each; the question carries round().
  std::vector<Rank> take_questions();
  std::uint64_t round() const noexcept { return round_; }
  /// Once every rank has confirmed.
  std::optional<Deadlock> verdict() const;

 private:
  struct RankStatusReport {
    bool ended = false;
    bool confirmed = false;
    Standstill report;  ///< Only the traffic when the rank has ended.
  };
  bool may_be_deadlocked() const;
  void ask_if_suspected();

  const std::string platform_;  ///< As in a job: advice is given in its words.
  std::vector<RankStatusReport> rank_reports_;
  std::uint64_t round_ = 0;
  bool asking_ = false;
  std::vector<Rank> questions_;
};

/// Puts a deadlock into words. `reports` by rank, nothing for those that have ended.
Deadlock explain_deadlock(const std::vector<std::optional<Standstill>>& reports,
                          std::string_view platform = {});

}  // namespace rankscope
