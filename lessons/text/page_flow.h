// Places text and pictures on pages of A4, which are scenes, as diagrams are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/line_break.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct FlowWord {
  std::string text;
  Font font;
  Ink ink;
  bool space_before = true;
  bool line_end = false;  ///< A line ends after it.
  bool may_break =
      false;  ///< A line may be broken before it without a space, as between Chinese characters.
};

/// Splits a word where a line may be broken: before each Chinese, Japanese or Korean character that does not end a phrase.
std::vector<std::string> wide_pieces(std::string_view word);
/// A text's words. `space_first`: whether a space separates them from the text before.
std::vector<FlowWord> flow_words(std::string_view text, const Font& font, Ink ink = {},
                                 bool space_first = true);

class PageFlow {
 public:
  static constexpr double kWidth = 794, kHeight = 1123;  ///< A4 at 96 pixels an inch.
  static constexpr double kMargin = 72;

  PageFlow(const Ruler& ruler, std::string title);

  /// Adds lines of words between `left`, measured from the left margin, and the right margin.
  void words(const std::vector<FlowWord>& words, double left = 0);
  /// Adds a line of a program; the part that does not fit continues below, indented.
  void verbatim(std::string_view text, const Font& font, double left);
  /// A column of a table, measured from the left margin.
  struct Column {
    double left = 0, width = 0;
  };
  /// Adds a row of cells, each broken into lines of its column.
  void cells(const std::vector<std::vector<FlowWord>>& cells, const std::vector<Column>& columns);
  /// Puts a bullet or number beside the next line.
  void sign(std::string_view text, const Font& font, double left);
  /// Adds a picture that has room `below` it on its page, for a caption.
  void picture(const Scene& scene, double below = 0);
  void rule(double left = 0);
  void space(double height);
  /// Begins a new page if this one has less room than `height`.
  void keep(double height);
  static double room(double left = 0) { return kWidth - 2 * kMargin - left; }
  const Ruler& ruler() const noexcept { return ruler_; }
  /// The height of everything so far, without the empty ends of pages.
  double used() const noexcept { return full_ + y_ - kMargin; }
  std::vector<Scene> take();

 private:
  void new_page();
  void put_line(const std::vector<FlowWord>& line, double left);
  std::vector<std::vector<FlowWord>> broken(const std::vector<FlowWord>& words, double width) const;
  static double height_of(const std::vector<FlowWord>& line);

  const Ruler& ruler_;
  std::string title_;
  std::vector<Scene> pages_;
  double y_ = 0;
  struct Sign {
    std::string text;
    Font font;
    double left = 0;
  };
  std::optional<Sign> sign_;
  double full_ = 0;  ///< The used height of the pages before this one.
};

/// Calls `put` with a word, or, where it alone is wider than `room`, as a long formula is, with its pieces, after each of
/// which a line ends.
template <class Word, class Put>
void put_in_pieces(Word word, double room, const TextWidth& width, const Put& put) {
  while (width(word.text) > room) {
    const std::size_t end = fitting_bytes(word.text, room, width);
    if (end == word.text.size()) break;
    Word piece = word;
    piece.text.resize(end);
    piece.line_end = true;
    put(std::move(piece));
    word.text.erase(0, end);
  }
  put(std::move(word));
}
/// Divides words, whose widths are `places`, into lines.
template <class Word>
std::vector<std::vector<Word>> in_lines(const std::vector<Word>& words,
                                        const std::vector<LineWord>& places, double room) {
  std::vector<std::vector<Word>> out;
  auto at = words.begin();
  for (const std::size_t line_end : line_ends(places, room)) {
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(line_end);
    out.emplace_back(at, behind);
    at = behind;
  }
  return out;
}
/// A line of a program as lines of at most `columns` columns.
std::vector<std::string> code_lines(std::string_view line, std::size_t columns);

/// Returns the widths of a table's columns: narrow ones are as wide as wanted, the others share the rest of `room`.
std::vector<double> fair_widths(std::vector<double> wanted, double room);

/// A scene, smaller or larger.
Scene scaled(Scene scene, double factor);

}  // namespace rankscope
