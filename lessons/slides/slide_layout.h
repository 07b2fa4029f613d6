// Puts text, lists, tables and programs on slides: measured, broken into lines, continued on the next slide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/slides/slide_words.h"
#include "lessons/text/markdown.h"

namespace rankscope {

/// Text, a list, a table or a program, made of Markdown and of right answers.
struct SlidePart {
  enum class Kind { words, item, code, table };
  Kind kind = Kind::words;
  int depth = 0;                   ///< An item's depth.
  std::string sign;                ///< The sign before it: "•", "a)".
  SlideWords words;                ///< The text of words and items.
  Ink ink;                         ///< The colour of words.
  double scale = 1;                ///< The size of its letters, relative to the slide's.
  std::vector<std::string> lines;  ///< The lines of code.
  int first_number = 0;            ///< The number of the first line of code; 0 without numbers.
  std::vector<std::vector<SlideWords>> rows;  ///< The rows of a table, its head first.
};

/// The parts of a block: whole, or only the key sentences of its paragraphs.
std::vector<SlidePart> slide_parts(const MarkdownBlock& block, bool whole, int depth = 0);

/// Adds the parts of a Markdown text: whole, or only its key sentences. With a sign ("a)") its paragraphs are items, of which
/// the first has it.
void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign = {});

/// Adds the options of an answer "b, d" in its order, or any other answer as typed.
void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts);

/// The comment at the head of a program as words, and its code with line numbers, without includes and namespace.
std::vector<SlidePart> program_parts(std::string_view program);

/// Lays parts out within `area` on pages of a slide's size, in the largest letters between `most` and `least` pixels with
/// which one page is enough, else in medium letters on several.
std::vector<Scene> laid_out(const std::vector<SlidePart>& parts, const Box& area, double most,
                            double least, const Ruler& ruler);

/// The lower edge of a page's contents.
double lowest(const Scene& page);

using SlideLine = std::vector<SlideWord>;

Font slide_font(const SlideWord& word, double size);

/// Breaks the words of a slide into lines.
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
