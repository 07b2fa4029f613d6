// Adds up how long the threads of a run waited for a processor.
#include "engine/box/load_watch.h"

#include <utility>

#include "engine/core/base/process_stat.h"

namespace rankscope {
namespace {

// Shares of the limit. What the threads waited after the last look is less than what is left of it, and 0.1 + 0.4 is a half.
constexpr double kLastLook = 0.9, kMostWait = 0.4;

}  // namespace

LoadWatch::LoadWatch(std::function<std::optional<double>()> wait_s, double timeout_s)
    : wait_s_(std::move(wait_s)), timeout_s_(timeout_s) {}

void LoadWatch::look(double elapsed_s) {
  if (!std::exchange(began_, true)) first_ = wait_s_();
  if (elapsed_s >= kLastLook * timeout_s_ && !std::exchange(nearly_over_, true)) last_ = wait_s_();
}

void LoadWatch::add_own() {
  if (const auto wait = own_processor_wait_s()) own_ += *wait;
}

bool LoadWatch::had_processor() const {
  return first_ && last_ && *last_ >= *first_ && *last_ - *first_ + own_ < kMostWait * timeout_s_;
}

}  // namespace rankscope
