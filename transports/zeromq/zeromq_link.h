// Frames over ZeroMQ: each rank binds one PULL socket and has one PUSH socket to each peer that it
// sends to, over tcp or ipc (Unix domain sockets).
// No other pattern keeps the order per pair and never drops: PUB and ROUTER drop at a mark, DEALER
// hands messages out in turn.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include <zmq.hpp>

#include "engine/core/message/network_link.h"
#include "transports/zeromq/curve_gate.h"

namespace rankscope {

class ZeromqLink final : public NetworkLink {
 public:
  /// Binds. Throws UserError (see bind_ipc and bind_tcp).
  explicit ZeromqLink(const LinkConfig& config);
  /// Drops what is still queued: call close() before, to flush.
  ~ZeromqLink() override;

  const std::string& endpoint() const noexcept override { return endpoint_; }
  void set_peers(std::vector<std::string> endpoints) override;
  bool close(Deadline deadline) override;
  std::vector<std::string> refused_peers() const override;
  std::uint64_t refused() const noexcept override;

  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override;
  /// Throws CommError (stopped) once the link is closed or abandoned, so that no wait spins on it.
  std::optional<Frame> poll(Deadline deadline) override;
  void wake() noexcept override;
  void abandon() noexcept override;
  bool usable() const noexcept override { return !closed_.load(std::memory_order_acquire); }
  std::size_t lend_from() const noexcept override { return config_.lend_from; }
  LinkCounters counters() const override;

 private:
  struct Counters {
    std::atomic<std::uint64_t> frames_sent{0}, bytes_sent{0}, frames_received{0}, bytes_received{0},
        malformed{0}, wrong_secret{0};
  };
  enum class ReceiveResult { nothing, garbage, woken, frame };

  void bind();
  zmq::socket_t& socket_to(Rank peer);
  void transmit(zmq::socket_t& socket, Rank peer, zmq::message_t&& part, bool more);
  ReceiveResult receive(Frame& frame, Deadline deadline);
  bool take(zmq::message_t&& first, Frame& frame);
  bool plausible(const FrameHeader& header) const noexcept;
  bool wait_for_part(zmq::message_t& part, Deadline deadline);
  void shut(int linger_ms) noexcept;
  [[noreturn]] void throw_closed(Rank peer) const;

  const LinkConfig config_;
  std::string endpoint_;
  std::string file_;  ///< ipc: to be unlinked.
  zmq::context_t context_;
  std::unique_ptr<CurveGate> gate_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> woken_{false};

  std::mutex waking_;  ///< Guards what follows.
  zmq::socket_t waker_;

  std::mutex receiving_;  ///< Guards what follows; held while poll() sleeps.
  zmq::socket_t pull_;
  int longest_wait_ms_ = -1;  ///< As `pull_` has it.

  std::mutex sending_;  ///< Guards what follows.
  std::vector<std::string> peers_;
  std::vector<zmq::socket_t> push_;

  Counters counters_;
};

}  // namespace rankscope
