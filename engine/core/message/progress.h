// Moves an Endpoint on: the thread that waits drives the link, under one lock; others wait for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "engine/core/message/endpoint.h"
#include "engine/core/message/operation_pool.h"

namespace rankscope {

class VirtualRank;

class Progress {
 public:
  /// `virtual_rank`: null: the waiting threads drive the link; else frames are delivered by the simulation.
  Progress(Rank self, Link& link, Endpoint::Observer& observer,
           VirtualRank* virtual_rank = nullptr);

  void begin_job(std::uint32_t epoch);
  OperationPtr new_operation();
  void post_send(const OperationPtr& op);
  void post_recv(const OperationPtr& op);
  /// True when done; handles what has arrived, without blocking. Throws the operation's CommError.
  bool test(const OperationPtr& op);
  /// Returns when the operation is done. Throws CommError: the operation's own, `stopped`, or
  /// `deadline`. `on_block` is called once, before the first time the thread has to sleep.
  void wait(const OperationPtr& op, Deadline deadline, const std::function<void()>& on_block) {
    wait_any({&op, 1}, deadline, on_block);
  }
  /// The same for the first of several operations that is done; returns its index. Null ones are
  /// passed over.
  std::size_t wait_any(std::span<const OperationPtr> ops, Deadline deadline,
                       const std::function<void()>& on_block);
  std::optional<Endpoint::Probe> probe(ContextId context, Rank from, Tag tag);
  /// Of a rank in virtual time: a frame has arrived.
  void deliver(Frame&& frame);
  /// Gives up an operation whose memory is going away; returns when nothing refers to it any more.
  void abandon(const OperationPtr& op) noexcept;

  /// Every wait of the job `epoch` (0: the current one) throws CommError::stopped with this reason,
  /// also when that job has not begun yet; so do those of any job up to it that begins later.
  void stop(std::string reason, std::uint32_t epoch = 0) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }

  /// What only the lock of this engine can tell of a rank that stands still, at one moment.
  struct Look {
    std::uint32_t epoch = 0;
    std::size_t asleep = 0;  ///< Threads that sleep in a wait.
    /// None of them can go on: nothing that they wait for is done, or has left and is still lent.
    bool stuck = false;
    std::vector<FrameCount> traffic;
    std::vector<Endpoint::Unreceived> unreceived;
  };
  /// `meanwhile` is called under the lock, so that what it finds is of the same moment.
  Look look(const std::function<void()>& meanwhile);

  std::uint64_t stale_frames();
  std::size_t unexpected();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Operations = std::span<const OperationPtr>;
  struct Driving;
  struct Asleep;
  /// Unlocked in virtual time, where one thread runs all ranks.
  Lock lock();
  bool passed(Deadline deadline) const;
  void drive(Lock& lock, Deadline deadline);
  std::optional<std::size_t> find_done(Operations ops) const;
  void throw_if_failed(const Operation& op) const;
  void sleep(Lock& lock, Deadline deadline);

  const Rank self_;
  Link& link_;
  VirtualRank* const virtual_;
  BlockPool pool_;  ///< Of a virtual rank's operations.
  Endpoint endpoint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool driving_ = false;
  int waiters_ = 0;
  std::vector<Operations> asleep_;  ///< What each thread that sleeps waits for one of.
  std::uint64_t counter_ = 0;
  std::atomic<bool> stopped_{false};
  std::string stop_reason_;
  std::uint32_t epoch_ = 0;
  std::uint32_t stopped_through_ = 0;  ///< Jobs up to this epoch are not to run.
};

}  // namespace rankscope
