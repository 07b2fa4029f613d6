// The interface of a transport: it moves frames between ranks, in order per pair, and does nothing else; and the memory of messages.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "engine/core/base/deadline.h"
#include "engine/core/trace/event.h"

namespace rankscope {

/// A received payload: a move-only lease with a deleter (a ZeroMQ message, a heap block). It is reduced or copied once,
/// directly from where it lies.
class Message {
 public:
  using Deleter = void (*)(void* owner) noexcept;
  /// Pins the payload and returns its address.
  using Claim = std::byte* (*)(void* owner) noexcept;

  Message() = default;
  Message(std::span<std::byte> payload, void* owner, Deleter deleter,
          Claim claim = nullptr) noexcept
      : payload_(payload), owner_(owner), deleter_(deleter), claim_(claim) {}
  Message(Message&& other) noexcept { swap(other); }
  Message& operator=(Message&& other) noexcept {
    Message(std::move(other)).swap(*this);
    return *this;
  }
  ~Message() {
    if (deleter_ != nullptr) deleter_(owner_);
  }
  static Message copy_of(std::span<const std::byte> payload);
  /// Marks the message as matched; to be called before its data are read. Until then, a sender that needs its memory
  /// may move a payload that is read in place.
  void claim() noexcept {
    if (claim_ != nullptr) payload_ = {std::exchange(claim_, nullptr)(owner_), payload_.size()};
  }

  std::byte* data() const noexcept { return payload_.data(); }
  std::size_t size() const noexcept { return payload_.size(); }
  std::span<std::byte> payload() const noexcept { return payload_; }

 private:
  void swap(Message& other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(owner_, other.owner_);
    std::swap(deleter_, other.deleter_);
    std::swap(claim_, other.claim_);
  }
  std::span<std::byte> payload_;
  void* owner_ = nullptr;
  Deleter deleter_ = nullptr;
  Claim claim_ = nullptr;
};

/// Memory lent to a transport. The transport calls release() exactly once, from any thread, as soon as the memory may
/// be reused ("sent", never "matched"). A waiter that is to be woken must register first.
class Loan {
 public:
  using Waker = void (*)(void* context) noexcept;
  Loan(Waker waker, void* context) noexcept : waker_(waker), context_(context) {}

  void release() noexcept {
    const auto waker = waker_;
    auto* const context = context_;
    if (state_.exchange(State::released, std::memory_order_acq_rel) == State::wanted)
      waker(context);
  }
  bool released() const noexcept {
    return state_.load(std::memory_order_acquire) == State::released;
  }
  /// Returns whether a waiter is registered.
  bool wanted() const noexcept { return state_.load(std::memory_order_acquire) == State::wanted; }
  /// Returns true if already released; otherwise release() will call the waker.
  bool want() noexcept {
    State expected = State::lent;
    state_.compare_exchange_strong(expected, State::wanted, std::memory_order_acq_rel);
    return expected == State::released;
  }

 private:
  enum class State { lent, wanted, released };
  std::atomic<State> state_{State::lent};
  Waker waker_;
  void* context_;
};

/// eager: header and payload. rts: "I have `bytes` for you" (rendezvous). cts: "send them" (op =
/// the receive's, peer_op = the send's). data: the payload of an rts (peer_op = the receive's).
/// credit: `bytes` of eager payload from this peer have been taken out of the matcher.
enum class FrameKind : std::uint8_t { eager, rts, cts, data, credit };

/// Fixed-size header of every frame (little-endian on the wire).
struct FrameHeader {
  static constexpr std::uint16_t kMagic = 0x5352;  // "RS"
  static constexpr std::uint8_t kVersion = 1;

  std::uint16_t magic = kMagic;
  std::uint8_t version = kVersion;
  FrameKind kind = FrameKind::eager;
  std::uint32_t epoch = 0;
  ContextId context = 0;
  std::int32_t src = -1;  ///< World ranks.
  std::int32_t dst = -1;
  std::int32_t tag = 0;
  std::uint8_t verb =
      0;  ///< The sender's verb; separates internal messages (sync) from the algorithm's messages.
  std::uint8_t dtype =
      0;  ///< The sender's element type, for findings; only byte counts are checked.
  std::uint16_t flags = 0;
  /// The payload of `bytes` is not really there: a simulation that moves no data.
  static constexpr std::uint16_t kGhost = 1;
  bool ghost() const noexcept { return (flags & kGhost) != 0; }
  OpId op = 0;
  OpId peer_op = 0;
  std::uint64_t bytes = 0;
  std::uint64_t secret =
      0;  ///< The run's secret; filled in and checked by transports that need it.
};
static_assert(sizeof(FrameHeader) == 64, "FrameHeader is a wire format");

struct Frame {
  FrameHeader header;
  Message payload;
};

struct LinkCounters {
  std::uint64_t frames_sent = 0, bytes_sent = 0, frames_received = 0, bytes_received = 0;
  std::uint64_t malformed = 0;     ///< Frames dropped because they are not of this protocol.
  std::uint64_t wrong_secret = 0;  ///< Frames dropped because they are of another run.
  /// Payload bytes that the link itself has copied in this process, where it counts them; copies and reductions by the
  /// receiver are not included.
  std::uint64_t bytes_copied = 0;
};

/// The same, counted by several threads.
struct AtomicLinkCounters {
  std::atomic<std::uint64_t> frames_sent{0}, bytes_sent{0}, frames_received{0}, bytes_received{0},
      malformed{0}, wrong_secret{0}, bytes_copied{0};

  LinkCounters now() const noexcept {
    return {frames_sent, bytes_sent,   frames_received, bytes_received,
            malformed,   wrong_secret, bytes_copied};
  }
};

class Link {
 public:
  virtual ~Link() = default;
  /// Queues a frame; never blocks on the receiver. With a loan the payload is lent until the link
  /// releases it; without one the link has copied it when send returns. Throws CommError if the
  /// peer is unknown. send may run in one thread while poll runs in another.
  virtual void send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) = 0;
  /// Returns the next frame, or nothing at the deadline or after wake(). Called by one thread at a time.
  virtual std::optional<Frame> poll(Deadline deadline) = 0;
  /// Ends a poll() in progress, or the next one. May be called from any thread and from signal handlers.
  virtual void wake() noexcept = 0;
  /// Drops everything that is still queued; every loan is released when it returns. The link sends nothing more. For a
  /// rank that gives up.
  virtual void abandon() noexcept = 0;
  /// Returns false once the link was abandoned or closed.
  virtual bool usable() const noexcept { return true; }
  /// The payload size from which lending pays off over copying.
  virtual std::size_t lend_from() const noexcept = 0;
  /// Returns memory that receivers can read in place; null if this link has none, or none is left.
  virtual std::shared_ptr<std::byte> memory(std::size_t /*bytes*/) { return nullptr; }
  virtual LinkCounters counters() const = 0;
};

}  // namespace rankscope
