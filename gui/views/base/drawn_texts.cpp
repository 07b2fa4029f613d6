// Finds the letters of a frame by their places in the font atlas, and joins them to texts.
#include "gui/views/base/drawn_texts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr float kLongestGap = 0.7F;   ///< Between letters of one text, in font sizes.
constexpr float kGapOfSpace = 0.12F;  ///< A longer gap is a space, which is not painted.

struct Glyph {
  char32_t character = 0;
  float left = 0, top = 0, height = 0, advance = 0;  ///< As rasterised.
  float em = 0;                                      ///< The font's size as rasterised.
};

/// A letter as it is painted, in the direction of its line.
struct Painted {
  const Glyph* letter = nullptr;
  float scale = 1;
  ImVec2 along;             ///< Unit vector of the line.
  float pen = 0, base = 0;  ///< Where the letter begins along its line, and where the line is.
  ImVec2 low, high;         ///< On the screen.
  bool cut = false;
};

std::uint64_t key_of(float u, float v) {
  const auto part = [](float x) { return static_cast<std::uint64_t>(std::lround(x * 65536)); };
  return part(u) << 32 | part(v);
}

using Glyphs = std::unordered_map<std::uint64_t, Glyph>;

Glyphs glyphs_of(const Look& look) {
  Glyphs letters;
  compat::each_glyph(
      *ImGui::GetIO().Fonts, [&](const ImFont* font, float size, const ImFontGlyph& glyph) {
        if (glyph.Y1 - glyph.Y0 <= 0) return;
        letters.insert_or_assign(
            key_of(glyph.U0, glyph.V0),
            Glyph{static_cast<char32_t>(glyph.Codepoint), glyph.X0, glyph.Y0, glyph.Y1 - glyph.Y0,
                  glyph.AdvanceX, size * look.size_of_height(font)});
      });
  return letters;
}

std::optional<Painted> painted(const Glyphs& letters, const ImDrawVert* corner,
                               const ImVec4& clip) {
  const auto found = letters.find(key_of(corner[0].uv.x, corner[0].uv.y));
  if (found == letters.end()) return std::nullopt;
  const ImVec2 a = corner[0].pos, b = corner[1].pos, c = corner[2].pos, d = corner[3].pos;
  const float wide = std::hypot(b.x - a.x, b.y - a.y), high = std::hypot(d.x - a.x, d.y - a.y);
  if (wide <= 0 || high <= 0) return std::nullopt;
  Painted one;
  one.letter = &found->second;
  one.scale = high / one.letter->height;
  one.along = {(b.x - a.x) / wide, (b.y - a.y) / wide};
  const ImVec2 down{(d.x - a.x) / high, (d.y - a.y) / high};
  one.pen = a.x * one.along.x + a.y * one.along.y - one.letter->left * one.scale;
  one.base = a.x * down.x + a.y * down.y - one.letter->top * one.scale;
  one.low = {std::min(a.x, c.x), std::min(a.y, c.y)};
  one.high = {std::max(a.x, c.x), std::max(a.y, c.y)};
  const ImVec2 middle{(one.low.x + one.high.x) / 2, (one.low.y + one.high.y) / 2};
  if (middle.x < clip.x || middle.x > clip.z || middle.y < clip.y || middle.y > clip.w)
    return std::nullopt;  // out of sight
  one.cut = one.low.x < clip.x - 1 || one.high.x > clip.z + 1 || one.low.y < clip.y - 1 ||
            one.high.y > clip.w + 1;
  return one;
}

void append(std::string& text, char32_t c) {
  const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) byte(0xC0 | c >> 6);
  else byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F));
  byte(0x80 | (c & 0x3F));
}

/// Joins letters that follow each other on one line.
class Joiner {
 public:
  explicit Joiner(ImVec2 pixels) : pixels_(pixels) {}

  void add(const Painted& one) {
    const float em = one.letter->em * one.scale;
    if (!goes_on(one, em)) begin(one, em);
    else if (one.pen - end_ > kGapOfSpace * em) texts_.back().text += ' ';
    DrawnText& text = texts_.back();
    append(text.text, one.letter->character);
    low_ = {std::min(low_.x, one.low.x), std::min(low_.y, one.low.y)};
    high_ = {std::max(high_.x, one.high.x), std::max(high_.y, one.high.y)};
    text.x = low_.x * pixels_.x;
    text.y = low_.y * pixels_.y;
    text.width = (high_.x - low_.x) * pixels_.x;
    text.height = (high_.y - low_.y) * pixels_.y;
    text.cut = text.cut || one.cut;
    last_ = one;
    end_ = one.pen + one.letter->advance * one.scale;
  }
  void stop() { last_.reset(); }
  std::vector<DrawnText> take() { return std::move(texts_); }

 private:
  bool goes_on(const Painted& one, float em) const {
    if (!last_) return false;
    const float before = last_->letter->em * last_->scale;
    return std::abs(em - before) < 0.01F * em && std::abs(one.base - last_->base) < 0.1F * em &&
           one.along.x * last_->along.x + one.along.y * last_->along.y > 0.99F &&
           one.pen - end_ > -0.3F * em && one.pen - end_ < kLongestGap * em;
  }
  void begin(const Painted& one, float em) {
    texts_.push_back({"", static_cast<double>(em * pixels_.y), 0, 0, 0, 0, false});
    low_ = one.low;
    high_ = one.high;
  }

  ImVec2 pixels_, low_, high_;
  std::optional<Painted> last_;
  float end_ = 0;
  std::vector<DrawnText> texts_;
};

}  // namespace

std::vector<DrawnText> drawn_texts(const ImDrawData& frame, const Look& look) {
  const Glyphs letters = glyphs_of(look);
  Joiner joiner(frame.FramebufferScale);
  for (int i = 0; i < frame.CmdListsCount; ++i) {
    const ImDrawList& list = *frame.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImDrawIdx* const first = list.IdxBuffer.Data + command.IdxOffset;
      for (unsigned at = 0; at + 5 < command.ElemCount; at += 3) {
        const ImDrawIdx* index = first + at;
        const unsigned corner = index[0];
        const bool box = index[1] == corner + 1 && index[2] == corner + 2 && index[3] == corner &&
                         index[4] == corner + 2 && index[5] == corner + 3;
        if (!box) continue;
        at += 3;
        const auto one =
            painted(letters, list.VtxBuffer.Data + command.VtxOffset + corner, command.ClipRect);
        if (one) joiner.add(*one);
      }
    }
    joiner.stop();
  }
  return joiner.take();
}

std::string text_table(const std::vector<DrawnText>& texts) {
  std::string table;
  for (const DrawnText& one : texts)
    table += fmt::format("{:.1f}\t{:.0f},{:.0f} {:.0f}x{:.0f}\t{}\t{}\n", one.size, one.x, one.y,
                         one.width, one.height, one.cut ? "cut" : "whole", one.text);
  return table;
}

}  // namespace rankscope::gui
