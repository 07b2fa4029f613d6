// A trace with everything computed from it, each part once, on its first use.
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

/// A trace with the parts computed from it. Copies share them and may be used from several threads: the first that needs a
/// part computes it while the others wait. References are valid as long as one of the copies exists.
class TraceAnalysis {
 public:
  /// A trace with more events does not keep the rounds that only its statistics need.
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
  /// Returns the first few of each kind; none for a part of a run, because faults depend on the rest.
  const std::vector<Finding>& findings() const;

  enum class Part : std::uint8_t { rounds, cuts, pieces, contributions, statistics, findings };
  /// Returns how often a part was computed, for tests.
  int computed(Part part) const noexcept;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace rankscope
