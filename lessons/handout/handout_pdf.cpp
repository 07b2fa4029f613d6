// Handouts as PDF: pages of text and pictures, painted as diagrams are.
#include <algorithm>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "lessons/handout/handout.h"
#include "lessons/text/markdown.h"
#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

using Kind = HandoutItem::Kind;
using B = MarkdownBlock::Kind;

constexpr Font kText{13, Font::Weight::regular, false};
constexpr Font kStrong{13, Font::Weight::semibold, false};
constexpr Font kSmall{11.5, Font::Weight::regular, false};
constexpr Font kTitle{26, Font::Weight::bold, false};
constexpr Font kSection{18, Font::Weight::semibold, false};
constexpr Font kCode{11, Font::Weight::regular, true};
constexpr Font kListing{10, Font::Weight::regular, true};
constexpr double kIndent = 20, kGap = 8, kWritingLine = 30, kColumnGap = 18, kCaptionRoom = 48,
                 kLongestQuestion = 420;  // longer ones are broken

class PdfWriter {
 public:
  PdfWriter(const Ruler& ruler, const Handout& handout)
      : flow_(ruler, handout.title), fixed_(handout.fixed) {}

  void head(const Handout& handout) {
    plain(handout.title, kTitle);
    plain(handout.summary, kText);
    plain(fmt::format("{}", fmt::join(handout.facts, " · ")), kSmall, {Tone::muted});
    flow_.space(kGap);
    plain(handout.fixed("Name") + ":", kSmall);
    flow_.rule();
    flow_.space(kGap);
  }

  /// Adds the first of these items; the following ones decide where a page ends.
  void add(std::span<const HandoutItem> items) {
    const HandoutItem& item = items.front();
    switch (item.kind) {
      case Kind::heading:
        flow_.space(2 * kGap);
        flow_.keep(room_of_heading(items.subspan(1)));
        plain(item.title, kSection);
        flow_.rule();
        return flow_.space(kGap);
      case Kind::text: return text(item, items.subspan(1));
      case Kind::figure: return figure(item);
      case Kind::listing: return listing(item);
      case Kind::question: return question(item);
      case Kind::coding: flow_.keep(room_of_exercise(item, items.subspan(1))); break;
      case Kind::note: return titled(fixed_("For the lecturer"), item, kIndent);
      case Kind::reveal:
      case Kind::answer: break;
    }
    titled(item.title, item, 0);
  }

  std::vector<Scene> take() { return flow_.take(); }

 private:
  /// For measuring.
  PdfWriter(const Ruler& ruler, const FixedWords& fixed) : flow_(ruler, ""), fixed_(fixed) {}

  /// The height of everything that `write` adds.
  double room_for(const std::function<void(PdfWriter&)>& write) const {
    PdfWriter trial(flow_.ruler(), fixed_);
    write(trial);
    return trial.flow_.used();
  }

  static bool is_picture(std::span<const HandoutItem> items) {
    return !items.empty() &&
           (items.front().kind == Kind::figure || items.front().kind == Kind::listing);
  }

  double picture_room(const HandoutItem& item) const {
    constexpr double kSpare = 4 * kGap;  // room below a block, and its distance
    return kSpare + room_for([&](PdfWriter& trial) {
             item.kind == Kind::figure ? trial.figure(item) : trial.listing(item);
           });
  }

  /// The height to keep for a block before a picture: a few lines stay on the picture's page.
  double lead_room(const MarkdownBlock& block, std::span<const HandoutItem> below) const {
    constexpr double kFewLines = 90;
    const double own = room_for([&](PdfWriter& trial) { trial.write(block, 0); });
    if (own > kFewLines || !is_picture(below)) return own;
    const double all = own + picture_room(below.front());
    return all <= PageFlow::kHeight - 2 * PageFlow::kMargin ? all : own;
  }

  /// The height to keep for lines before a program or table.
  double lead_room(const MarkdownBlock& block, const MarkdownBlock& next) const {
    constexpr double kFewLines = 90, kShort = 240;
    if (block.kind != B::paragraph || (next.kind != B::code && next.kind != B::table)) return 0;
    const double own = room_for([&](PdfWriter& trial) { trial.write(block, 0); });
    const double below = room_for([&](PdfWriter& trial) { trial.write(next, 0); });
    return own <= kFewLines && below <= kShort ? own + kGap + below : 0;
  }

  /// The height of a heading with everything that must stay below it on its page.
  double room_of_heading(std::span<const HandoutItem> below) const {
    constexpr double kHeading = 50, kFirstLines = 70;
    if (is_picture(below)) return kHeading + picture_room(below.front());
    if (below.empty() || below.front().kind != Kind::text) return kHeading + kFirstLines;
    const std::vector<MarkdownBlock> blocks = parse_markdown(below.front().text);
    if (blocks.size() != 1) return kHeading + kFirstLines;
    return kHeading + std::max(kFirstLines, lead_room(blocks.front(), below.subspan(1)));
  }

  /// The height of an exercise with its faulty program; 0 for one without, which may be broken anywhere.
  double room_of_exercise(const HandoutItem& item, std::span<const HandoutItem> below) const {
    if (!is_picture(below) || below.front().kind != Kind::listing) return 0;
    const double all = room_for([&](PdfWriter& trial) { trial.titled(item.title, item, 0); }) +
                       picture_room(below.front());
    return all <= kLongestQuestion ? all : 0;
  }

  void text(const HandoutItem& item, std::span<const HandoutItem> below) {
    const std::vector<MarkdownBlock> blocks = parse_markdown(item.text);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const bool is_last = i + 1 == blocks.size();
      if (is_last && is_picture(below)) flow_.keep(lead_room(blocks[i], below));
      if (!is_last) flow_.keep(lead_room(blocks[i], blocks[i + 1]));
      write(blocks[i], 0);
      flow_.space(kGap);
    }
  }

  static std::vector<FlowWord> words_of(const MarkdownLine& line, bool bold = false) {
    std::vector<FlowWord> out;
    bool space = true;  // between this span and the one before
    for (const MarkdownSpan& span : line) {
      if (span.line_break) {
        if (!out.empty()) out.back().line_end = true;
        continue;
      }
      const Font font = span.code ? kCode : span.strong || span.emphasis || bold ? kStrong : kText;
      space = space || span.text.starts_with(' ');
      for (FlowWord& word : flow_words(span.text, font, {}, space)) out.push_back(std::move(word));
      space = span.text.ends_with(' ');
    }
    return out;
  }

  void plain(std::string_view text, const Font& font, Ink ink = {}, double left = 0) {
    if (!text.empty()) flow_.words(flow_words(text, font, ink), left);
  }

  void markdown(std::string_view text, double left) {
    for (const MarkdownBlock& block : parse_markdown(text)) {
      write(block, left);
      flow_.space(kGap);
    }
  }

  void write(const MarkdownBlock& block, double left) {
    switch (block.kind) {
      case B::paragraph: return flow_.words(words_of(block.line), left);
      case B::heading: return flow_.words(words_of(block.line, true), left);
      case B::list: return list(block, left);
      case B::code: return code(block.code, left + kIndent, false);
      case B::table: return table(block, left);
      case B::rule: return flow_.rule(left);
      case B::quote:
      case B::item: break;
    }
    for (const MarkdownBlock& inner : block.blocks) write(inner, left + kIndent);
  }

  void list(const MarkdownBlock& block, double left) {
    int number = block.first;
    for (const MarkdownBlock& item : block.blocks) {
      flow_.sign(block.ordered ? fmt::format("{}.", number++) : "•", kText, left);
      if (!item.line.empty()) flow_.words(words_of(item.line), left + kIndent);
      for (const MarkdownBlock& inner : item.blocks) write(inner, left + kIndent);
    }
  }

  void code(std::string_view text, double left, bool numbered) {
    int number = 0;
    for (const std::string_view line : lines_of(text))
      flow_.verbatim(numbered ? fmt::format("{:>3}  {}", ++number, line) : std::string(line),
                     numbered ? kListing : kCode, left);
  }

  void table(const MarkdownBlock& block, double left) {
    std::vector<double> widths;
    for (const auto& row : block.rows) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      for (std::size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], flow_.ruler().width(plain_text(row[c]), kStrong) + 1);
    }
    const std::vector<PageFlow::Column> columns = columns_of(widths, left);
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      std::vector<std::vector<FlowWord>> cells;
      for (const MarkdownLine& cell : block.rows[r]) cells.push_back(words_of(cell, r == 0));
      flow_.cells(cells, columns);
      if (r == 0) flow_.rule(left);
    }
  }

  static std::vector<PageFlow::Column> columns_of(const std::vector<double>& widths, double left) {
    const auto gaps = kColumnGap * static_cast<double>(widths.size() - 1);
    std::vector<PageFlow::Column> out;
    for (const double width : fair_widths(widths, PageFlow::room(left) - gaps)) {
      out.push_back({left, width});
      left += width + kColumnGap;
    }
    return out;
  }

  void figure(const HandoutItem& item) {
    flow_.space(kGap);
    if (item.scene) flow_.picture(*item.scene, kCaptionRoom);
    else plain("(This picture is in the HTML handout.)", kSmall, {Tone::muted});
    plain(item.caption, kSmall, {Tone::muted});
    flow_.space(kGap);
  }

  void listing(const HandoutItem& item) {
    constexpr double kLine = 15, kCaption = 32, kMost = 600;  // longer ones are broken anyway
    flow_.space(kGap);
    const auto lines = static_cast<double>(ranges::count(item.text, '\n'));
    flow_.keep(std::min(lines * kLine + kCaption, kMost));
    code(item.text, 0, true);
    flow_.space(kGap / 2);
    plain(item.caption, kSmall, {Tone::muted});
    flow_.space(kGap);
  }

  /// The height of the hint how to answer, and of the first lines to write on.
  static double answer_room(const HandoutItem& item) {
    constexpr double kHow = 24;
    return kHow + kWritingLine * std::min(item.lines, 3);
  }

  /// The height of title, text and options.
  double text_room(const HandoutItem& item) const {
    return room_for([&](PdfWriter& trial) { trial.question_text(item); });
  }

  void question(const HandoutItem& item) {
    flow_.space(kGap);
    flow_.keep(std::min(text_room(item) + answer_room(item), kLongestQuestion));
    question_text(item);
    answer_lines(item);
  }

  void question_text(const HandoutItem& item) {
    plain(item.title, kStrong, {Tone::accent});
    markdown(item.text, kIndent);
    char letter = 'a';
    for (const std::string& option : item.options) {
      flow_.sign(fmt::format("{})", letter++), kText, kIndent);
      for (const MarkdownBlock& block : parse_markdown(option)) write(block, 2 * kIndent);
    }
  }

  void answer_lines(const HandoutItem& item) {
    // A line to write on does not stand alone on the next page.
    flow_.keep(answer_room(item));
    plain(fixed_("Answer") + ": " + item.how, kSmall, {Tone::muted}, kIndent);
    for (int i = 0; i < item.lines; ++i) {
      flow_.keep(kWritingLine);
      flow_.space(kWritingLine);
      flow_.rule(kIndent);
    }
    flow_.space(2 * kGap);
  }

  void titled(const std::string& title, const HandoutItem& item, double left) {
    flow_.space(kGap);
    flow_.keep(60);
    plain(title, kStrong, {}, left);
    if (item.kind == Kind::answer) plain(item.how, kCode, {}, left);
    markdown(item.text, left);
    if (item.kind != Kind::answer) plain(item.how, kSmall, {Tone::muted}, left);
  }

  PageFlow flow_;
  FixedWords fixed_;
};

}  // namespace

std::vector<Scene> handout_pages(const Handout& handout) {
  PdfWriter writer(system_ruler(), handout);
  writer.head(handout);
  for (std::size_t i = 0; i < handout.items.size(); ++i)
    writer.add(std::span(handout.items).subspan(i));
  return writer.take();
}

std::string to_pdf(const Handout& handout) {
  return to_pdf(handout_pages(handout), Theme(Theme::Kind::print));
}

}  // namespace rankscope
