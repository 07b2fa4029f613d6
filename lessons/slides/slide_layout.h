// Puts text, lists, tables and programs on slides: measured, broken into lines, continued on the next slide.
#pragma once

#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/slides/slide_parts.h"

namespace rankscope {

/// Lays parts out within `area` on pages of a slide's size, in the largest letters between `most` and `least` pixels with
/// which one page is enough, else in medium letters on several.
std::vector<Scene> laid_out(const std::vector<SlidePart>& parts, const Box& area, double most,
                            double least, const Ruler& ruler);

/// The lower edge of a page's contents.
double lowest(const Scene& page);

}  // namespace rankscope
