// What a view has drawn last, made again in the background.
#include <chrono>
#include <utility>

#include "engine/core/base/error.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

/// What is made so fast is made where it is drawn; what is made in the background is waited for so long,
/// by each of the views in the window: a picture that lags by a frame is seen.
constexpr std::chrono::microseconds kQuick{500}, kFrameWait{3000};

}  // namespace

SceneCache::~SceneCache() {
  if (pending_.valid()) pending_.wait();
}

std::shared_ptr<const MadeScene> SceneCache::made(const std::string& key, const Make& make) {
  const auto began = std::chrono::steady_clock::now();
  auto result = std::make_shared<MadeScene>();
  result->key = key;
  try {
    result->scene = make();
    result->moving_messages = moving_messages(result->scene);
  } catch (const UserError& e) {
    result->error = e.what();
  }
  result->took = std::chrono::steady_clock::now() - began;
  return result;
}

const MadeScene* SceneCache::get(const std::string& key, bool alike, Make make) {
  using namespace std::chrono_literals;
  if (pending_.valid() && pending_.wait_for(0s) == std::future_status::ready)
    shown_ = pending_.get();
  if (shown_ && shown_->key == key) return shown_.get();
  if (alike && shown_ && shown_->took < kQuick && !pending_.valid()) {
    shown_ = made(key, make);
  } else if (!pending_.valid()) {
    pending_ = std::async(std::launch::async, [key, make = std::move(make)]() mutable {
      auto result = made(key, make);
      make =
          nullptr;  // its document may be the last of its kind, and large: it goes here, not in a frame
      return result;
    });
    if (pending_.wait_for(kFrameWait) == std::future_status::ready) shown_ = pending_.get();
  }
  return shown_.get();
}

}  // namespace rankscope::gui
