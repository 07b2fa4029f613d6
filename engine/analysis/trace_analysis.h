// A trace with all that is computed from it, each part once, when it is first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/account/follow_events.h"
#include "engine/account/pieces.h"
#include "engine/analysis/events/rounds.h"
#include "engine/analysis/findings/findings.h"
#include "engine/analysis/statistics.h"

namespace rankscope {

/// A trace with the parts that were computed from it. Copies share them, and may be used from several threads: the first
/// that asks for a part computes it, the others wait. References live as long as one of the copies.
class TraceAnalysis {
 public:
  /// Longer traces keep only the parts that were asked for: the rounds that statistics need are dropped again.
  static constexpr std::uint64_t kManyEvents = 400'000;

  TraceAnalysis() : TraceAnalysis(Trace()) {}
  explicit TraceAnalysis(Trace trace);

  const Trace& trace() const noexcept;
  bool large() const noexcept { return trace().size() > kManyEvents; }

  const std::vector<MessageRecord>& messages() const { return rounds().messages; }
  const Rounds& rounds() const;
  const RoundCuts& cuts() const;
  const Pieces& pieces() const;
  /// Throws UserError for a world of more than account::Contributions::kMostRanks.
  const account::Contributions& contributions() const;
  const Statistics& statistics() const;
  /// The first few of each kind. Empty for a part of a run, whose faults depend on the rest.
  const std::vector<Finding>& findings() const;

  enum class Part : std::uint8_t { rounds, cuts, pieces, contributions, statistics, findings };
  /// The number of times that a part was computed, for tests.
  int computed(Part part) const noexcept;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace rankscope
