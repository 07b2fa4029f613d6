// Breaks the words of a slide into lines.
#pragma once

#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "lessons/slides/slide_words.h"

namespace rankscope {

using SlideLine = std::vector<SlideWord>;

Font slide_font(const SlideWord& word, double size);

class SlideLineBreaker {
 public:
  explicit SlideLineBreaker(const Ruler& ruler) : ruler_(ruler) {}

  /// Lines of at most `width`, in letters of `size`. What belongs together (a term and its comma, "30 ms", a short formula)
  /// stays on one line, and the last line is not very short if narrower lines avoid that.
  std::vector<SlideLine> lines(const SlideWords& words, double size, double width) const;

  /// The width of a space in the font of text, used before words of programs too, whose own spaces are wider.
  double space(double size) const { return ruler_.width(" ", {size}); }
  double width_of(const SlideWord& word, double size, bool first_of_line) const;

 private:
  std::vector<SlideLine> broken(const SlideWords& words, double size, double width) const;
  std::size_t end_of_group(const SlideWords& words, std::size_t begin, double size,
                           double width) const;
  double width_of(const SlideLine& line, double size) const;

  const Ruler& ruler_;
};

}  // namespace rankscope
