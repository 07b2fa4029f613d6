// A rank's side of the step gate: holds it before message verbs until it gets a permit.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/core/rank_context.h"

namespace rankscope {

/// Where a run is to stop: all conditions that are set must hold.
struct Breakpoint {
  std::string file;   ///< End of a path ("allreduce_ring.cpp"); empty: any.
  unsigned line = 0;  ///< 0: any line of the file.
  std::string phase;  ///< Name of the innermost phase; empty: any.
  Rank rank = -1;     ///< World rank; -1: any.
  bool matches(Rank at, const GatePoint& point) const noexcept;
};

/// What the conductor tells a rank's gate.
struct GateOrders {
  bool closed = false;
  double delay_us = 0;  ///< Before each message verb.
  std::vector<Breakpoint> breakpoints;
  std::uint64_t number = 0;  ///< Counts the conductor's orders.
  bool attention() const noexcept { return closed || delay_us > 0 || !breakpoints.empty(); }
};

/// What a rank had heard of the conductor when it said something: an answer to older orders or
/// permits than the last ones is out of date.
struct GateStamp {
  std::uint64_t orders = 0;   ///< Number of the last orders.
  std::uint64_t permits = 0;  ///< Permits in this job, used or not.
  bool operator==(const GateStamp&) const = default;
};

class StepGate : public Gate {
 public:
  struct Listener {
    virtual ~Listener() = default;
    /// The rank stops before `point`; `hit`: because of a breakpoint. Called on the rank's thread,
    /// again when it has heard of the conductor and still stands there.
    virtual void on_held(const GatePoint& point, bool hit, const GateStamp& stamp) = 0;
    virtual void on_blocked(const Operation& op) noexcept = 0;
  };
  StepGate(Rank rank, Listener* listener) : rank_(rank), listener_(listener) {}

  void set(GateOrders orders);
  /// Lets this operation pass although the gate is closed: a rank's strands stand here side by side,
  /// and none may take what was meant for another.
  void permit(OpId op);
  /// Ends every hold of this job with CommError::stopped.
  void stop();
  void begin_job();
  GateStamp stamp() const;

  std::chrono::nanoseconds hold(const GatePoint& point) override;
  void blocked(const Operation& op) noexcept override;

 private:
  const Rank rank_;
  Listener* const listener_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  GateOrders orders_;
  std::set<OpId> permitted_;  ///< Not used yet.
  std::uint64_t all_permits_ = 0;
  bool stopped_ = false;
};

}  // namespace rankscope
