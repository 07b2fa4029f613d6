// The window's last minute: pictures with their moments, packed, in bounded memory.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope::gui {

struct KeptFrame {
  double at = 0;  ///< Seconds; it shows until the next one.
  int width = 0, height = 0;
  std::shared_ptr<const std::string> packed;
};

/// Throws std::runtime_error when it was damaged.
Pixels unpack(const KeptFrame& frame);

/// Pictures are packed in the background, one at a time.
class FrameRing {
 public:
  static constexpr double kSeconds = 60, kEvery = 0.2;
  static constexpr int kMostWidth = 1280;
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

  /// Takes a picture; moments must not go back. Returns false while the one before is still being packed.
  bool add(Pixels picture, double at);
  /// Returns when the next picture may be added; 0 for at once.
  double next_at() const noexcept { return any_ ? last_at_ + kEvery : 0; }
  /// Returns whether a picture is still being packed: add() would refuse another.
  bool busy() const;
  /// Drops frames that were replaced more than kSeconds ago, and the oldest ones when memory runs out.
  void forget(double now);
  /// Returns the frames that were visible between two moments, oldest first. Waits for the one that is being packed.
  std::vector<KeptFrame> between(double from, double to);
  bool empty() const noexcept { return frames_.empty() && !packing_.valid(); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void take_packed();
  std::deque<KeptFrame> frames_;
  std::size_t bytes_ = 0;
  std::future<KeptFrame> packing_;
  bool any_ = false;
  double last_at_ = 0;
};

/// Throws UserError for a file's ending that is no format of clips, and for a video without ffmpeg.
void check_clip_file(const std::string& file);

/// Writes the window from `from` to `to` (seconds), whole or not at all. All pictures get the last one's size. `look` is
/// called for each, and may throw to end the writing. Throws UserError.
void write_clip(const std::vector<KeptFrame>& frames, double from, double to,
                const std::string& file,
                const std::function<void(std::size_t done, std::size_t all)>& look);

}  // namespace rankscope::gui
