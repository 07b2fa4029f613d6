// Delays of ranks that change while their job runs: any thread sets them, and the conducting thread passes them on.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

class LiveDelays {
 public:
  /// Sets the microseconds before each message verb, by rank (missing: 0), from now on.
  void set(std::vector<double> delays_us) {
    const std::lock_guard lock(mutex_);
    news_ = std::move(delays_us);
  }
  /// Returns the delays that were set since the last call.
  std::optional<std::vector<double>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<std::vector<double>> news_;
};

}  // namespace rankscope
