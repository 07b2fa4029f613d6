// One rank of a simulation: its clock, its processor, its strands, and the link that sends its messages.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/message/rank_context.h"
#include "transports/sim/fiber.h"
#include "transports/sim/sim_time.h"

namespace rankscope {

class SimRank;
class SimWorld;

/// A thread of control of a rank's program: the main one, or an asynchronous collective.
struct SimStrand {
  SimRank* rank = nullptr;
  std::uint16_t id = 0;
  std::function<void()> body;
  std::unique_ptr<Fiber> fiber;  ///< Exists from the strand's start to its end.
  bool asleep = false;  ///< In sleep() or join_strand(); also false once its waking is planned.
  std::uint64_t sleeps = 0;  ///< Number of sleeps, to identify deadlines.
  std::span<const OperationPtr> ops;
  std::uint32_t site = 0;    ///< The place where its code waits.
  std::uint16_t awaits = 0;  ///< The strand that it waits for (0: none).
  CallSite awaits_at = {};   ///< The place of that wait.
};

/// Hands a rank's frames to the simulation.
class SimLink : public Link {
 public:
  SimLink(SimWorld& world, Rank rank) : world_(world), rank_(rank) {}
  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override;
  /// Never polled, because the simulation delivers frames.
  std::optional<Frame> poll(Deadline) override { return std::nullopt; }
  void wake() noexcept override {}
  void abandon() noexcept override {}
  std::size_t lend_from() const noexcept override;
  LinkCounters counters() const override { return counters_; }
  void count_received(std::uint64_t bytes) noexcept {
    ++counters_.frames_received;
    counters_.bytes_received += bytes;
  }

 private:
  SimWorld& world_;
  const Rank rank_;
  LinkCounters counters_;
};

class SimRank : public VirtualRank {
 public:
  SimRank(SimWorld& world, Rank rank, int world_size, EventSink* sink, Gate* gate, double slowness);

  RankContext& context() noexcept { return context_; }
  Rank rank() const noexcept { return rank_; }
  /// The main one is the first.
  const std::vector<std::unique_ptr<SimStrand>>& strands() const noexcept { return strands_; }
  bool has_ended() const noexcept { return strands_.size() == 1 && !strands_.front()->body; }
  /// Makes the main strand or another one; it starts as soon as it is resumed.
  SimStrand& add_strand(std::uint16_t id, std::function<void()> body);
  /// Removes it, and wakes the strands that wait for its end.
  void strand_ended(SimStrand& strand);
  /// Delivers a frame. If `goes_on`, a strand that waits for it may continue at once.
  void deliver(Frame&& frame, bool goes_on);
  /// Calls `visit` for each receive that a strand sleeps for.
  template <class Visit>
  void visit_awaited(Visit visit) const {
    for (const auto& strand : strands_)
      if (strand->asleep)
        for (const OperationPtr& op : strand->ops)
          if (op && !op->complete && !is_send(op->where.verb)) visit(*op);
  }
  /// When its last strand ended.
  SimTime ended_at;

  std::int64_t now_ns() const noexcept override;
  void compute(std::chrono::nanoseconds time) override;
  void reduce(std::uint64_t bytes) override;
  void handle_message(std::uint64_t bytes) override;
  void poll_found_nothing() override;
  void sleep(std::span<const OperationPtr> ops, Deadline deadline) override;
  void wake_done() override;
  void wake_all() noexcept override;
  void note_site(std::uint32_t site) noexcept override;
  void start_strand(std::uint16_t strand, std::function<void()> body) override;
  void join_strand(std::uint16_t strand, const CallSite& where) override;
  const ReducingTree* reducing_tree() const noexcept override;
  void look_outside() override;
  void wait_outside(const std::function<bool(bool still)>& ready) override;
  void let_others_come() override;

 private:
  /// Occupies the processor for this long.
  void occupy(SimTime time);
  double jitter();
  void wake(SimStrand& strand);

  SimWorld& world_;
  const Rank rank_;
  const double slowness_;
  SimTime processor_;  ///< When it becomes free.
  std::uint64_t computations_ = 0;
  SimLink link_;
  RankContext context_;
  std::vector<std::unique_ptr<SimStrand>> strands_;
  std::vector<std::unique_ptr<SimStrand>>
      ended_;  ///< Strands that planned deadlines may still name.
};

}  // namespace rankscope
