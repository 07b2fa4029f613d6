// Text and pictures one below the other on pages of A4, as scenes: what paints diagrams paints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct FlowWord {
  std::string text;
  Font font;
  Ink ink;
  bool space_before = true;
  bool line_end = false;  ///< The line is broken behind it.
  bool may_break =
      false;  ///< The line may be broken before it, without a space: between Chinese characters.
};

/// A word as pieces between which a line may be broken: before each Chinese, Japanese or Korean character, unless it is a
/// sign that ends a phrase; one piece for a word without such characters.
std::vector<std::string> wide_pieces(std::string_view word);

class PageFlow {
 public:
  static constexpr double kWidth = 794, kHeight = 1123;  ///< A4 at 96 pixels an inch.
  static constexpr double kMargin = 72;

  PageFlow(const Ruler& ruler, std::string title);

  /// Lines of words between `left` (from the margin) and the right margin.
  void words(const std::vector<FlowWord>& words, double left = 0);
  /// A line of a program's text; what has no room goes on below it, indented.
  void verbatim(std::string_view text, const Font& font, double left);
  /// A column of a table, from the margin.
  struct Column {
    double left = 0, width = 0;
  };
  /// Cells of a row, each broken into lines of its column.
  void cells(const std::vector<std::vector<FlowWord>>& cells, const std::vector<Column>& columns);
  /// Beside the line that comes next, wherever it is put: a bullet, a number.
  void sign(std::string_view text, const Font& font, double left);
  /// With so much room `below` it on its page, for a caption.
  void picture(const Scene& scene, double below = 0);
  void rule(double left = 0);
  void space(double height);
  /// A new page if there is less room than this on the page.
  void keep(double height);
  static double room(double left = 0) { return kWidth - 2 * kMargin - left; }
  const Ruler& ruler() const noexcept { return ruler_; }
  /// How high all that was put so far is, without the ends of pages that stayed empty before it.
  double used() const noexcept { return full_ + y_ - kMargin; }
  std::vector<Scene> take();

 private:
  void new_page();
  void put_line(const std::vector<FlowWord>& line, double left);
  double width_of(const FlowWord& word, bool first) const;
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
  double full_ = 0;  ///< Of the pages before this one.
};

/// Of a table's columns, the narrow ones are as wide as they want, and the others share what is left of `room`.
std::vector<double> fair_widths(std::vector<double> wanted, double room);

/// The same picture, smaller or larger.
Scene scaled(Scene scene, double factor);

}  // namespace rankscope
