// Packs pictures with zstd, and lets the oldest go.
#include "gui/state/lecture/frame_ring.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <zstd.h>

#include "gui/state/command/ready.h"

namespace rankscope::gui {
namespace {

constexpr int kFastest = 1;  // flat areas and letters: a fiftieth is left all the same

std::string packed(const std::vector<std::uint32_t>& argb) {
  const std::size_t size = argb.size() * sizeof(std::uint32_t);
  std::string into(ZSTD_compressBound(size), '\0');
  const std::size_t used = ZSTD_compress(into.data(), into.size(), argb.data(), size, kFastest);
  if (ZSTD_isError(used) != 0) throw std::runtime_error(ZSTD_getErrorName(used));
  into.resize(used);
  into.shrink_to_fit();
  return into;
}

}  // namespace

Pixels unpack(const KeptFrame& frame) {
  Pixels pixels{frame.width, frame.height, {}};
  pixels.argb.resize(static_cast<std::size_t>(frame.width) *
                     static_cast<std::size_t>(frame.height));
  const std::size_t size = pixels.argb.size() * sizeof(std::uint32_t);
  const std::size_t got =
      ZSTD_decompress(pixels.argb.data(), size, frame.packed->data(), frame.packed->size());
  if (got != size) throw std::runtime_error("a kept picture of the window is damaged");
  return pixels;
}

void FrameRing::take_packed() {
  frames_.push_back(packing_.get());
  bytes_ += frames_.back().packed->size();
}

bool FrameRing::busy() const { return packing_.valid() && !is_ready(packing_); }

bool FrameRing::add(Pixels picture, double at) {
  if (busy() || picture.width <= 0 || picture.height <= 0) return false;  // none of an icon
  if (packing_.valid()) take_packed();
  any_ = true;
  last_at_ = at;
  packing_ = std::async(std::launch::async, [picture = std::move(picture), at] {
    return KeptFrame{at, picture.width, picture.height,
                     std::make_shared<const std::string>(packed(picture.argb))};
  });
  forget(at);
  return true;
}

void FrameRing::forget(double now) {
  const auto drop = [&] {
    bytes_ -= frames_.front().packed->size();
    frames_.pop_front();
  };
  // The one before the oldest moment still showed at it.
  while (frames_.size() > 1 && frames_[1].at <= now - kSeconds) drop();
  while (!frames_.empty() && bytes_ > kMostBytes) drop();
}

std::vector<KeptFrame> FrameRing::between(double from, double to) {
  if (packing_.valid()) take_packed();
  std::vector<KeptFrame> shown;
  for (const KeptFrame& frame : frames_) {
    if (frame.at > to) break;
    if (frame.at <= from) shown.clear();
    shown.push_back(frame);
  }
  return shown;
}

}  // namespace rankscope::gui
