// Packs pictures with zstd, drops the oldest, and writes clips.
#include "gui/state/lecture/frame_ring.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <zstd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/paint/gif.h"
#include "engine/diagrams/paint/video.h"
#include "gui/state/command/made_later.h"

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
  // The frame before the oldest moment was still visible then.
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

namespace {

constexpr int kClipFps = 5;
constexpr std::size_t kPaletteFrames = 6;

/// Fits a picture of another size (the window was resized) into the middle.
Pixels fitted(Pixels from, int width, int height) {
  if (from.width == width && from.height == height) return from;
  if (from.width <= 0 || from.height <= 0) from = {1, 1, {0xFF000000U}};  // nothing was seen of it
  Pixels into{width, height, {}};
  into.argb.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                   from.argb.empty() ? 0xFF000000U : from.argb.front());
  const double zoom =
      std::min(static_cast<double>(width) / from.width, static_cast<double>(height) / from.height);
  const int wide = std::max(1, static_cast<int>(from.width * zoom)),
            high = std::max(1, static_cast<int>(from.height * zoom));
  const int left = (width - wide) / 2, top = (height - high) / 2;
  const auto at = [](const Pixels& of, int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(of.width) +
           static_cast<std::size_t>(x);
  };
  for (int y = 0; y < high; ++y)
    for (int x = 0; x < wide; ++x)
      into.argb[at(into, left + x, top + y)] =
          from.argb[at(from, std::min(from.width - 1, static_cast<int>(x / zoom)),
                       std::min(from.height - 1, static_cast<int>(y / zoom)))];
  return into;
}

class ClipWriter {
 public:
  ClipWriter(const std::vector<KeptFrame>& frames, double from, double to,
             const std::function<void(std::size_t, std::size_t)>& look)
      : frames_(frames), from_(from), to_(to), look_(look) {}

  std::string gif() const {
    std::vector<Pixels> samples;
    const std::size_t step = std::max<std::size_t>(1, frames_.size() / kPaletteFrames);
    for (std::size_t i = 0; i < frames_.size(); i += step) samples.push_back(picture(i));
    samples.push_back(picture(frames_.size() - 1));
    // The writer gives all frames the first one's size.
    std::rotate(samples.begin(), samples.end() - 1, samples.end());
    GifWriter writer(samples);
    samples.clear();
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      look_(i, frames_.size());
      writer.add(picture(i), static_cast<int>(std::lround((end(i) - begin(i)) * 1000)));
    }
    return writer.finish();
  }

  void video(std::string_view format, const std::string& file, const std::string& name) const {
    std::size_t now = 0;
    VideoWriter writer({format, file, name, kClipFps, [&] { look_(now, frames_.size()); }});
    for (long shown = 0; now < frames_.size(); ++now) {
      // Counted from the start, so that rounding errors do not add up.
      const bool last = now + 1 == frames_.size();
      const long until =
          std::max(std::lround((end(now) - from_) * kClipFps), last ? shown + 1 : shown);
      if (until > shown) writer.add(picture(now), static_cast<int>(until - shown));
      shown = until;
    }
    writer.finish();
  }

 private:
  double begin(std::size_t i) const { return std::max(from_, frames_[i].at); }
  double end(std::size_t i) const { return i + 1 < frames_.size() ? frames_[i + 1].at : to_; }
  Pixels picture(std::size_t i) const {
    return fitted(unpack(frames_[i]), frames_.back().width, frames_.back().height);
  }

  const std::vector<KeptFrame>& frames_;
  const double from_, to_;
  const std::function<void(std::size_t, std::size_t)>& look_;
};

}  // namespace

void check_clip_file(const std::string& file) {
  const FileFormat* const format = format_of_file(file);
  if (format == nullptr || !(format->video || format->name == "gif"))
    throw UserError(
        fmt::format("\"{}\" names no GIF or video: end it in .gif, .mp4 or .webm", file));
  if (format->video) require_ffmpeg(format->name);
}

void write_clip(const std::vector<KeptFrame>& frames, double from, double to,
                const std::string& file,
                const std::function<void(std::size_t, std::size_t)>& look) {
  const FileFormat& format = *format_of_file(file);
  const ClipWriter clip(frames, from, to, look);
  NewFile out(file);
  if (format.video) {
    out.write_by([&](const std::string& name) { clip.video(format.name, name, file); });
  } else {
    const std::string bytes = clip.gif();
    out.write([&](std::ostream& to_file) {
      to_file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
  }
  out.finish();
}

}  // namespace rankscope::gui
