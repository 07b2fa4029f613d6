// The colours of a source's words.
#pragma once

#include "gui/views/look.h"
#include "lessons/text/code_spans.h"

namespace rankscope::gui {

inline ImU32 code_color(const Look& look, CodeInk ink) {
  // Quieter than what means something in pictures, and none of its hues.
  const bool light = look.kind() == ThemeKind::light;
  switch (ink) {
    case CodeInk::comment: return look.palette().muted;
    case CodeInk::keyword: return light ? IM_COL32(72, 62, 122, 255) : IM_COL32(190, 182, 230, 255);
    case CodeInk::text: return light ? IM_COL32(48, 92, 66, 255) : IM_COL32(170, 208, 182, 255);
    case CodeInk::number: return light ? IM_COL32(116, 78, 32, 255) : IM_COL32(222, 196, 156, 255);
    case CodeInk::plain: break;
  }
  return look.palette().text;
}

}  // namespace rankscope::gui
