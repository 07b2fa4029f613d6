// Adds up how long the threads of a run were awake.
#include "engine/box/load_watch.h"

#include <utility>

#include "engine/core/base/process_stat.h"

namespace rankscope {
namespace {

// Shares of the limit. After the last look they may be awake for all that is left of it, and 0.1 + 0.4 is a half.
constexpr double kLastLook = 0.9, kMostAwake = 0.4;

}  // namespace

LoadWatch::LoadWatch(std::function<std::optional<double>()> runnable_s, double timeout_s)
    : runnable_s_(std::move(runnable_s)), timeout_s_(timeout_s) {}

std::optional<double> LoadWatch::awake_s() const {
  const auto runnable = runnable_s_();
  if (!runnable) return std::nullopt;
  return *runnable + stalled_s();
}

void LoadWatch::look(double elapsed_s) {
  if (!std::exchange(began_, true)) first_ = awake_s();
  if (elapsed_s >= kLastLook * timeout_s_ && !std::exchange(nearly_over_, true)) last_ = awake_s();
}

void LoadWatch::add_own() {
  if (const auto own = own_runnable_s()) own_ += *own;
}

bool LoadWatch::slept() const {
  return first_ && last_ && *last_ >= *first_ && *last_ - *first_ + own_ < kMostAwake * timeout_s_;
}

}  // namespace rankscope
