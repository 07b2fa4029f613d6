// Breaks words into lines, and narrows all lines if the last one would be short.
#include "lessons/slides/slide_lines.h"

#include <utility>

#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

constexpr double kWidestFormula = 0.5;  // of a line; a longer one is broken like a text
constexpr double kShortestLast = 0.2;   // of a line; a shorter last line looks lost
constexpr double kNarrowest = 0.78;     // of the width, to even lines out
constexpr double kNarrower = 0.03;      // of the width: each step to it

}  // namespace

Font slide_font(const SlideWord& word, double size) {
  if (word.code) return {size * 0.9, Font::Weight::regular, true};
  return {size, word.strong ? Font::Weight::semibold : Font::Weight::regular, false};
}

double SlideLineBreaker::width_of(const SlideWord& word, double size, bool first_of_line) const {
  const double width = ruler_.width(word.text, slide_font(word, size));
  return first_of_line || !word.space_before ? width : width + space(size);
}

double SlideLineBreaker::width_of(const SlideLine& line, double size) const {
  double width = 0;
  for (const SlideWord& word : line) width += width_of(word, size, &word == &line.front());
  return width;
}

// Words without a space between them always stay together. Tied words (a formula, a number and its unit) only if short.
std::size_t SlideLineBreaker::end_of_group(const SlideWords& words, std::size_t begin, double size,
                                           double width) const {
  std::size_t tied = begin + 1, joined = begin + 1;
  double sum = width_of(words[begin], size, true);
  while (tied < words.size() && (!words[tied].space_before || words[tied].tied) &&
         !words[tied - 1].line_end)
    sum += width_of(words[tied++], size, false);
  if (sum <= width * kWidestFormula) return tied;
  while (joined < words.size() && !words[joined].space_before && !words[joined - 1].line_end)
    ++joined;
  return joined;
}

std::vector<SlideLine> SlideLineBreaker::broken(const SlideWords& words, double size,
                                                double width) const {
  SlideWords all;
  for (const SlideWord& word : words)
    put_in_pieces(word, width, ruler_.measure(slide_font(word, size)),
                  [&](SlideWord piece) { all.push_back(std::move(piece)); });
  std::vector<LineWord> places;
  std::size_t end = 0;
  for (const SlideWord& word : all) {
    const bool begins = places.size() == end;
    if (begins) end = end_of_group(all, end, size, width);
    places.push_back({.width = width_of(word, size, true),
                      .gap = word.space_before ? space(size) : 0,
                      .tied = !begins,
                      .ends_line = word.line_end});
  }
  return in_lines(all, places, width);
}

std::vector<SlideLine> SlideLineBreaker::lines(const SlideWords& words, double size,
                                               double width) const {
  std::vector<SlideLine> out = broken(words, size, width);
  const auto is_even = [&](const std::vector<SlideLine>& lines) {
    return lines.size() < 2 || width_of(lines.back(), size) >= kShortestLast * width;
  };
  for (double part = 1 - kNarrower; !is_even(out) && part >= kNarrowest; part -= kNarrower) {
    std::vector<SlideLine> narrower = broken(words, size, part * width);
    if (narrower.size() > out.size()) break;
    if (is_even(narrower)) out = std::move(narrower);
  }
  return out;
}

}  // namespace rankscope
