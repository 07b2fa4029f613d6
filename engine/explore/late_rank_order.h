// An order of a run in which one rank is as late as it can be.
#pragma once

#include "engine/run/step/run_order.h"

namespace rankscope::explore {

/// Verbs of this rank, and its messages, come when nothing else can happen: a receive from any rank gets the messages
/// of all others first. Otherwise things happen in the order in which they were sent.
class LateRankOrder : public RunOrder {
 public:
  LateRankOrder(Rank late, std::chrono::milliseconds compute_limit)
      : late_(late), compute_limit_(compute_limit) {}

  std::size_t next(std::span<const NextMove> moves) override;
  void continue_without(Rank) override { exact_ = false; }
  std::chrono::milliseconds compute_limit() const override { return compute_limit_; }

  /// Returns whether the run that has ended depended on nothing but this order and the program.
  bool exact() const noexcept { return exact_; }

 private:
  const Rank late_;
  const std::chrono::milliseconds compute_limit_;
  bool exact_ = true;
};

}  // namespace rankscope::explore
