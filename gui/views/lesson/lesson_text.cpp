// Lays out and draws Markdown blocks with Dear ImGui.
#include "gui/views/lesson/lesson_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/line_break.h"
#include "engine/core/base/text.h"

namespace rankscope::gui {
namespace {

constexpr double kLine = 1.42;  ///< From line to line, of the letters' size.
constexpr double kGap = 9;      ///< Between paragraphs.
constexpr double kIndent = 20;
constexpr std::size_t kMostTexts = 400;

/// A word, or the end of a line, which has no text.
struct Word {
  std::string_view text;
  const MarkdownSpan* span = nullptr;
  Look::Face face;
  LineWord place;
};

Font font_of(const MarkdownSpan& span, const TextStyle& style) {
  const bool heavy = span.strong || style.strong;
  return {span.code ? style.size - 1 : style.size,
          heavy ? Font::Weight::semibold : Font::Weight::regular, span.code};
}

float width_of(const Look::Face& face, std::string_view text) { return face.extent(text).x; }

// A word that is wider than the column goes on in the next line: nothing lies beside the column.
void add_word(std::vector<Word>& words, Word word, float pad, float width) {
  const auto set_width = [&] {
    word.place.width = static_cast<double>(width_of(word.face, word.text) + pad);
  };
  set_width();
  while (word.place.width > static_cast<double>(width) && width > 2 * pad + word.face.size) {
    const std::size_t fits = fitting_bytes(
        word.text, static_cast<double>(width - pad),
        [&](std::string_view text) { return static_cast<double>(width_of(word.face, text)); });
    if (fits >= word.text.size()) break;
    Word part = word;
    part.text = word.text.substr(0, fits);
    part.place.width = static_cast<double>(width_of(part.face, part.text) + pad);
    part.place.ends_line = true;
    words.push_back(part);
    word.text.remove_prefix(fits);
    set_width();
  }
  words.push_back(word);
}

std::vector<Word> words_of(const Look& look, const MarkdownLine& line, const TextStyle& style,
                           float width) {
  std::vector<Word> words;
  const auto blank =
      static_cast<double>(width_of(look.face({style.size, Font::Weight::regular, false}), " "));
  bool space = false;
  for (const MarkdownSpan& span : line) {
    if (span.line_break) {
      words.push_back({{}, &span, {}, {.tied = true, .ends_line = true}});
      space = false;
      continue;
    }
    const Look::Face face = look.face(font_of(span, style));
    std::string_view rest = span.text;
    // Code stays in one line, as long as the line has room for it.
    const bool whole = span.code && rest.find('\n') == std::string_view::npos;
    while (!rest.empty()) {
      const auto begin = rest.find_first_not_of(" \n");
      if (begin != 0) space = true;
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const auto end =
          whole ? rest.find_last_not_of(' ') + 1 : std::min(rest.find_first_of(" \n"), rest.size());
      const LineWord place{.gap = space ? blank : 0, .tied = !space};
      add_word(words, {rest.substr(0, end), &span, face, place}, span.code ? 2 * look.px(3) : 0,
               width);
      space = false;
      rest.remove_prefix(end);
    }
  }
  return words;
}

// There is no slanted font: the letters of emphasised words are leant.
void lean(ImDrawList& list, int first_vertex, float baseline) {
  for (int i = first_vertex; i < list.VtxBuffer.Size; ++i)
    list.VtxBuffer[i].pos.x += (baseline - list.VtxBuffer[i].pos.y) * 0.2F;
}

void draw_word(const Look& look, const Word& word, ImVec2 at, float baseline, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pad = word.span->code ? look.px(3) : 0;
  const ImVec2 place{at.x + pad, baseline - word.face.ascent};
  if (word.span->code)
    list.AddRectFilled(
        {at.x, place.y - look.px(1)},
        {at.x + static_cast<float>(word.place.width), place.y + word.face.size + look.px(1)},
        look.palette().control, look.px(3));
  const int before = list.VtxBuffer.Size;
  word.face.draw(list, place, color, word.text);
  if (word.span->emphasis) lean(list, before, baseline);
}

/// A program whose long lines go on below, further to the right.
std::string wrapped_code(std::string_view code, std::size_t columns) {
  std::string all;
  for (const std::string_view line : lines_of(code))
    for (const CodePart& part : code_parts(line, columns))
      all.append(part.indent, ' ').append(line.substr(part.begin, part.end - part.begin)) += '\n';
  if (!all.empty()) all.pop_back();
  return all;
}

void code_block(const Look& look, const std::string& code, float width) {
  constexpr float kSmallest = 12.0F / 13;
  const Look::Face face = look.face({13, Font::Weight::regular, true});
  std::string text = code;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const float pad = look.px(10), letter = face.extent("m").x;
  const auto columns = static_cast<std::size_t>(
      std::max((width - 2 * pad) / std::max(letter * kSmallest, 1.0F), 16.0F));
  text = wrapped_code(text, columns);
  const ImVec2 size = face.extent(text);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float shrink = std::clamp((width - 2 * pad) / std::max(size.x, 1.0F), kSmallest, 1.0F);
  const float high = size.y * shrink + 2 * pad;
  list.AddRectFilled(at, {at.x + width, at.y + high}, look.palette().window, look.px(6));
  list.AddRect(at, {at.x + width, at.y + high}, look.palette().panel_edge, look.px(6));
  list.PushClipRect(at, {at.x + width - look.px(4), at.y + high}, true);
  list.AddText(face.font, face.size * shrink, {at.x + pad, at.y + pad}, look.palette().text,
               text.c_str());
  list.PopClipRect();
  ImGui::Dummy({width, high});
}

class Painter {
 public:
  Painter(const Look& look, const TextStyle& style) : look_(look), style_(style) {}

  void blocks(const std::vector<MarkdownBlock>& all, float width) {
    bool first = true;
    for (const MarkdownBlock& block : all) {
      if (!first) gap(kGap);
      first = false;
      this->block(block, width);
    }
  }

 private:
  void gap(double height) const { ImGui::Dummy({0, look_.px(height)}); }

  void line(const MarkdownLine& text, float width, const TextStyle& style) const {
    const float high = flow(look_, text, ImGui::GetCursorScreenPos(), width, style);
    ImGui::Dummy({width, high});
  }

  void block(const MarkdownBlock& block, float width) {
    switch (block.kind) {
      case MarkdownBlock::Kind::paragraph: return line(block.line, width, style_);
      case MarkdownBlock::Kind::heading: {
        TextStyle style = style_;
        style.size += block.level <= 2 ? 2 : 0;
        style.strong = true;
        return line(block.line, width, style);
      }
      case MarkdownBlock::Kind::list: return list(block, width);
      case MarkdownBlock::Kind::item: return item(block, width);
      case MarkdownBlock::Kind::quote: return indented(block, width, kIndent * 0.7);
      case MarkdownBlock::Kind::code: return code_block(look_, block.code, width);
      case MarkdownBlock::Kind::table: return table(block, width);
      case MarkdownBlock::Kind::rule: return ImGui::Separator();
    }
  }

  void indented(const MarkdownBlock& block, float width, double by) {
    const float indent = look_.px(by);
    ImGui::Indent(indent);
    item(block, width - indent);
    ImGui::Unindent(indent);
  }

  void item(const MarkdownBlock& block, float width) {
    if (!block.line.empty()) line(block.line, width, style_);
    if (!block.line.empty() && !block.blocks.empty()) gap(kGap / 2);
    blocks(block.blocks, width);
  }

  void list(const MarkdownBlock& block, float width) {
    int number = block.first;
    bool first = true;
    for (const MarkdownBlock& one : block.blocks) {
      if (!first) gap(kGap / 2);
      first = false;
      const std::string bullet = block.ordered ? fmt::format("{}.", number++) : "•";
      const ImVec2 at = ImGui::GetCursorScreenPos();
      MarkdownSpan span;
      span.text = bullet;
      TextStyle style = style_;
      style.color = look_.palette().muted;
      flow(look_, {span}, at, look_.px(kIndent), style);
      indented(one, width, kIndent);
    }
  }

  // Columns are as wide as they need to be, as long as there is room.
  void table(const MarkdownBlock& block, float width) {
    if (block.rows.empty()) return;
    const std::size_t columns = block.rows.front().size();
    const float pad = look_.px(8);
    std::vector<float> wide(columns, look_.px(24));
    for (const auto& row : block.rows)
      for (std::size_t c = 0; c < std::min(columns, row.size()); ++c) {
        float used = 0;
        flow(look_, row[c], {0, 0}, 1e6F, cell_style(&row == block.rows.data()), false, &used);
        wide[c] = std::max(wide[c], used + 2 * pad);
      }
    float sum = 0;
    for (const float w : wide) sum += w;
    if (sum > width)
      for (float& w : wide) w *= width / sum;
    sum = std::min(sum, width);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const auto& row : block.rows) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const bool head = &row == block.rows.data();
      float high = 0, x = at.x;
      for (std::size_t c = 0; c < std::min(columns, row.size()); ++c) {
        float used = 0;
        const float room = wide[c] - 2 * pad + 1;
        flow(look_, row[c], {0, 0}, room, cell_style(head), false, &used);
        const bool right = c < block.align.size() && block.align[c] == MarkdownBlock::Align::right;
        high = std::max(
            high, flow(look_, row[c], {x + pad + (right ? room - used : 0), at.y + look_.px(3)},
                       room, cell_style(head)));
        x += wide[c];
      }
      ImGui::Dummy({sum, high + look_.px(6) - ImGui::GetStyle().ItemSpacing.y});
      const float y = at.y + high + look_.px(7);
      list.AddLine({at.x, y}, {at.x + sum, y}, look_.palette().panel_edge,
                   head ? look_.px(1.5) : 1);
    }
  }

  TextStyle cell_style(bool head) const {
    TextStyle style = style_;
    style.size = std::max(style.size - 1, 12.0);
    style.strong = head;
    return style;
  }

  const Look& look_;
  TextStyle style_;
};

}  // namespace

const std::vector<MarkdownBlock>& MarkdownCache::of(const std::string& text) {
  if (parsed_.size() > kMostTexts) parsed_.clear();
  auto [at, fresh] = parsed_.try_emplace(text);
  if (fresh) at->second = parse_markdown(text);
  return at->second;
}

float flow(const Look& look, const MarkdownLine& line, ImVec2 at, float width,
           const TextStyle& style, bool draw, float* used) {
  const Look::Face base = look.face({style.size, Font::Weight::regular, false});
  const float step = std::round(look.px(style.size * kLine));
  const float rise = (step + base.ascent - base.size * 0.2F) / 2;
  const auto words = words_of(look, line, style, width);
  std::vector<LineWord> places;
  for (const Word& word : words) places.push_back(word.place);
  float y = 0, widest = 0;
  std::size_t i = 0;
  for (const std::size_t end : line_ends(places, static_cast<double>(width))) {
    float x = 0;
    for (const std::size_t first = i; i < end; ++i) {
      if (i > first) x += static_cast<float>(words[i].place.gap);
      if (draw && !words[i].text.empty())
        draw_word(look, words[i], {at.x + x, at.y + y}, at.y + y + rise,
                  !words[i].span->link.empty() ? look.palette().accent
                  : style.color != 0           ? style.color
                                               : look.palette().text);
      x += static_cast<float>(words[i].place.width);
    }
    widest = std::max(widest, x);
    y += step;
  }
  if (used != nullptr) *used = widest;
  return std::max(y, step);
}

void draw_markdown(const Look& look, const std::vector<MarkdownBlock>& blocks, float width,
                   const TextStyle& style) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
  Painter(look, style).blocks(blocks, width);
  ImGui::PopStyleVar();
}

void draw_words(const Look& look, const std::string& words, float width, const TextStyle& style) {
  MarkdownSpan span;
  span.text = words;
  const float high = flow(look, {span}, ImGui::GetCursorScreenPos(), width, style);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
  ImGui::Dummy({width, high});
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
