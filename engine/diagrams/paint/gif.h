// Animated GIF, by giflib.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope {

/// A file that repeats for ever, without dithering. Written frame by frame, so that a long animation need not
/// be in memory; of each frame only the rectangle that differs from the frame before.
class GifWriter {
 public:
  /// The palette's 256 colours are the most frequent ones of these frames; all frames have the size of
  /// the first. Throws UserError without any.
  explicit GifWriter(const std::vector<Pixels>& colors_of);
  ~GifWriter();
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  /// Throws std::invalid_argument for a frame of another size than the first one's.
  void add(const Pixels& frame, int delay_ms);
  /// The file's bytes; nothing may be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rankscope
