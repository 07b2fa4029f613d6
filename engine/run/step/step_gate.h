// A rank's side of the step gate: holds its strands before message verbs until they get a permit, and tracks each
// strand's position.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/message/gate.h"

namespace rankscope {

/// A place at which a run stops: all conditions that are set must hold.
struct Breakpoint {
  std::string file;   ///< End of a path ("allreduce_ring.cpp"); empty for any.
  unsigned line = 0;  ///< 0: any line of the file.
  std::string phase;  ///< Name of the innermost phase; empty for any.
  Rank rank = -1;     ///< World rank; -1: any.
  bool matches(Rank at, const GatePoint& point) const noexcept;
};

/// The conductor's orders to a rank's gate.
struct GateOrders {
  bool closed = false;
  double delay_us = 0;  ///< Before each message verb.
  std::vector<Breakpoint> breakpoints = {};
  std::uint64_t number = 0;  ///< Counts the conductor's orders.
  std::uint64_t opened = 0;  ///< The number of the orders by which the user last let the run go.
  bool looks = false;        ///< If closed, also holds a strand whose poll found nothing.
  bool attention() const noexcept { return closed || delay_us > 0 || !breakpoints.empty(); }
};

/// The last conductor messages that a rank had received when it reported: a report based on older orders or permits
/// than the last ones is out of date.
struct GateStamp {
  std::uint64_t orders = 0;   ///< Number of the last orders.
  std::uint64_t permits = 0;  ///< Permits in this job, used or not.
  bool operator==(const GateStamp&) const = default;
};

struct StrandPlace {
  enum class State : std::uint8_t { running, held, blocked };
  State state = State::running;
  GatePoint point = {};      ///< Where it is held or blocked.
  bool hit = false;          ///< Held by a breakpoint.
  std::uint16_t awaits = 0;  ///< Blocked until this strand ends (0: in a verb).
  std::uint64_t opened = 0;  ///< GateOrders::opened when it was held.
};
using StrandPlaces = std::map<std::uint16_t, StrandPlace>;

/// All strands of a rank at one moment.
struct StrandsLook {
  StrandPlaces places;
  std::uint64_t moves = 0;  ///< Counts how often a strand began, ended, fell asleep or woke up.
};

/// A message that a strand received, by the operation that sent it.
struct Receipt {
  OpId send = 0;
  std::uint16_t strand = 0;
};

class StepGate : public Gate {
 public:
  struct Listener {
    virtual ~Listener() = default;
    /// Gets the positions of all strands of the rank, and the messages received since the last call. While the gate is
    /// closed, it is called whenever a strand stops, wakes up or ends, and after orders from the conductor. Called one
    /// at a time, under the gate's lock.
    virtual void on_places(const StrandPlaces& places, const GateStamp& stamp,
                           std::vector<Receipt> received) noexcept = 0;
    /// See StepGate::waits.
    virtual bool waits(Rank to) { return (void)to, false; }
  };
  /// `listener` may be null.
  StepGate(Rank rank, Listener* listener) : rank_(rank), listener_(listener) {}

  /// Orders that open the gate release all held strands, unless their breakpoints hold one that came after the user
  /// last let the run go: then the gate closes again.
  void set(GateOrders orders);
  /// Lets only this operation pass a closed gate, because several strands may be held and none may take another's
  /// permit. 0 lets strands pass whose poll found nothing.
  void permit(OpId op);
  /// Ends every hold of this job; hold() throws CommError::stopped.
  void stop();
  void begin_job();
  StrandsLook look() const;
  /// Returns StrandsLook::moves if each strand sleeps in a verb or waits for another strand; otherwise nothing.
  std::optional<std::uint64_t> asleep() const;

  std::chrono::nanoseconds hold(const GatePoint& point) override;
  void blocked(const GatePoint& point) noexcept override;
  void woke(std::uint16_t strand) noexcept override;
  void received(const Operation& op) noexcept override;
  void strand_begins(std::uint16_t strand) noexcept override;
  void strand_ends(std::uint16_t strand) noexcept override;
  void awaits_strand(const GatePoint& point, std::uint16_t awaited) noexcept override;

  // For foreign programs, whose verbs have more modes than ours.

  /// Returns whether a send to a world rank that need not wait for its receive does so all the same.
  bool waits(Rank to) { return listener_ != nullptr && listener_->waits(to); }
  /// Called after a poll (test, probe) found nothing: holds the strand if the orders say so.
  void poll_found_nothing(std::uint16_t strand);

 private:
  bool stops(const GatePoint& point) const;
  void release_held();
  std::chrono::nanoseconds sit_out_delay(std::unique_lock<std::mutex>& lock);
  void report_places();

  const Rank rank_;
  Listener* const listener_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  GateOrders orders_;  ///< Also closed by a breakpoint, before the conductor knows.
  StrandPlaces places_{{std::uint16_t{0}, {}}};
  std::vector<Receipt> received_;  ///< Not reported yet.
  std::uint64_t all_permits_ = 0;
  std::uint64_t moves_ = 0;  ///< Never reset.
  bool stopped_ = false;
};

}  // namespace rankscope
