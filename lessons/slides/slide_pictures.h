// Puts pictures of runs on slides: buffers that would be too small on one go on several, a few steps each.
#pragma once

#include <string>
#include <string_view>

#include "engine/analysis/trace_analysis.h"
#include "lessons/slides/slide_frame.h"

namespace rankscope {

/// What stands around a picture.
struct SlidePlace {
  std::string title;
  SlideWords lead;  ///< Above it; may be empty.
  std::string caption;
  int at =
      0;  ///< The only round after which it is shown, of a picture with moments; 0: all of them.
};

/// `picture`: as picture_of() calls it. False, and no slide: its letters would be too small to be read.
bool put_picture(SlideFrame& frame, const SlidePlace& place, const TraceAnalysis& analysis,
                 std::string_view picture);

}  // namespace rankscope
