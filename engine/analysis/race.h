// Compares runs of one collective: the figures of each, a verdict in words, and the first round in which two of them do
// something different.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// The figures of a run, without internal messages.
struct RaceFigures {
  std::string name;  ///< "ring" of "allreduce.ring".
  int rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< Sent by the rank that sends the most.
  std::uint64_t data = 0;   ///< D, the bytes of the data as a whole; 0 if unknown.
  std::int64_t duration_ns = 0;
};
RaceFigures race_figures(const TraceAnalysis& run);

/// The lanes that need the fewest rounds and send the least, and what that means for short and for long vectors: with
/// T = rounds * alpha + bytes * beta (Chan, Heimlich, Purkayastha, van de Geijn 2007, section 3). A sentence or more.
std::string race_verdict(const std::vector<RaceFigures>& runs);

/// The part of the verdict that says which lane is ahead with short vectors, and which with long ones.
std::string race_advice(const std::vector<RaceFigures>& runs);

/// The first round in which two runs differ.
struct RoundDifference {
  int round = 0;
  Rank rank = -1;       ///< The lowest that does something different.
  bool amount = false;  ///< The same peers, and another number of bytes.
  std::string words;
};
/// The first round in which a rank sends to others, or another amount, than in the other run. Nothing when all rounds
/// are equal.
std::optional<RoundDifference> first_round_difference(const TraceAnalysis& a,
                                                      const TraceAnalysis& b);

/// The progress of a run at a moment of its own rounds, or of its measured time.
struct RaceCount {
  int rounds = 0;              ///< Rounds that are over.
  std::uint64_t messages = 0;  ///< Sent.
  std::uint64_t bytes = 0;     ///< Sent by the rank that has sent the most by then.
  std::int64_t time_ns = 0;
};
/// Counts a run's progress at any moment.
class RaceCounter {
 public:
  explicit RaceCounter(const TraceAnalysis& run);
  RaceCount at_round(double moment) const;
  RaceCount at_time(double us) const;
  /// The moment in rounds that belongs to a measured one, evenly between the ends of two rounds.
  double round_at(double us) const;
  int rounds() const noexcept { return static_cast<int>(ends_ns_.size()) - 1; }
  double duration_us() const noexcept { return static_cast<double>(duration_ns_) / 1e3; }

 private:
  struct Sent {
    int round = 0;
    std::int64_t time_ns = 0;
    Rank from = 0;
    std::uint64_t bytes = 0;
  };
  template <class Counts>
  RaceCount count(Counts counts) const;
  std::vector<Sent> sent_;
  std::vector<std::int64_t> ends_ns_;  ///< By round, from 0; ascending.
  std::int64_t duration_ns_ = 0;
  std::size_t ranks_ = 0;
};

}  // namespace rankscope
