// Breaks text into lines and pages, and places pictures and rules.
#include "lessons/text/page_flow.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr double kLeading = 1.45;
constexpr double kMostScale =
    0.75;                     // of pictures, so that their titles are no larger than headings
constexpr double kFoot = 40;  // from the page's lower edge to its number
constexpr Font kNumber{10, Font::Weight::regular, false};

Box scaled_box(const Box& box, double factor) {
  return {box.x * factor, box.y * factor, box.width * factor, box.height * factor};
}

bool is_wide(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x20000 && c <= 0x3FFFF);
}

/// 、。，．：；？！）】》 and closing quotation marks never begin a line.
bool ends_phrase(char32_t c) {
  constexpr std::u32string_view kSigns =
      U"\u3001\u3002\uFF0C\uFF0E\uFF1A\uFF1B\uFF1F\uFF01\uFF09\u3011\u300B\u201D\u2019";
  return kSigns.find(c) != kSigns.npos;
}
/// （【《 never end one.
bool begins_phrase(char32_t c) { return c == 0xFF08 || c == 0x3010 || c == 0x300A || c == 0x201C; }

/// Recognises ideographs by the first byte of U+4000 to U+9FFF.
bool is_ideograph(const std::string& piece) {
  const auto byte = static_cast<unsigned char>(piece.front());
  return byte >= 0xE4 && byte <= 0xE9;
}

/// The number of lines from this one on that stay on one page, so that no line of a paragraph is alone.
std::size_t kept_lines(std::size_t line, std::size_t lines) {
  if (line == 0) return lines <= 3 ? lines : 2;
  return line + 2 == lines ? 2 : 1;
}

}  // namespace

std::vector<double> fair_widths(std::vector<double> wanted, double room) {
  std::vector<double> order = wanted;
  ranges::sort(order);
  double share = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    share = room / static_cast<double>(order.size() - i);
    if (order[i] > share) break;
    room -= order[i];
  }
  for (double& width : wanted) width = std::min(width, share);
  return wanted;
}

std::vector<std::string> wide_pieces(std::string_view word) {
  std::vector<std::string> out;
  char32_t before = 0;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(word, at);
    const bool wide = is_wide(c) || is_wide(before);
    if (out.empty() || (wide && !ends_phrase(c) && !begins_phrase(before))) out.emplace_back();
    out.back() += word.substr(from, at - from);
    before = c;
  }
  return out;
}

std::vector<FlowWord> flow_words(std::string_view text, const Font& font, Ink ink,
                                 bool space_first) {
  std::vector<FlowWord> out;
  bool space = space_first;
  for (const std::string_view word : split_at(text, " ")) {
    bool first = true;
    for (const std::string& piece : wide_pieces(word)) {
      out.push_back({piece, font, ink, space, false, !space && (!first || is_ideograph(piece))});
      first = space = false;
    }
    space = true;
  }
  return out;
}

std::vector<std::string> code_lines(std::string_view line, std::size_t columns) {
  std::vector<std::string> out;
  for (const CodePart& part : code_parts(line, columns))
    out.push_back(
        std::string(part.indent, ' ').append(line.substr(part.begin, part.end - part.begin)));
  return out;
}

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
  if (!pages_.empty()) full_ += y_ - kMargin;
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

std::vector<std::vector<FlowWord>> PageFlow::broken(const std::vector<FlowWord>& words,
                                                    double room) const {
  std::vector<FlowWord> pieces;
  std::vector<LineWord> places;
  for (const FlowWord& word : words)
    put_in_pieces(word, room, ruler_.measure(word.font), [&](FlowWord piece) {
      places.push_back({.width = ruler_.width(piece.text, piece.font),
                        .gap = piece.space_before ? ruler_.width(" ", piece.font) : 0,
                        .tied = !piece.space_before && !piece.may_break,
                        .ends_line = piece.line_end});
      pieces.push_back(std::move(piece));
    });
  return in_lines(pieces, places, room);
}

void PageFlow::words(const std::vector<FlowWord>& words, double left) {
  const auto lines = broken(words, room(left));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::size_t together = kept_lines(i, lines.size()); together > 1) {
      double height = 0;
      for (std::size_t k = i; k < i + together; ++k) height += height_of(lines[k]);
      keep(height);
    }
    put_line(lines[i], left);
  }
}

double PageFlow::height_of(const std::vector<FlowWord>& line) {
  double height = 0;
  for (const FlowWord& word : line) height = std::max(height, word.font.size * kLeading);
  return height;
}

void PageFlow::put_line(const std::vector<FlowWord>& line, double left) {
  const double height = height_of(line);
  double ascent = 0;
  for (const FlowWord& word : line) ascent = std::max(ascent, ruler_.ascent(word.font));
  keep(height);
  Drawing pen(pages_.back(), ruler_);
  if (sign_)
    pen.text(sign_->text, {kMargin + sign_->left, y_ + ruler_.ascent(sign_->font)}, sign_->font);
  sign_.reset();
  double x = kMargin + left;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const FlowWord& word = line[i];
    if (i > 0 && word.space_before) x += ruler_.width(" ", word.font);
    pen.text(word.text, {x, y_ + ascent}, word.font, word.ink);
    x += ruler_.width(word.text, word.font);
  }
  y_ += height;
}

void PageFlow::verbatim(std::string_view text, const Font& font, double left) {
  const double columns = room(left) / ruler_.width("0", font);
  for (std::string& line : code_lines(text, static_cast<std::size_t>(columns)))
    put_line({{std::move(line), font, {}}}, left);
}

void PageFlow::cells(const std::vector<std::vector<FlowWord>>& cells,
                     const std::vector<Column>& columns) {
  std::vector<std::vector<std::vector<FlowWord>>> lines;
  double height = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double own = 0;
    for (const auto& line : lines.emplace_back(broken(cells[i], columns[i].width)))
      own += height_of(line);
    height = std::max(height, own);
  }
  keep(height);
  const double top = y_;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    y_ = top;
    for (const auto& line : lines[i]) put_line(line, columns[i].left);
  }
  y_ = top + height;
}

void PageFlow::sign(std::string_view text, const Font& font, double left) {
  sign_ = Sign{std::string(text), font, left};
}

void PageFlow::picture(const Scene& scene, double below) {
  constexpr double kMost = 560;  // half a page, so that few pages stay half empty
  const double factor = std::min({kMostScale, room() / scene.width, kMost / scene.height});
  const Scene small = scaled(scene, factor);
  keep(small.height + below);
  // Painters draw a scene's page themselves, so only its marks are copied.
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
