// Animated GIF, by giflib.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/cairo_painter.h"

namespace rankscope {

/// A GIF file's bytes that repeats for ever. All frames have the size of the first; `delay_ms` is each
/// frame's. Colours are reduced to 256 for the whole file, without dithering.
std::string to_gif(const std::vector<Pixels>& frames, int delay_ms);

}  // namespace rankscope
