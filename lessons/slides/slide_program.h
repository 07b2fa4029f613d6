// Programs of a lesson on its slides.
#pragma once

#include <string_view>
#include <vector>

#include "lessons/slides/slide_layout.h"

namespace rankscope {

/// The comment at its head as words, and its function with the numbers of its lines: includes and the namespace have no
/// place on a slide.
std::vector<SlidePart> program_parts(std::string_view program);

}  // namespace rankscope
