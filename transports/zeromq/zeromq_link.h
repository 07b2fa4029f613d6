// Frames over ZeroMQ: each rank binds one PULL socket and has one PUSH socket to each peer to which it sends, over tcp
// or ipc (Unix domain sockets). Only this pattern keeps the order per pair and never drops: PUB and ROUTER drop at a
// mark, DEALER hands messages out in turn.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include <zmq.hpp>

#include "engine/core/message/network_link.h"
#include "transports/zeromq/curve_gate.h"

namespace rankscope {

class ZeromqLink final : public NetworkLink {
 public:
  /// Binds. Throws UserError (see bind_ipc and bind_tcp).
  explicit ZeromqLink(const LinkConfig& config);
  /// Drops what is still queued; call close() first to flush.
  ~ZeromqLink() override;

  const std::string& endpoint() const noexcept override { return endpoint_; }
  void set_peers(std::vector<std::string> endpoints) override;
  bool close(Deadline deadline) override;
  std::vector<std::string> refused_peers() const override;
  std::uint64_t refused() const noexcept override;

  void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) override;
  /// Throws CommError (stopped) once the link is closed or abandoned, so that waits do not spin on it.
  std::optional<Frame> poll(Deadline deadline) override;
  void wake() noexcept override;
  void abandon() noexcept override;
  bool usable() const noexcept override { return !closed_.load(std::memory_order_acquire); }
  std::size_t lend_from() const noexcept override { return config_.lend_from; }
  LinkCounters counters() const override { return counters_.now(); }

 private:
  /// A rank's address, and the socket to it, which the first send makes.
  struct Peer {
    std::mutex
        sending;  ///< Guards the fields below, so that sends to other peers go on while this one connects.
    std::string endpoint;
    zmq::socket_t socket;
  };
  enum class ReceiveResult { nothing, garbage, woken, frame };

  void bind();
  Peer& peer_at(Rank peer);
  void connect(Peer& peer);
  void transmit(zmq::socket_t& socket, Rank peer, zmq::message_t&& part, bool more);
  ReceiveResult receive(Frame& frame, Deadline deadline);
  bool take(zmq::message_t&& first, Frame& frame);
  bool plausible(const FrameHeader& header) const noexcept;
  bool wait_for_part(zmq::message_t& part, Deadline deadline);
  void shut(int linger_ms) noexcept;
  [[noreturn]] void throw_closed(Rank peer) const;

  const LinkConfig config_;
  std::string endpoint_;
  std::string file_;  ///< ipc: the file to unlink.
  zmq::context_t context_;
  std::unique_ptr<CurveGate> gate_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> woken_{false};

  std::mutex waking_;  ///< Guards the fields below.
  zmq::socket_t waker_;

  std::mutex receiving_;  ///< Guards the fields below; held while poll() sleeps.
  zmq::socket_t pull_;
  int longest_wait_ms_ = -1;  ///< The timeout set on `pull_`.

  std::shared_mutex
      using_peers_;  ///< Guards the fields below: shared by sends, exclusive to set and close.
  std::unique_ptr<Peer[]> peers_;  ///< One per rank of the world; null before set_peers().

  AtomicLinkCounters counters_;
};

}  // namespace rankscope
