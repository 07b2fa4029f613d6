// A flipbook as moving pixels: GIF, video, and frames for a numbered sequence of PNG files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

class VideoWriter;

struct FrameOptions {
  int fps = 12;            ///< While something moves; 0: only the moments themselves.
  double move_s = 0.9;     ///< From one moment to the next.
  double rest_s = 0.7;     ///< At a moment.
  double last_rest_s = 2;  ///< At the last one.
};

/// What is to be painted, and how long it shows.
struct FramePlan {
  std::size_t moment = 0;
  double share = 0;  ///< See still_of().
  int duration_ms = 0;
};
/// Throws UserError for a frame rate outside of 0 to 50.
std::vector<FramePlan> frames_of(const Flipbook& book, const FrameOptions& options);

using FrameProgress = std::function<void(std::size_t done, std::size_t all)>;

/// A GIF file's bytes.
std::string to_gif(const Flipbook& book, const Theme& theme, double dpi,
                   const FrameOptions& options, const FrameProgress& progress = {});
/// Paints the frames into a video of so many frames a second (`video_fps`), each as often as it lasts, and finishes it.
void to_video(const Flipbook& book, const Theme& theme, double dpi, const FrameOptions& options,
              VideoWriter& writer, int video_fps, const FrameProgress& progress = {});
/// One frame as a PNG file's bytes.
std::string to_png(const Flipbook& book, const FramePlan& frame, const Theme& theme, double dpi);

}  // namespace rankscope
