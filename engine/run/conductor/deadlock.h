// Deadlock: all ranks that have not ended sleep, and no message is under way to any of them, so none can ever wake up.
// A pure state machine: the ranks' reports go in, questions and the verdict come out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/message/rank_context.h"
#include "engine/run/job/job.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

/// A rank's state at one moment, which it sends to the conductor: this alone can tell a deadlock from a late message.
struct Standstill {
  Rank rank = -1;
  std::uint32_t epoch = 0;
  /// Every strand sleeps, waiting for something that has not happened.
  bool asleep = false;
  std::uint64_t moves = 0;  ///< See StrandsLook.
  std::vector<FrameCount>
      traffic;  ///< By world rank; omits ranks at the end with which nothing was exchanged.
  std::vector<RankView> views;  ///< One per strand.
  std::vector<Endpoint::Unreceived> unreceived;

  FrameCount with(Rank peer) const noexcept;
  /// Returns whether nothing at all has happened on the rank in between.
  bool unchanged_since(const Standstill& earlier) const noexcept;
};

/// Returns the rank's state. Locks the progress engine and the gate for a moment; receives a message if no strand does.
nlohmann::json standstill_json(RankContext& rank, const StepGate& gate);
/// Throws FormatError.
Standstill standstill_of(const nlohmann::json& json, Rank rank, int world_size);

nlohmann::json json_of(const std::vector<FrameCount>& traffic);
/// Throws FormatError.
std::vector<FrameCount> traffic_of(const nlohmann::json& json, int world_size);

struct Deadlock {
  std::vector<Rank> cycle;  ///< Each rank waits for the next, the last for the first; may be empty.
  DeadlockText text;        ///< The cycle of waiting ranks, their places, and what to try.
  std::vector<RankFailure> failures;  ///< Every rank that waits, with its line.
};

/// Decides whether the ranks are deadlocked. One report per rank is not enough, because reports are made at different
/// moments and a message may pass in between. So once every rank has reported that it sleeps, each is asked a second
/// time. If no rank has moved between its two reports, all of them were asleep at the moment when the last of the first
/// reports was made, and every message had arrived by then.
class DeadlockWatch {
 public:
  explicit DeadlockWatch(int world_size, std::string platform = {});

  /// Notes that a rank ended its part: it no longer sends or receives.
  void ended(Rank rank, std::vector<FrameCount> traffic);
  /// `round` is the number of the question that the report answers, or 0 if the rank was not asked.
  void add_report(Standstill report, std::uint64_t round);

  /// Returns the ranks to ask now, once each; the question carries round().
  std::vector<Rank> take_questions();
  std::uint64_t round() const noexcept { return round_; }
  /// Returns the deadlock once every rank that has not ended has confirmed that it has not moved.
  std::optional<Deadlock> verdict() const;

 private:
  struct RankStatusReport {
    bool ended = false;
    bool confirmed = false;
    Standstill report;  ///< Once the rank has ended, only the traffic counts.
  };
  bool may_be_deadlocked() const;
  void ask_if_suspected();

  const std::string platform_;  ///< The job's: advice uses its terms.
  std::vector<RankStatusReport> rank_reports_;
  std::uint64_t round_ = 0;
  bool asking_ = false;
  std::vector<Rank> questions_;
};

/// Describes a deadlock. `reports` are by rank, with nothing for ranks that have ended.
Deadlock explain_deadlock(const std::vector<std::optional<Standstill>>& reports,
                          std::string_view platform = {});

}  // namespace rankscope
