// Breaks text into lines and pages, and places pictures and rules.
#include "lessons/handout/page_flow.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/diagrams/scene/compose.h"

namespace rankscope {
namespace {

constexpr double kLeading = 1.45;
constexpr double kMostScale =
    0.75;                     // of pictures: their titles are no larger than the text's headings
constexpr double kFoot = 40;  // from the page's lower edge to its number
constexpr Font kNumber{10, Font::Weight::regular, false};

Box scaled_box(const Box& box, double factor) {
  return {box.x * factor, box.y * factor, box.width * factor, box.height * factor};
}

}  // namespace

Scene scaled(Scene scene, double factor) {
  scene.width *= factor;
  scene.height *= factor;
  for (Mark& mark : scene.marks) {
    mark.box = scaled_box(mark.box, factor);
    mark.line_width *= factor;
    mark.radius *= factor;
    mark.font.size *= factor;
    mark.origin = {mark.origin.x * factor, mark.origin.y * factor};
    for (Point& point : mark.points) point = {point.x * factor, point.y * factor};
  }
  return scene;
}

PageFlow::PageFlow(const Ruler& ruler, std::string title)
    : ruler_(ruler), title_(std::move(title)) {
  new_page();
}

void PageFlow::new_page() {
  Scene& page = pages_.emplace_back();
  page.width = kWidth;
  page.height = kHeight;
  page.title = title_;
  y_ = kMargin;
}

void PageFlow::space(double height) {
  if (y_ > kMargin) y_ += height;
}

void PageFlow::keep(double height) {
  if (y_ > kMargin && y_ + height > kHeight - kMargin) new_page();
}

double PageFlow::width_of(const FlowWord& word, bool first) const {
  const double width = ruler_.width(word.text, word.font);
  return first || !word.space_before ? width : width + ruler_.width(" ", word.font);
}

void PageFlow::words(const std::vector<FlowWord>& words, double left) {
  std::vector<const FlowWord*> line;
  double width = 0;
  for (const FlowWord& word : words) {
    if (!line.empty() && word.space_before && width + width_of(word, false) > room(left)) {
      put_line(line, left);
      line.clear();
      width = 0;
    }
    width += width_of(word, line.empty());
    line.push_back(&word);
    if (word.line_end) {
      put_line(line, left);
      line.clear();
      width = 0;
    }
  }
  if (!line.empty()) put_line(line, left);
}

void PageFlow::put_line(const std::vector<const FlowWord*>& line, double left) {
  double height = 0, ascent = 0;
  for (const FlowWord* word : line) {
    height = std::max(height, word->font.size * kLeading);
    ascent = std::max(ascent, ruler_.ascent(word->font));
  }
  keep(height);
  Drawing pen(pages_.back(), ruler_);
  double x = kMargin + left;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const FlowWord& word = *line[i];
    if (i > 0 && word.space_before) x += ruler_.width(" ", word.font);
    pen.text(word.text, {x, y_ + ascent}, word.font, word.ink);
    x += ruler_.width(word.text, word.font);
  }
  y_ += height;
}

void PageFlow::verbatim(std::string_view text, const Font& font, double left) {
  FlowWord word{ruler_.fitted(text, font, room(left)), font, {}, true, false};
  put_line({&word}, left);
}

void PageFlow::cells(const std::vector<std::vector<FlowWord>>& cells,
                     const std::vector<double>& at) {
  double height = 0;
  for (const auto& cell : cells)
    for (const FlowWord& word : cell) height = std::max(height, word.font.size * kLeading);
  keep(height);
  const double y = y_;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::vector<const FlowWord*> line;
    for (const FlowWord& word : cells[i]) line.push_back(&word);
    y_ = y;
    if (!line.empty()) put_line(line, at[i]);
  }
  y_ = y + height;
}

void PageFlow::sign(std::string_view text, const Font& font, double left) {
  keep(font.size * kLeading);
  Drawing(pages_.back(), ruler_).text(text, {kMargin + left, y_ + ruler_.ascent(font)}, font);
}

void PageFlow::picture(const Scene& scene) {
  constexpr double kMost = 560;  // half a page, so that few pages stay half empty
  const double factor = std::min({kMostScale, room() / scene.width, kMost / scene.height});
  const Scene small = scaled(scene, factor);
  keep(small.height);
  // Painters draw the page of a scene themselves, so that its marks are all that is taken over.
  place(small, {kMargin, y_}, pages_.back(), fmt::format("p{}-", pages_.back().groups.size()));
  pages_.back().width = kWidth;
  pages_.back().height = kHeight;
  y_ += small.height;
}

void PageFlow::rule(double left) {
  keep(2);
  Drawing(pages_.back(), ruler_)
      .line({kMargin + left, y_}, {kWidth - kMargin, y_}, {Tone::frame}, 1);
  y_ += 1;
}

std::vector<Scene> PageFlow::take() {
  for (std::size_t i = 0; i < pages_.size(); ++i)
    Drawing(pages_[i], ruler_)
        .text(fmt::format("{} · {} of {}", title_, i + 1, pages_.size()),
              {kWidth - kMargin, kHeight - kFoot}, kNumber, {Tone::muted}, Anchor::end);
  return std::move(pages_);
}

}  // namespace rankscope
