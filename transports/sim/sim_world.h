// Runs a function on every rank of a world in virtual time, on the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "transports/sim/event_queue.h"
#include "transports/sim/message_ports.h"
#include "transports/sim/shared_transfers.h"
#include "transports/sim/sim_rank.h"

namespace rankscope {

/// An event of a simulation with its subject, in one machine word.
class SimEvent {
 public:
  enum Kind : std::uintptr_t { resume, deliver, flow, release, deadline, failure };
  SimEvent() = default;
  template <class T>
  SimEvent(Kind kind, T* about) noexcept : bits_(reinterpret_cast<std::uintptr_t>(about) | kind) {
    static_assert(alignof(T) >= 8);
  }
  Kind kind() const noexcept { return static_cast<Kind>(bits_ & 7); }
  template <class T>
  T* about() const noexcept {
    return reinterpret_cast<T*>(bits_ & ~std::uintptr_t{7});
  }

 private:
  std::uintptr_t bits_ = 0;
};

class SimWorld : private SharedTransfers::Listener {
 public:
  struct Watch {
    virtual ~Watch() = default;
    /// Polled while events are handled: returns a reason to end the run, or nothing.
    virtual std::optional<std::string> stop_reason() { return std::nullopt; }
    /// Called when no event is left and strands still sleep: the ranks wait for each other.
    virtual void on_deadlock() {}
    /// Called when a rank failed, or (with rank -1) a message was lost, so that all ranks are stopped.
    virtual void on_failure(Rank rank, const std::string& what) { (void)rank, (void)what; }
  };

  /// `sink` and `watch` may be null; `gates` is empty or has one for each rank, which may be null.
  SimWorld(int ranks, SimOptions options, EventSink* sink = nullptr, Watch* watch = nullptr,
           std::span<const std::unique_ptr<Gate>> gates = {});
  ~SimWorld() override;

  /// Each rank starts a job with `settings` and runs `body`. If one throws, the others are stopped, and the first
  /// exception is rethrown; a deadlock throws a CommError.
  void run(const std::function<void(Communicator&)>& body, const RankSettings& settings = {});
  /// The same with a function that starts the job itself, as its epoch kEpoch, and does not throw.
  void run_ranks(const std::function<void(RankContext&)>& body);
  static constexpr std::uint32_t kEpoch = 1;

  /// Ends the run with the current event, without unwinding its ranks: those that have not ended stay where they are,
  /// and the objects on their stacks are never destroyed. For a process that ends soon, because with tens of thousands
  /// of ranks, each exception takes time.
  void abandon(const std::string& reason);
  /// The number of ranks that have not ended.
  int abandoned() const noexcept;
  /// Ends every wait of every rank.
  void stop(const std::string& reason);
  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  SimRank& rank(Rank rank) { return *ranks_.at(static_cast<std::size_t>(rank)); }
  SimTime now() const noexcept { return now_; }
  /// When the last rank ended, in seconds.
  double finish_s() const;
  std::uint64_t messages() const noexcept { return messages_; }
  std::uint64_t events() const noexcept { return queue_.planned(); }

 private:
  friend class SimRank;
  friend class SimLink;
  friend class MessagePorts;
  struct WakeAt {
    SimStrand* strand;
    std::uint64_t sleeps;
  };

  /// The memory that an event of a rank touches first. It is prefetched, because waiting for it would take most of a
  /// simulation's time.
  struct Footprint {
    const void *rank = nullptr, *strand = nullptr, *fiber = nullptr, *stack = nullptr,
               *operation = nullptr;
  };

  void post(const FrameHeader& header, std::span<const std::byte> payload);
  void plan_resume(SimStrand& strand, SimTime at) {
    queue_.plan_strand(at, strand.rank->rank(), strand.id, {SimEvent::resume, &strand});
  }
  /// Gives a message the ports of its reducing tree's link at a switch. Returns false if it does not belong to the
  /// tree.
  bool enter_tree(SimMessage& message) const;
  /// Lets the running strand continue at `at`, and returns then.
  void pass_time(SimTime at);
  void give_way() { running_->fiber->give_way(); }
  void resume(SimStrand& strand);
  void handle_events();
  void prefetch_next() const noexcept;
  /// Gives ports; returns false if the moment is not over yet.
  bool end_moment();
  void begin(PortedMessage* message);
  PortedMessage* awaited_by(Rank rank) const;
  void handle(const EventQueue<SimEvent>::Event& event);
  void arrive(SimMessage* message);
  void hand_over(SimMessage* message, bool goes_on);
  bool end_transfers();
  void look_up();
  void fail(Rank rank, const std::string& what);

  void plan_flow(SimMessage* message, SimTime at) override;
  void plan_release(SimMessage* message, SimTime at) override;
  void plan_arrival(SimMessage* message, SimTime at) override;
  void lost(SimMessage* message, std::string why) override;

  const SimOptions options_;
  Watch* const watch_;
  const MessageTerms terms_;
  MessagePorts ports_;
  std::unique_ptr<SharedTransfers> shared_;  ///< Null if no link is shared.
  bool
      may_overtake_;  ///< A message may overtake an earlier one of its rank, so they are put in order.
  PairOrder order_;
  std::vector<SimMessage*> ready_;
  SimMessages in_flight_;
  EventQueue<SimEvent> queue_;
  SimTime now_;
  FiberStacks stacks_;
  std::vector<std::unique_ptr<SimRank>> ranks_;
  std::vector<Footprint> footprints_;  ///< By rank.
  std::deque<WakeAt> deadlines_;
  SimStrand* running_ = nullptr;
  std::size_t unfinished_ = 0;  ///< Number of strands that have not ended.
  /// Strands whose processes wait for other ranks: one checks whether its process acts, the others wait for their turn.
  struct {
    std::vector<const std::function<bool(bool)>*> waiting;
    std::deque<SimStrand*> turns;
    bool looks = false;
    std::size_t looked = 0;
  } outside_;
  std::uint64_t messages_ = 0, handled_ = 0;
  std::string stop_reason_;
  bool abandoned_ = false;
};

/// Returns a number in [0, 1) that depends only on the two arguments.
double chance(std::uint64_t seed, std::uint64_t number) noexcept;

}  // namespace rankscope
