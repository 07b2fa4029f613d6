// Frames between processes of one host through shared memory: small payloads in queues, large ones read directly from
// their sender's memory.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/core/base/fd.h"
#include "engine/core/message/network_link.h"
#include "transports/shm/shm_queue.h"
#include "transports/shm/shm_slots.h"

namespace rankscope {

/// Makes the memory of a world, which each rank inherits (LinkConfig::memory_fd). Throws UserError if the system has
/// none.
Fd make_shm_memory(int ranks);

class ShmLink final : public NetworkLink {
 public:
  /// Takes over config.memory_fd. Throws UserError if it is not the memory of such a world.
  explicit ShmLink(const LinkConfig& config);
  /// Uses memory that is already mapped.
  ShmLink(const LinkConfig& config, std::shared_ptr<shm::Memory> memory);
  ~ShmLink() override;

  const std::string& endpoint() const noexcept override { return endpoint_; }
  void set_peers(std::vector<std::string> endpoints) override;
  bool close(Deadline deadline) override;
  std::vector<std::string> refused_peers() const override { return {}; }
  std::uint64_t refused() const noexcept override { return 0; }

  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override;
  /// Throws CommError: `stopped` once the link is closed or abandoned; `protocol` if a rank has written an invalid
  /// frame.
  std::optional<Frame> poll(Deadline deadline) override;
  void wake() noexcept override;
  void abandon() noexcept override;
  bool usable() const noexcept override { return !closed_.load(std::memory_order_acquire); }
  std::size_t lend_from() const noexcept override { return lend_from_; }
  std::shared_ptr<std::byte> memory(std::size_t bytes) override;
  LinkCounters counters() const override { return counters_.now(); }

 private:
  bool place(FrameHeader& wire, std::span<const std::byte> payload, Loan* loan);
  bool next_frame(Frame& frame);
  bool take(Rank from, Frame& frame);
  void collect() noexcept;
  bool look_a_while(std::uint32_t seen, Deadline deadline) const;
  void sleep(std::uint32_t seen, Deadline deadline);
  void settle_loans(Deadline deadline) noexcept;
  [[noreturn]] void throw_closed(Rank peer) const;

  const Rank rank_;
  const std::size_t lend_from_;
  const std::string endpoint_;
  const std::shared_ptr<shm::Memory> memory_;
  const std::shared_ptr<shm::Arena> arena_;
  shm::Bell& bell_;
  std::atomic<bool> closed_{false}, woken_{false};

  std::mutex receiving_;  ///< Guards the fields below; held while poll() sleeps.
  std::vector<shm::QueueReader> from_;
  std::size_t next_ = 0;  ///< The rank whose queue is polled first.

  std::mutex sending_;  ///< Guards the fields below.
  std::vector<shm::QueueWriter> to_;
  shm::Slots slots_;

  AtomicLinkCounters counters_;
};

}  // namespace rankscope
