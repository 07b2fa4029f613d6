// What views make again and again: in a frame where that takes next to no time, else in the background.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "gui/state/app/ready.h"

namespace rankscope::gui {

template <class Value>
class MadeLater {
 public:
  using Make = std::function<Value()>;
  MadeLater() = default;
  MadeLater(const MadeLater&) = delete;
  MadeLater& operator=(const MadeLater&) = delete;
  ~MadeLater() {
    if (pending_.valid()) pending_.wait();
  }

  /// The value for `key`: at once when that takes next to no time, else an older one, or null, until it
  /// is ready. `alike`: made from the same as the last one, so that it will take as long.
  const Value* get(const std::string& key, bool alike, Make make) {
    if (is_ready(pending_)) shown_ = pending_.get();
    if (shown_ && shown_->key == key) return &shown_->value;
    if (alike && shown_ && shown_->took < kQuick && !pending_.valid()) {
      shown_ = made(key, make);
    } else if (!pending_.valid()) {
      pending_ = std::async(std::launch::async, [key, make = std::move(make)]() mutable {
        auto result = made(key, make);
        // Its document may be the last of its kind, and large: it goes here, not in a frame.
        make = nullptr;
        return result;
      });
      if (pending_.wait_for(kFrameWait) == std::future_status::ready) shown_ = pending_.get();
    }
    return shown_ ? &shown_->value : nullptr;
  }
  bool busy() const noexcept { return pending_.valid(); }

 private:
  /// What is made so fast is made where it is drawn; what is made in the background is waited for so long,
  /// by each of the views in the window: a picture that lags by a frame is seen.
  static constexpr std::chrono::microseconds kQuick{500}, kFrameWait{3000};
  struct Made {
    std::string key;
    Value value;
    std::chrono::steady_clock::duration took;
  };
  static Made made(const std::string& key, const Make& make) {
    const auto began = std::chrono::steady_clock::now();
    Value value = make();
    return {key, std::move(value), std::chrono::steady_clock::now() - began};
  }

  std::optional<Made> shown_;
  std::future<Made> pending_;
};

}  // namespace rankscope::gui
