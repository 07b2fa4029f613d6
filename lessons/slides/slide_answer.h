// Markdown and right answers as parts of a slide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/slides/slide_layout.h"

namespace rankscope {

/// Whole, or only its key sentences. With a sign ("a)") its paragraphs are items, the first of which has it.
void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign = {});

/// "b, d" as these options' texts, in that order; anything else as it would be typed.
void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts);

}  // namespace rankscope
