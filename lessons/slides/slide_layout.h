// Puts text, lists, tables and programs on slides: measured, broken into lines, continued on the next slide.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/slides/slide_words.h"
#include "lessons/text/markdown.h"

namespace rankscope {

struct SlidePart {
  enum class Kind { words, item, code, table };
  Kind kind = Kind::words;
  int depth = 0;                   ///< Of an item.
  std::string sign;                ///< Before it: "•", "a)".
  SlideWords words;                ///< Of words and items.
  Ink ink;                         ///< Of words.
  double scale = 1;                ///< Of its letters, relative to the slide's.
  std::vector<std::string> lines;  ///< Of code.
  int first_number = 0;  ///< Code with the numbers of its lines, from this one on; 0: without.
  std::vector<std::vector<SlideWords>> rows;  ///< Of a table; the first one is its head.
};

/// Whole, or only the key sentences of paragraphs.
std::vector<SlidePart> slide_parts(const MarkdownBlock& block, bool whole, int depth = 0);

/// Pages of the size of a slide, with the parts within `area`, in the largest letters between `most` and
/// `least` pixels in which all fit on one page; where none do, in medium letters on several.
std::vector<Scene> laid_out(const std::vector<SlidePart>& parts, const Box& area, double most,
                            double least, const Ruler& ruler);

/// The lowest edge of what is on a page.
double lowest(const Scene& page);

}  // namespace rankscope
