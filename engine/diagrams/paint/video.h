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
  /// Called while the encoder is waited for, some times a second; what it throws ends the encoder.
  std::function<void()> look = {};
};

/// Frames are handed to ffmpeg through a socket, one by one, so that neither they nor the video are in memory as a whole.
/// Sizes are made even (as 4:2:0 wants it) by repeating the last row and column.
class VideoWriter {
 public:
  explicit VideoWriter(VideoTarget target);
  /// Without finish(), the encoder is killed; the caller, who chose the file, removes it.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Shows the frame for so many frames. All frames have the size of the first. Throws UserError when ffmpeg cannot be
  /// started, or has ended early, with what it says.
  void add(const Pixels& frame, int times);
  /// Returns when the file is complete. Throws UserError as add() does.
  void finish();

 private:
  struct Encoder;
  VideoTarget target_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace rankscope
