// Renders a flipbook's frames to GIF, video and PNG.
#include "engine/diagrams/moving/frames.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/gif.h"
#include "engine/diagrams/paint/video.h"

namespace rankscope {
namespace {

constexpr int kFastest = 50;  // of what GIF can say, what browsers play

Pixels paint(const Flipbook& book, const FramePlan& plan, const Theme& theme, double dpi) {
  const Still frame = still_of(book, plan.moment, plan.share);
  return to_pixels(frame.scene, theme, dpi / 96, frame.now);
}

}  // namespace

std::vector<FramePlan> frames_of(const Flipbook& book, const FrameOptions& options) {
  if (options.fps < 0 || options.fps > kFastest)
    throw UserError(
        fmt::format("{} frames per second: 0 to {} are possible", options.fps, kFastest));
  std::vector<FramePlan> frames;
  const auto ms = [](double seconds) { return static_cast<int>(std::lround(seconds * 1000)); };
  const int between = static_cast<int>(std::lround(options.fps * options.move_s * book.pace));
  for (std::size_t moment = 0; moment < book.moments.size(); ++moment) {
    const bool last = moment + 1 == book.moments.size();
    frames.push_back({moment, 0, ms(last ? options.last_rest_s : options.rest_s)});
    for (int k = 1; k < between && !last; ++k)
      frames.push_back({moment, static_cast<double>(k) / between, ms(1.0 / options.fps)});
  }
  return frames;
}

std::string to_gif(const Flipbook& book, const Theme& theme, double dpi,
                   const FrameOptions& options, const FrameProgress& progress) {
  const auto plan = frames_of(book, options);
  // Nearly everything is pale in the first frame and strong in the last; what moves is in between.
  std::vector<Pixels> samples;
  for (const std::size_t i : {std::size_t{0}, plan.size() / 2, plan.size() - 1})
    samples.push_back(paint(book, plan[i], theme, dpi));
  GifWriter writer(samples);
  samples.clear();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    writer.add(paint(book, plan[i], theme, dpi), plan[i].duration_ms);
    if (progress) progress(i + 1, plan.size());
  }
  return writer.finish();
}

void to_video(const Flipbook& book, const Theme& theme, double dpi, const FrameOptions& options,
              VideoWriter& writer, int video_fps, const FrameProgress& progress) {
  const auto plan = frames_of(book, options);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const double frames = plan[i].duration_ms * video_fps / 1000.0;
    writer.add(paint(book, plan[i], theme, dpi),
               std::max(1, static_cast<int>(std::lround(frames))));
    if (progress) progress(i + 1, plan.size());
  }
  writer.finish();
}

std::string to_png(const Flipbook& book, const FramePlan& plan, const Theme& theme, double dpi) {
  const Still frame = still_of(book, plan.moment, plan.share);
  return to_png(frame.scene, theme, dpi, frame.now);
}

}  // namespace rankscope
