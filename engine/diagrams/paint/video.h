// Video files, encoded by the command `ffmpeg`: MP4 (H.264) and WebM (VP9).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope {

/// Throws UserError, with the package to install, when PATH has no `ffmpeg`.
void require_ffmpeg(std::string_view format);

struct VideoTarget {
  std::string_view format;  ///< "mp4" or "webm".
  std::string file;         ///< Written by ffmpeg itself, which replaces what is there.
  std::string name;         ///< The file's name in messages.
  int fps = 30;
  /// Called every 0.1 s or more often while frames are sent or ffmpeg ends; an exception stops it.
  std::function<void()> look = {};
};

/// Sends frames to ffmpeg one by one through a socket: memory never holds all of them, nor the video. Odd sizes are made
/// even, as 4:2:0 requires, by repeating the last row or column.
class VideoWriter {
 public:
  explicit VideoWriter(VideoTarget target);
  /// Without finish(), the encoder is killed; the caller, who chose the file, removes it.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Writes the frame `times` times. All frames have the size of the first. Throws UserError with ffmpeg's last line if it
  /// cannot start or ended early.
  void add(const Pixels& frame, int times);
  /// Returns when the file is complete. Throws UserError as add() does, and if there is no frame.
  void finish();

 private:
  struct Encoder;
  VideoTarget target_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace rankscope
