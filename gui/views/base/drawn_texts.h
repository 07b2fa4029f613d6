// The texts of a frame, read back from the painted letters, whatever has drawn them.
#pragma once

#include <string>
#include <vector>

#include "gui/views/base/look.h"

namespace rankscope::gui {

struct DrawnText {
  std::string text;
  double size = 0;                            ///< The font's size in pixels of the framebuffer.
  float x = 0, y = 0, width = 0, height = 0;  ///< In pixels of the framebuffer.
  bool cut = false;                           ///< A letter is only partly in sight.
};

/// Returns the texts of a frame that was built with this look, in the order in which they are painted.
std::vector<DrawnText> drawn_texts(const ImDrawData& frame, const Look& look);

/// Returns a line for each text: size, place, "cut" or "whole", and the text, separated by tabs.
std::string text_table(const std::vector<DrawnText>& texts);

}  // namespace rankscope::gui
