// Sends, polls and receives frames over ZeroMQ sockets, and reports refused and lost peers.
#include "transports/zeromq/zeromq_link.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/message/before_sleep.h"
#include "transports/zeromq/zmq_util.h"

static_assert(std::endian::native == std::endian::little, "FrameHeader goes out as it lies");

namespace rankscope {
namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
/// Payloads up to this size share a message with the header. A second part costs
/// a third more CPU time per message at 512 bytes, a sixth more at 8 KiB.
constexpr std::size_t kInline = 8192;

void release_loan(void*, void* loan) { static_cast<Loan*>(loan)->release(); }
void free_message(void* message) noexcept { delete static_cast<zmq::message_t*>(message); }

struct ReleaseLoan {
  void operator()(Loan* loan) const noexcept { loan->release(); }
};

/// Returns a lease on a part from `offset` on.
Message lease(zmq::message_t&& part, std::size_t offset) {
  // Moved before its address is taken, because the data of a small message lies in the object itself.
  auto* owner = new zmq::message_t(std::move(part));
  auto* data = static_cast<std::byte*>(owner->data());
  return {{data + offset, owner->size() - offset}, owner, &free_message};
}
}  // namespace

ZeromqLink::ZeromqLink(const LinkConfig& config)
    : config_(config), context_(make_zmq_context(config.io_threads)) {
  if (config_.keys) gate_ = std::make_unique<CurveGate>(context_, config_.keys->public_key);
  pull_ = make_zmq_socket(context_, zmq::socket_type::pull);
  if (config_.keys) {
    set_curve_server(pull_, *config_.keys);
    gate_->watch(pull_);
  }
  if (config_.socket_buffer > 0) pull_.set(zmq::sockopt::rcvbuf, config_.socket_buffer);
  bind();
  // An empty message from within this process ends a wait: a second descriptor to wait for would cost two
  // more system calls for each message.
  constexpr const char* kWake = "inproc://wake";
  pull_.bind(kWake);
  waker_ = make_zmq_socket(context_, zmq::socket_type::push);
  waker_.connect(kWake);
}

ZeromqLink::~ZeromqLink() { shut(0); }

void ZeromqLink::bind() {
  if (config_.transport == "ipc") {
    const auto path =
        std::filesystem::path(config_.directory) / fmt::format("r{}.data", config_.rank);
    endpoint_ = bind_ipc(pull_, path.string());
    file_ = endpoint_.substr(std::string_view("ipc://").size());
  } else if (config_.transport == "tcp") {
    endpoint_ =
        bind_tcp(pull_, config_.host, config_.port, config_.keys.has_value(), config_.advertise);
  } else {
    throw UserError(fmt::format("ZeroMQ carries ipc and tcp, not \"{}\"", config_.transport));
  }
}

void ZeromqLink::set_peers(std::vector<std::string> endpoints) {
  if (endpoints.size() != static_cast<std::size_t>(config_.world_size))
    throw UserError(fmt::format("{} endpoints for {} ranks", endpoints.size(), config_.world_size));
  for (const auto& endpoint : endpoints) check_endpoint(endpoint, config_.keys.has_value());
  const std::lock_guard lock(using_peers_);
  peers_ = std::make_unique<Peer[]>(endpoints.size());
  for (std::size_t rank = 0; rank < endpoints.size(); ++rank)
    peers_[rank].endpoint = std::move(endpoints[rank]);
}

ZeromqLink::Peer& ZeromqLink::peer_at(Rank peer) {
  if (peer < 0 || peer >= config_.world_size || peers_ == nullptr)
    throw CommError(CommError::Reason::peer_lost, config_.rank, peer, {},
                    fmt::format("the address of rank {} is not known", peer));
  return peers_[static_cast<std::size_t>(peer)];
}

void ZeromqLink::connect(Peer& peer) {
  auto fresh = make_zmq_socket(context_, zmq::socket_type::push);
  if (config_.keys) set_curve_client(fresh, *config_.keys);
  if (config_.socket_buffer > 0) fresh.set(zmq::sockopt::sndbuf, config_.socket_buffer);
  fresh.set(zmq::sockopt::ipv6, peer.endpoint.find('[') != std::string::npos);
  ConnectionTuning tuning;
  if (config_.transport == "ipc") tuning.send_buffer = config_.ipc_send_buffer;
  else tuning.unpaced = is_loopback_endpoint(peer.endpoint);
  if (tuning.any()) connect_tuned(context_, fresh, peer.endpoint, tuning);
  else fresh.connect(peer.endpoint);
  peer.socket = std::move(fresh);
}

void ZeromqLink::send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) {
  std::unique_ptr<Loan, ReleaseLoan> guard(loan);
  const std::shared_lock using_peers(using_peers_);
  if (closed_.load(std::memory_order_acquire)) throw_closed(header.dst);
  Peer& peer = peer_at(header.dst);
  const std::lock_guard sending(peer.sending);
  try {
    if (peer.socket.handle() == nullptr) connect(peer);
    auto& socket = peer.socket;
    const bool together = loan == nullptr && payload.size() <= kInline;
    zmq::message_t first(sizeof header + (together ? payload.size() : 0));
    FrameHeader wire = header;
    wire.secret = config_.secret;
    std::memcpy(first.data(), &wire, sizeof wire);
    if (together) {
      if (!payload.empty())
        std::memcpy(first.data<std::byte>() + sizeof wire, payload.data(), payload.size());
      transmit(socket, header.dst, std::move(first), false);
    } else if (loan == nullptr) {
      zmq::message_t second(payload.data(), payload.size());
      transmit(socket, header.dst, std::move(first), true);
      transmit(socket, header.dst, std::move(second), false);
    } else {
      // ZeroMQ takes a mutable pointer but only reads.
      zmq::message_t second(const_cast<std::byte*>(payload.data()), payload.size(), &release_loan,
                            loan);
      (void)guard.release();  // the message releases it
      transmit(socket, header.dst, std::move(first), true);
      transmit(socket, header.dst, std::move(second), false);
    }
  } catch (const zmq::error_t& e) {
    throw CommError(CommError::Reason::peer_lost, config_.rank, header.dst, {},
                    fmt::format("cannot send to rank {}: {}", header.dst, e.what()));
  }
  counters_.frames_sent.fetch_add(1, kRelaxed);
  counters_.bytes_sent.fetch_add(payload.size(), kRelaxed);
}

void ZeromqLink::transmit(zmq::socket_t& socket, Rank peer, zmq::message_t&& part, bool more) {
  // Without a high-water mark a PUSH socket only refuses when its connection was rejected.
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  while (zmq_msg_send(part.handle(), socket.handle(), flags) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) throw zmq::error_t();
    throw CommError(CommError::Reason::peer_lost, config_.rank, peer, {},
                    fmt::format("rank {} refused the connection (is it of the same run?)", peer));
  }
}

void ZeromqLink::throw_closed(Rank peer) const {
  throw CommError(CommError::Reason::stopped, config_.rank, peer, {},
                  "this rank has closed its connections");
}

std::optional<Frame> ZeromqLink::poll(Deadline deadline) {
  const std::lock_guard lock(receiving_);
  Frame frame;
  while (true) {
    if (closed_.load(std::memory_order_acquire)) throw_closed(kAnyRank);
    const ReceiveResult got = receive(frame, deadline);
    if (got == ReceiveResult::frame) return frame;
    if (got == ReceiveResult::nothing) return std::nullopt;
    if (got == ReceiveResult::woken)
      deadline = Deadline::now();  // take frames that have arrived, wait no longer
    else if (deadline.passed()) return std::nullopt;
  }
}

ZeromqLink::ReceiveResult ZeromqLink::receive(Frame& frame, Deadline deadline) {
  zmq::message_t first;
  if (!wait_for_part(first, deadline)) return ReceiveResult::nothing;
  // A stranger's empty message may take the place of ours, which is then counted as malformed.
  if (first.size() == 0 && !first.more() && woken_.exchange(false, std::memory_order_acq_rel))
    return ReceiveResult::woken;
  return take(std::move(first), frame) ? ReceiveResult::frame : ReceiveResult::garbage;
}

// Returns false if no part came until the deadline. The receive sleeps at once: yielding a few times first, as over
// shared memory, took twice as long with 8 ranks on 2 processors (64 µs against 27 for a small message of mpi4py).
bool ZeromqLink::wait_for_part(zmq::message_t& part, Deadline deadline) {
  while (true) {
    const int wait_ms = deadline.poll_ms();
    if (wait_ms != 0) about_to_sleep();
    if (wait_ms != 0 && wait_ms != longest_wait_ms_) {
      pull_.set(zmq::sockopt::rcvtimeo, wait_ms);
      longest_wait_ms_ = wait_ms;
    }
    if (zmq_msg_recv(part.handle(), pull_.handle(), wait_ms == 0 ? ZMQ_DONTWAIT : 0) >= 0)
      return true;
    if (errno == EAGAIN) return false;
    if (errno != EINTR) throw zmq::error_t();
  }
}

bool ZeromqLink::plausible(const FrameHeader& header) const noexcept {
  return header.kind <= FrameKind::credit && header.src >= 0 && header.src < config_.world_size &&
         header.dst == config_.rank;
}

// A frame has one part (header and small payload) or two. Anything else is from a stranger and is dropped.
bool ZeromqLink::take(zmq::message_t&& first, Frame& frame) {
  bool more = first.more();
  zmq::message_t second;
  const auto next = [&](zmq::message_t& part) {
    receive_part(pull_, part, zmq::recv_flags::none);  // the parts of a message arrive together
    more = part.more();
  };
  const auto drop = [&](std::atomic<std::uint64_t>& counter) {
    zmq::message_t rest;
    while (more) next(rest);
    counter.fetch_add(1, kRelaxed);
    return false;
  };
  if (first.size() < sizeof(FrameHeader)) return drop(counters_.malformed);
  FrameHeader& header = frame.header;
  std::memcpy(&header, first.data(), sizeof header);
  if (header.magic != FrameHeader::kMagic || header.version != FrameHeader::kVersion)
    return drop(counters_.malformed);
  if (header.secret != config_.secret) return drop(counters_.wrong_secret);
  if (!plausible(header)) return drop(counters_.malformed);

  const bool two_parts = more;
  if (two_parts) {
    if (first.size() != sizeof header) return drop(counters_.malformed);
    next(second);
    if (more) return drop(counters_.malformed);
  }
  const std::size_t offset = two_parts ? 0 : sizeof header;
  zmq::message_t& holder = two_parts ? second : first;
  const bool carries = header.kind == FrameKind::eager || header.kind == FrameKind::data;
  if (holder.size() - offset != (carries ? header.bytes : 0)) return drop(counters_.malformed);
  counters_.frames_received.fetch_add(1, kRelaxed);
  counters_.bytes_received.fetch_add(holder.size() - offset, kRelaxed);
  frame.payload = holder.size() > offset ? lease(std::move(holder), offset) : Message();
  return true;
}

std::vector<std::string> ZeromqLink::refused_peers() const {
  return gate_ ? gate_->refused_peers() : std::vector<std::string>{};
}

std::uint64_t ZeromqLink::refused() const noexcept { return gate_ ? gate_->refused() : 0; }

void ZeromqLink::wake() noexcept {
  const std::lock_guard lock(waking_);
  if (waker_.handle() == nullptr || woken_.exchange(true, std::memory_order_acq_rel)) return;
  while (zmq_send(waker_.handle(), nullptr, 0, ZMQ_DONTWAIT) < 0 && errno == EINTR) {
  }
}

void ZeromqLink::abandon() noexcept { shut(0); }

bool ZeromqLink::close(Deadline deadline) {
  shut(deadline.poll_ms());
  return !deadline.passed();
}

// Closing the context waits for its I/O threads, so that nothing refers to lent memory any more.
void ZeromqLink::shut(int linger_ms) noexcept {
  closed_.store(true, std::memory_order_release);
  wake();
  const std::scoped_lock lock(receiving_, using_peers_);
  if (context_.handle() == nullptr) return;
  {
    const std::lock_guard waking(waking_);
    waker_.close();
  }
  pull_.close();
  for (int rank = 0; peers_ != nullptr && rank < config_.world_size; ++rank) {
    zmq::socket_t& socket = peers_[static_cast<std::size_t>(rank)].socket;
    if (socket.handle() == nullptr) continue;
    zmq_setsockopt(socket.handle(), ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    socket.close();
  }
  if (gate_) gate_->stop();
  context_.close();
  if (!file_.empty()) ::unlink(file_.c_str());
}

}  // namespace rankscope
