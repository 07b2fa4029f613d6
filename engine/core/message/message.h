// Memory that is handed from one owner to another: received messages and lent send buffers.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

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

}  // namespace rankscope
