// Values that views make again and again: in a frame if that takes next to no time, else in the background.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

namespace rankscope::gui {

/// Returns whether a result from the background is there, without waiting for it.
template <class T>
bool is_ready(const std::future<T>& made) {
  return made.valid() && made.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// Makes a value in the background, then calls `changed`.
template <class Make>
auto made_behind(std::function<void()> changed, Make make) {
  return std::async(std::launch::async,
                    [changed = std::move(changed), make = std::move(make)]() mutable {
                      auto value = make();
                      changed();
                      return value;
                    });
}

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

  /// Returns the value for `key`: at once if it is made quickly, else the last one of the same source, or null, until it is ready.
  /// `source`: the id of the document that it is made from, 0 if there is only one; `key`: all else on which it depends.
  const Value* get(std::uint64_t source, const std::string& key, Make make) {
    take_ready(source);
    if (is_of(source) && shown_->key == key) return &shown_->value;
    if (!pending_.valid() && is_of(source) && shown_->took < kQuick) {
      shown_ = made(source, key, make);
    } else if (!pending_.valid()) {
      pending_ = std::async(std::launch::async, [source, key, make = std::move(make)]() mutable {
        auto result = made(source, key, make);
        // A large document whose last owner this is must be freed here, not in a frame.
        make = nullptr;
        return result;
      });
      if (pending_.wait_for(kFrameWait) == std::future_status::ready) shown_ = pending_.get();
    }
    return is_of(source) ? &shown_->value : nullptr;
  }
  bool busy() const noexcept { return pending_.valid(); }

 private:
  /// Values that take less than kQuick are made in the frame; a view waits kFrameWait for others, since a picture that lags by a
  /// frame is visible.
  static constexpr std::chrono::microseconds kQuick{500}, kFrameWait{3000};
  struct Made {
    std::uint64_t source = 0;
    std::string key;
    Value value;
    std::chrono::steady_clock::duration took;
  };
  static Made made(std::uint64_t source, const std::string& key, const Make& make) {
    const auto began = std::chrono::steady_clock::now();
    Value value = make();
    return {source, key, std::move(value), std::chrono::steady_clock::now() - began};
  }
  /// Drops the result for a source that was left meanwhile.
  void take_ready(std::uint64_t source) {
    if (!is_ready(pending_)) return;
    if (Made ready = pending_.get(); ready.source == source) shown_ = std::move(ready);
  }
  bool is_of(std::uint64_t source) const noexcept { return shown_ && shown_->source == source; }

  std::optional<Made> shown_;
  std::future<Made> pending_;
};

}  // namespace rankscope::gui
