// Generates the events of one ring after another at full speed, to measure code that receives events.
#pragma once

#include <array>
#include <functional>
#include <random>

#include "engine/core/trace/event.h"

namespace rankscope {

class MadeUpRun {
 public:
  static constexpr int kRanks = 8;

  MadeUpRun();
  /// Adds one step of every rank: send to the next, receive and reduce from the previous one. Full batches go to
  /// `deliver`, as workers send them.
  void step(const std::function<void(const EventBatch&)>& deliver);
  /// Delivers the rest at the end.
  void finish(const std::function<void(const EventBatch&)>& deliver);
  std::uint64_t delivered() const noexcept { return events_; }

 private:
  void deliver_from(std::size_t events, const std::function<void(const EventBatch&)>& deliver);
  void step_of(Rank r);
  void put(Rank r, StepEvent event, EventKind kind, Verb verb);

  std::array<EventBatch, kRanks> batches_;
  std::array<std::int64_t, kRanks> clock_{};
  std::array<std::uint32_t, kRanks> seq_{};
  std::uint64_t step_ = 0, events_ = 0;
  std::minstd_rand random_;
};

}  // namespace rankscope
