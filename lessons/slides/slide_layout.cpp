// Lays out the parts of a slide, line by line.
#include "lessons/slides/slide_layout.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/slides/slides.h"
#include "lessons/text/list_text.h"
#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

void list_parts(const MarkdownBlock& list, bool whole, int depth, std::vector<SlidePart>& out) {
  int number = list.first;
  for (const MarkdownBlock& item : list.blocks) {
    SlidePart part;
    part.kind = SlidePart::Kind::item;
    part.depth = depth;
    part.sign = list.ordered ? fmt::format("{}.", number++) : "•";
    auto inner = item.blocks.begin();
    const MarkdownLine* line = &item.line;
    if (line->empty() && inner != item.blocks.end() &&
        inner->kind == MarkdownBlock::Kind::paragraph)
      line = &(inner++)->line;
    part.words = whole ? slide_words(*line) : key_sentences(slide_words(*line));
    out.push_back(std::move(part));
    for (; inner != item.blocks.end(); ++inner)
      for (SlidePart& below : slide_parts(*inner, whole, depth + 1))
        out.push_back(std::move(below));
  }
}

constexpr double kSlideLeading = 1.32, kPartGap = 0.55, kItemGap = 0.3;
constexpr double kSlideCode = 0.74, kSlideTable = 0.82;  // of the letters around it
constexpr double kLeastCode = 15, kCodeStep = 0.5, kCodePadding = 18, kCellGap = 30, kRowGap = 0.35;
constexpr double kItemIndent = 1.4, kSignGap = 0.4;
constexpr double kLeastTable = 22;
constexpr double kSizeStep = 2;
constexpr double kOnSeveralPages = 28;

class SlideColumn {
 public:
  SlideColumn(const Ruler& ruler, const Box& area, double size)
      : ruler_(ruler), breaker_(ruler), area_(area), size_(size) {
    new_page();
  }

  void add(const SlidePart& part) {
    if (y_ > area_.y) y_ += size_ * (part.kind == SlidePart::Kind::item ? kItemGap : kPartGap);
    const double size = size_ * part.scale;
    switch (part.kind) {
      case SlidePart::Kind::words: return words(part, size, 0);
      case SlidePart::Kind::item: return item(part, size);
      case SlidePart::Kind::code: return code(part, size);
      case SlidePart::Kind::table: return table(part, size * kSlideTable);
    }
  }

  std::vector<Scene> take() { return std::move(pages_); }

 private:
  void new_page() {
    Scene& page = pages_.emplace_back();
    page.width = Slide::kWidth;
    page.height = Slide::kHeight;
    y_ = area_.y;
  }

  // A part that does not fit on this page begins a new one, unless it fits on none.
  void keep(double height) {
    if (y_ > area_.y && y_ + height > area_.bottom() + 0.5) new_page();
  }

  void put(const SlideLine& line, double size, double x, double y, const Ink& ink) {
    Drawing pen(pages_.back(), ruler_);
    const double base = y + ruler_.ascent({size});
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Font font = slide_font(line[i], size);
      if (i > 0 && line[i].space_before) x += breaker_.space(size);
      pen.text(line[i].text, {x, base}, font, ink);
      x += ruler_.width(line[i].text, font);
    }
  }

  void words(const SlidePart& part, double size, double left) {
    const auto lines = breaker_.lines(part.words, size, area_.width - left);
    const double height = size * kSlideLeading;
    keep(std::min(height * static_cast<double>(lines.size()), area_.height));
    if (!part.sign.empty())
      Drawing(pages_.back(), ruler_)
          .text(part.sign, {area_.x + left - size * kSignGap, y_ + ruler_.ascent({size})}, {size},
                {Tone::accent}, Anchor::end);
    for (const SlideLine& line : lines) {
      keep(height);
      put(line, size, area_.x + left, y_, part.ink);
      y_ += height;
    }
  }

  void item(const SlidePart& part, double size) {
    words(part, size, size * kItemIndent * (part.depth + 1));
  }

  // Continues lines that are too long even in small letters below, indented.
  std::vector<std::string> fitted_lines(const SlidePart& part, const Font& font,
                                        double width) const {
    const auto columns = static_cast<std::size_t>(width / ruler_.width("0", font));
    std::vector<std::string> out;
    int number = part.first_number;
    for (const std::string& line : part.lines)
      for (std::string& one :
           code_lines(number > 0 ? fmt::format("{:>3}  {}", number++, line) : line, columns))
        out.push_back(std::move(one));
    return out;
  }

  // The largest size in which at most this many lines are broken.
  double largest_code(const SlidePart& part, double size, double width, std::size_t broken) const {
    const std::string head = part.first_number > 0 ? "     " : "";
    for (;; size = std::max(kLeastCode, size - kCodeStep)) {
      const Font font{size, Font::Weight::regular, true};
      const auto wide = ranges::count_if(part.lines, [&](const std::string& line) {
        return ruler_.width(head + line, font) > width;
      });
      if (static_cast<std::size_t>(wide) <= broken || size <= kLeastCode) return size;
    }
  }

  double code_height(double size, std::size_t lines) const {
    return size * kSlideLeading * static_cast<double>(lines) + 2 * kCodePadding;
  }

  // Breaks up to an eighth of the lines, often long comments, if all others become clearly larger, and prefers one page in
  // smaller letters to two.
  Font code_font(const SlidePart& part, double size, double width) const {
    constexpr std::size_t kOneBroken = 8;  // one broken line per this many
    constexpr double kAlike = 0.88;
    const double whole = largest_code(part, size, width, 0);
    Font font{largest_code(part, size, width, part.lines.size() / kOneBroken),
              Font::Weight::regular, true};
    for (Font smaller = font;; smaller.size = std::max(kLeastCode, smaller.size - kCodeStep)) {
      const auto lines = fitted_lines(part, smaller, width).size();
      if (code_height(smaller.size, lines) <= area_.height) {
        font = smaller;
        break;
      }
      if (smaller.size <= kLeastCode) break;
    }
    if (whole >= kAlike * font.size) font.size = std::min(whole, font.size);
    return font;
  }

  void code(const SlidePart& part, double size) {
    const double width = area_.width - 2 * kCodePadding;
    const Font font = code_font(part, size * kSlideCode, width);
    const auto lines = fitted_lines(part, font, width);
    const double height = font.size * kSlideLeading;
    keep(std::min(code_height(font.size, lines.size()), area_.height));
    for (std::size_t i = 0; i < lines.size();) {
      keep(height + 2 * kCodePadding);
      const double room = (area_.bottom() - y_ - 2 * kCodePadding) / height;
      const std::size_t count =
          std::min(lines.size() - i, static_cast<std::size_t>(std::max(1.0, room)));
      panel(lines, i, count, font);
      i += count;
    }
  }

  void panel(const std::vector<std::string>& lines, std::size_t from, std::size_t count,
             const Font& font) {
    const double height = font.size * kSlideLeading;
    const Box box{area_.x, y_, area_.width, height * static_cast<double>(count) + 2 * kCodePadding};
    Drawing pen(pages_.back(), ruler_);
    pen.box(box, Ink{Tone::panel}, Ink{Tone::frame}, 8);
    double y = y_ + kCodePadding;
    for (std::size_t i = from; i < from + count; ++i) {
      if (!lines[i].empty())
        pen.text(lines[i], {area_.x + kCodePadding, y + ruler_.ascent(font)}, font);
      y += height;
    }
    y_ = box.bottom();
  }

  // Returns the widths of the columns without line breaks.
  std::vector<double> natural_widths(const SlidePart& part, double size) const {
    std::vector<double> natural;
    for (const auto& row : part.rows) {
      natural.resize(std::max(natural.size(), row.size()), 0);
      for (std::size_t c = 0; c < row.size(); ++c) {
        double width = 0;
        for (SlideWord word : row[c]) {
          word.strong = true;  // like the table's head
          width += breaker_.width_of(word, size, width == 0);
        }
        natural[c] = std::max(natural[c], width + 1);
      }
    }
    return natural;
  }

  std::vector<double> column_widths(const SlidePart& part, double size) const {
    const std::vector<double> natural = natural_widths(part, size);
    return fair_widths(natural, area_.width - kCellGap * static_cast<double>(natural.size() - 1));
  }

  double row(const std::vector<SlideWords>& cells, const std::vector<double>& widths, double size,
             bool head, bool draw) {
    double height = 0, x = area_.x;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      SlideWords words = cells[c];
      if (head)
        for (SlideWord& word : words) word.strong = true;
      double y = y_;
      for (const SlideLine& line : breaker_.lines(words, size, widths[c])) {
        if (draw) put(line, size, x, y, {});
        y += size * kSlideLeading;
      }
      height = std::max(height, y - y_);
      x += widths[c] + kCellGap;
    }
    return height + size * kRowGap;
  }

  void head(const SlidePart& part, const std::vector<double>& widths, double size) {
    y_ += row(part.rows[0], widths, size, true, true);
    Drawing(pages_.back(), ruler_)
        .line({area_.x, y_ - size * kRowGap / 2}, {area_.right(), y_ - size * kRowGap / 2},
              {Tone::muted}, 2);
    y_ += size * kRowGap / 2;
  }

  void table(const SlidePart& part, double size) {
    if (part.rows.empty()) return;
    // Letters shrink before a cell is broken.
    const auto gaps = kCellGap * static_cast<double>(part.rows[0].size() - 1);
    double natural = 0;
    for (const double width : natural_widths(part, size)) natural += width;
    size = std::clamp(size * (area_.width - gaps) / natural, std::min(kLeastTable, size), size);
    const auto widths = column_widths(part, size);
    double height = 0;
    for (std::size_t r = 0; r < part.rows.size(); ++r)
      height += row(part.rows[r], widths, size, r == 0, false);
    keep(std::min(height + size, area_.height));
    head(part, widths, size);
    for (std::size_t r = 1; r < part.rows.size(); ++r) {
      const auto page = pages_.size();
      keep(row(part.rows[r], widths, size, false, false));
      if (pages_.size() != page) head(part, widths, size);
      y_ += row(part.rows[r], widths, size, false, true);
    }
  }

  const Ruler& ruler_;
  const SlideLineBreaker breaker_;
  const Box area_;
  const double size_;
  std::vector<Scene> pages_;
  double y_ = 0;
};

std::vector<Scene> pages_with(const std::vector<SlidePart>& parts, const Box& area, double size,
                              const Ruler& ruler) {
  SlideColumn column(ruler, area, size);
  for (const SlidePart& part : parts) column.add(part);
  return column.take();
}

constexpr double kWidestFormula = 0.5;  // of a line; a longer one is broken like a text
constexpr double kShortestLast = 0.2;   // of a line; a shorter last line looks lost
constexpr double kNarrowest = 0.78;     // of the width, to even lines out
constexpr double kNarrower = 0.03;      // of the width: each step to it

}  // namespace

std::vector<SlidePart> slide_parts(const MarkdownBlock& block, bool whole, int depth) {
  using K = MarkdownBlock::Kind;
  std::vector<SlidePart> out;
  SlidePart part;
  switch (block.kind) {
    case K::heading:
    case K::paragraph:
      part.words = whole ? slide_words(block.line) : key_sentences(slide_words(block.line));
      if (!part.words.empty()) out.push_back(std::move(part));
      break;
    case K::list: list_parts(block, whole, depth, out); break;
    case K::code:
      part.kind = SlidePart::Kind::code;
      for (const std::string_view line : lines_of(block.code)) part.lines.emplace_back(line);
      out.push_back(std::move(part));
      break;
    case K::table:
      part.kind = SlidePart::Kind::table;
      for (const auto& row : block.rows) {
        auto& cells = part.rows.emplace_back();
        for (const MarkdownLine& cell : row) cells.push_back(slide_words(cell));
      }
      out.push_back(std::move(part));
      break;
    case K::quote:
    case K::item:
      for (const MarkdownBlock& inner : block.blocks)
        for (SlidePart& one : slide_parts(inner, whole, depth)) out.push_back(std::move(one));
      break;
    case K::rule: break;
  }
  return out;
}

void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign) {
  for (const MarkdownBlock& block : parse_markdown(text))
    for (SlidePart& part : slide_parts(block, whole)) {
      if (!sign.empty() && part.kind == SlidePart::Kind::words) {
        part.kind = SlidePart::Kind::item;
        part.sign = std::exchange(sign, "");
        if (part.sign.empty()) part.sign = " ";
      }
      parts.push_back(std::move(part));
    }
}

void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts) {
  std::vector<std::size_t> chosen;
  for (const std::string_view letter : split_at(shown, ", "))
    if (letter.size() == 1 && letter[0] >= 'a' &&
        static_cast<std::size_t>(letter[0] - 'a') < options.size())
      chosen.push_back(static_cast<std::size_t>(letter[0] - 'a'));
    else if (!letter.empty()) chosen.push_back(options.size());
  if (options.empty() || ranges::find(chosen, options.size()) != chosen.end()) {
    SlidePart part;
    bool space = false;
    for (const std::string_view word : split_at(shown, " \n")) {
      if (!word.empty())
        part.words.push_back({std::string(word), true, false, false, space, false});
      space = true;
    }
    part.ink = {Tone::accent};
    parts.push_back(std::move(part));
    return;
  }
  for (const std::size_t option : chosen)
    add_markdown(options[option], true, parts, fmt::format("{})", static_cast<char>('a' + option)));
}

std::vector<SlidePart> program_parts(std::string_view program) {
  SlidePart words, code;
  words.scale = 0.75;
  words.ink = {Tone::muted};
  code.kind = SlidePart::Kind::code;
  int number = 0;
  for (const std::string_view line : lines_of(program)) {
    ++number;
    const bool is_head = line.empty() || line.starts_with("#") || line.starts_with("//") ||
                         line.starts_with("namespace ");
    if (code.lines.empty() && is_head) {
      if (line.starts_with("// "))
        for (const std::string_view word : split_at(line.substr(3), " "))
          words.words.push_back({std::string(word), false, false, false, true, false});
      continue;
    }
    if (code.lines.empty()) code.first_number = number;
    code.lines.emplace_back(line);
  }
  while (!code.lines.empty() &&
         (code.lines.back().empty() || code.lines.back().starts_with("}  // namespace")))
    code.lines.pop_back();
  if (words.words.empty()) return {code};
  return {words, code};
}

std::vector<Scene> laid_out(const std::vector<SlidePart>& parts, const Box& area, double most,
                            double least, const Ruler& ruler) {
  for (double size = most; size >= least; size -= kSizeStep)
    if (auto pages = pages_with(parts, area, size, ruler); pages.size() == 1) return pages;
  return pages_with(parts, area, std::clamp(kOnSeveralPages, least, most), ruler);
}

double lowest(const Scene& page) {
  double out = 0;
  for (const Mark& mark : page.marks) out = std::max(out, mark.box.bottom());
  return out;
}

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
