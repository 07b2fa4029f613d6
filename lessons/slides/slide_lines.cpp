// Fills lines word by word, and evens those that would leave one word alone.
#include "lessons/slides/slide_lines.h"

#include <utility>

namespace rankscope {
namespace {

constexpr double kWidestFormula = 0.5;  // of a line; a longer one is broken like a text
constexpr double kShortestLast = 0.2;   // of a line: what is shorter looks lost
constexpr double kNarrowest = 0.78, kNarrower = 0.03;

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

// A word that is wider than the column, in pieces.
std::vector<SlideWord> SlideLineBreaker::pieces(const SlideWord& word, double size,
                                                double width) const {
  std::vector<SlideWord> out;
  SlideWord piece = word;
  piece.text.clear();
  piece.line_end = false;
  for (std::size_t i = 0; i < word.text.size();) {
    std::size_t end = i + 1;
    while (end < word.text.size() && (static_cast<unsigned char>(word.text[end]) & 0xC0) == 0x80)
      ++end;
    const std::string next = word.text.substr(i, end - i);
    if (!piece.text.empty() && ruler_.width(piece.text + next, slide_font(word, size)) > width) {
      piece.line_end = true;
      out.push_back(piece);
      piece.text.clear();
      piece.line_end = false;
      piece.space_before = false;
    }
    piece.text += next;
    i = end;
  }
  piece.line_end = word.line_end;
  out.push_back(std::move(piece));
  return out;
}

// Words that no space divides stay together in any case, those of a formula or a number with its unit if they are short.
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
  std::vector<SlideLine> lines(1);
  double used = 0;
  const auto next_line = [&] {
    lines.emplace_back();
    used = 0;
  };
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t end = end_of_group(words, i, size, width);
    double group = 0;
    for (std::size_t k = i; k < end; ++k) group += width_of(words[k], size, k == i);
    const double gap = lines.back().empty() ? 0 : space(size);
    if (!lines.back().empty() && used + gap + group > width) next_line();
    for (; i < end; ++i) {
      const double one = width_of(words[i], size, lines.back().empty());
      if (used + one <= width) {
        lines.back().push_back(words[i]);
        used += one;
        if (words[i].line_end) next_line();
        continue;
      }
      for (SlideWord& piece : pieces(words[i], size, width)) {
        if (!lines.back().empty() && used + width_of(piece, size, false) > width) next_line();
        used += width_of(piece, size, lines.back().empty());
        const bool ends = piece.line_end;
        lines.back().push_back(std::move(piece));
        if (ends) next_line();
      }
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
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
