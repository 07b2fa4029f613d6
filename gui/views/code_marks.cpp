// Draws marks over and beside lines of code.
#include "gui/views/code_marks.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace rankscope::gui {

float rank_mark_step(const Look& look, float high, bool narrow) {
  if (narrow) return look.px(13);
  return 2 * std::min(high / 2, look.px(9)) + look.px(2);
}

void draw_rank_marks(const Look& look, ImDrawList& list, const std::vector<Rank>& ranks, ImVec2 low,
                     float high, bool narrow) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - look.px(18);
  const float radius = std::min(high / 2, look.px(9)), step = rank_mark_step(look, high, narrow);
  constexpr std::size_t kMost = 4;
  const auto face = look.face({12, Font::Weight::semibold, false});
  float x = right - radius;
  const auto put = [&](const std::string& text, ImU32 fill, ImU32 ink) {
    const ImVec2 size = face.extent(text);
    const float half = std::max(radius, size.x / 2 + look.px(4)), middle = low.y + high / 2;
    x -= half - radius;
    list.AddRectFilled({x - half, middle - radius}, {x + half, middle + radius}, fill, radius);
    face.draw(list, {x - size.x / 2, low.y + (high - size.y) / 2}, ink, text);
    x -= step;
  };
  const std::size_t shown = ranks.size() > kMost ? kMost - 1 : ranks.size();
  // Text below them would be hard to read, and so would they.
  const float wide = step * static_cast<float>(shown + (shown < ranks.size() ? 1 : 0)) + look.px(6);
  const ImVec2 from{right - wide, low.y}, to{right + look.px(18), low.y + high};
  list.AddRectFilled(from, to, look.palette().panel);
  list.AddRectFilled(from, to, look.palette().selection);
  if (shown < ranks.size())
    put(fmt::format("+{}", ranks.size() - shown), look.color({Tone::muted}),
        look.color({Tone::page}));
  for (std::size_t i = shown; i-- > 0;)
    put(fmt::format("{}", ranks[i]), look.color({Tone::rank, ranks[i]}),
        look.color({Tone::on_rank, ranks[i]}));
}

void draw_line_answer(const Look& look, ImVec2 low, ImVec2 to, bool over, bool answers,
                      bool begins) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = look.palette().accent;
  if (over) list.AddRectFilled(low, to, with_alpha(color, 0x1C));
  if (!answers) return;
  list.AddRectFilled(low, to, with_alpha(color, 0x38));
  const float y = (low.y + to.y) / 2, size = look.px(5);
  if (begins)
    list.AddTriangleFilled({low.x + look.px(3), y - size}, {low.x + look.px(3), y + size},
                           {low.x + look.px(11), y}, color);
}

}  // namespace rankscope::gui
