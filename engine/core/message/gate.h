// The step gate as a rank's context sees it: every message verb passes through it and may be held there.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "engine/core/base/error.h"
#include "engine/core/trace/event.h"

namespace rankscope {

struct Operation;

/// A strand's position: the message verb that it is about to post, or sleeps in.
struct GatePoint {
  Verb verb = Verb::send;
  Rank peer = -1;  ///< World rank.
  Tag tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t site = 0;   ///< Recorder's site id.
  std::uint32_t phase = 0;  ///< Recorder's phase id.
  std::string phase_name;
  std::uint16_t strand = 0;
  OpId op = 0;            ///< The operation that is about to be posted.
  ContextId context = 0;  ///< Messages match only within one context.
  bool rendezvous = false;
  bool one_of =
      false;      ///< The strand sleeps until this or any other of several operations is done.
  CallSite call;  ///< The place that `site` names; filled in only while attention() is on.
};
GatePoint point_of(const Operation& op);

/// The step gate. While open, it costs one relaxed load before each verb; a strand that sleeps in a verb reports it in
/// any case.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Returns when the strand may go on, with the part of the time that was an artificial delay. Throws
  /// CommError::stopped if the run ends instead.
  virtual std::chrono::nanoseconds hold(const GatePoint& point) = 0;
  /// Report that the strand is about to sleep in a verb, and that it woke up.
  virtual void blocked(const GatePoint&) noexcept {}
  virtual void woke(std::uint16_t /*strand*/) noexcept {}
  /// Reports that a receive has got its message; called only while attention() is on.
  virtual void received(const Operation&) noexcept {}
  virtual void strand_begins(std::uint16_t /*strand*/) noexcept {}
  virtual void strand_ends(std::uint16_t /*strand*/) noexcept {}
  /// Reports that the strand of the point sleeps until the strand `awaited` ends.
  virtual void awaits_strand(const GatePoint&, std::uint16_t /*awaited*/) noexcept {}
  bool attention() const noexcept { return attention_.load(std::memory_order_relaxed); }

 protected:
  void set_attention(bool on) noexcept { attention_.store(on, std::memory_order_relaxed); }

 private:
  std::atomic<bool> attention_{false};
};

}  // namespace rankscope
