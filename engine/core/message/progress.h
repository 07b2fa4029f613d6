// Drives an Endpoint: one waiting thread drives the link, under one lock; the others wait for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "engine/core/message/endpoint.h"

namespace rankscope {

/// Blocks of one size. Not thread-safe; must outlive the blocks that it hands out.
class BlockPool {
 public:
  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool() {
    for (void* const block : free_) ::operator delete(block);
  }
  void* take(std::size_t bytes) {
    if (free_.empty()) return ::operator new(bytes);
    void* const block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(void* block) { free_.push_back(block); }

 private:
  std::vector<void*> free_;
};

/// For std::allocate_shared, which asks for one size only.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;
  explicit PoolAllocator(BlockPool& pool) noexcept : pool_(&pool) {}
  template <class U>
  PoolAllocator(const PoolAllocator<U>& other) noexcept
      : pool_(&other.pool()) {}  // NOLINT: rebinds
  T* allocate(std::size_t count) { return static_cast<T*>(pool_->take(count * sizeof(T))); }
  void deallocate(T* block, std::size_t) { pool_->give_back(block); }
  BlockPool& pool() const noexcept { return *pool_; }
  bool operator==(const PoolAllocator&) const = default;

 private:
  BlockPool* pool_;
};

class VirtualRank;

class Progress {
 public:
  /// If `virtual_rank` is null, the waiting threads drive the link; otherwise the simulation delivers frames.
  Progress(Rank self, Link& link, Endpoint::Observer& observer,
           VirtualRank* virtual_rank = nullptr);

  void begin_job(std::uint32_t epoch);
  OperationPtr new_operation();
  void post_send(const OperationPtr& op);
  void post_recv(const OperationPtr& op);
  /// Handles what has arrived, without blocking; returns whether the operation is done. Throws the operation's
  /// CommError.
  bool test(const OperationPtr& op);
  /// Returns when the operation is done. Throws CommError: the operation's own, `stopped`, or
  /// `deadline`. `on_block` is called once, before the first time the thread has to sleep.
  void wait(const OperationPtr& op, Deadline deadline, const std::function<void()>& on_block) {
    wait_any({&op, 1}, deadline, on_block);
  }
  /// The same for the first of several operations that is done; returns its index, or ops.size() if all entries are
  /// null. Skips null entries.
  std::size_t wait_any(std::span<const OperationPtr> ops, Deadline deadline,
                       const std::function<void()>& on_block);
  std::optional<Endpoint::Probe> probe(ContextId context, Rank from, Tag tag);
  /// Delivers a frame that has arrived, for a rank in virtual time.
  void deliver(Frame&& frame);
  /// Gives up an operation whose memory is going away; returns when nothing refers to it.
  void abandon(const OperationPtr& op) noexcept;

  /// Makes every wait of job `epoch` (0: the current one) throw CommError::stopped with this reason, even if that job
  /// has not started yet; the same holds for any job up to it that starts later.
  void stop(std::string reason, std::uint32_t epoch = 0) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }

  /// A snapshot of a rank's waits and messages, consistent because it is taken under this engine's lock.
  struct Look {
    std::uint32_t epoch = 0;
    std::size_t asleep = 0;  ///< Threads that sleep in a wait.
    /// None of them can go on: no operation that they wait for is done, or has left and is still lent.
    bool stuck = false;
    std::vector<FrameCount> traffic;
    std::vector<Endpoint::Unreceived> unreceived;  ///< The first 16.
  };
  /// Calls `meanwhile` under the lock, so that its findings belong to the same moment.
  Look look(const std::function<void()>& meanwhile);

  std::uint64_t stale_frames();
  std::size_t unexpected();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Operations = std::span<const OperationPtr>;
  struct Driving;
  struct Asleep;
  /// Not locked in virtual time, where one thread runs all ranks.
  Lock lock();
  bool passed(Deadline deadline) const;
  void drive(Lock& lock, Deadline deadline);
  std::optional<std::size_t> find_done(Operations ops) const;
  void throw_if_failed(const Operation& op) const;
  void sleep(Lock& lock, Deadline deadline);

  const Rank self_;
  Link& link_;
  VirtualRank* const virtual_;
  BlockPool pool_;  ///< For a virtual rank's operations.
  Endpoint endpoint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool driving_ = false;
  int waiters_ = 0;
  std::vector<Operations>
      asleep_;  ///< For each sleeping thread, the operations: it waits for any of them.
  std::uint64_t counter_ = 0;
  std::atomic<bool> stopped_{false};
  std::string stop_reason_;
  std::uint32_t epoch_ = 0;
  std::uint32_t stopped_through_ = 0;  ///< Jobs up to this epoch must not run.
};

}  // namespace rankscope
