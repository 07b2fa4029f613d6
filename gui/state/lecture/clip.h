// Kept pictures of the window as a GIF or a video.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/state/lecture/frame_ring.h"

namespace rankscope::gui {

/// What can be asked of a file's ending. Throws UserError for other endings, and for a video without ffmpeg.
void check_clip_file(const std::string& file);

/// Writes what showed from `from` to `to` (seconds): whole or not at all. All pictures get the last one's size. `look` is
/// called for each; what it throws ends the writing. Throws UserError.
void write_clip(const std::vector<KeptFrame>& frames, double from, double to,
                const std::string& file,
                const std::function<void(std::size_t done, std::size_t all)>& look);

}  // namespace rankscope::gui
