// Draws a question about the coming step with its choices, and the step's sentence once it is seen.
#include <algorithm>

#include <fmt/format.h>

#include "gui/views/what_if_strip.h"

namespace rankscope::gui {
namespace {

constexpr double kTop = 6, kChoice = 27, kBetweenChoices = 8, kSide = 20;
constexpr double kSign = 18, kSignHeight = 19;  // a chunk's place in a card, beside its name
constexpr int kMostPlaces = 16;

std::string choice_text(const StepPrediction& prediction, std::size_t i) {
  const std::string text = fmt::format("{})  {}", i + 1, prediction.options[i]);
  return prediction.hands[i] > 0 ? fmt::format("{}  \u00B7  {}", text, prediction.hands[i]) : text;
}

/// Draws a card's rows, the chunk's in its hue, since small cards show no names.
void draw_sign(const Look& look, ImDrawList& list, ImVec2 low, int chunk, int chunks) {
  const int rows = std::min(chunks, kMostPlaces);
  const float width = look.px(kSign), height = look.px(kSignHeight),
              pitch = height / static_cast<float>(rows);
  const ImU32 hue = look.color(Ink{Tone::chunk, chunk});
  if (chunks > kMostPlaces)
    return list.AddRectFilled(low, {low.x + width, low.y + height}, hue, look.px(3));
  for (int row = 0; row < rows; ++row) {
    const float y = low.y + static_cast<float>(row) * pitch, more = row == chunk ? pitch * 0.4F : 0;
    list.AddRectFilled({low.x - more, y - more}, {low.x + width + more, y + pitch * 0.8F + more},
                       row == chunk ? hue : with_alpha(look.palette().muted, 0x48));
  }
}

}  // namespace

bool asks_prediction(const AppState& state) {
  return state.lecture.prediction.open() && !state.lecture.prediction.options.empty();
}

void draw_prediction(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& sentence) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const StepPrediction& asked = context.state.lecture.prediction;
  ImGui::SetCursorPos(low);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_ground(look, at, size, p.bar);
  const float left = low.x + look.px(kSide), room = size.x - 2 * look.px(kSide);
  // On the way to the answer, each step's sentence replaces the question, and the choices stay.
  const bool asks = sentence.empty();
  const std::string& words = asks ? asked.text : sentence;
  const ChunkSigns& signs = asked.signs;
  const bool has_sign = asks && signs.asked >= 0;
  const float indent = has_sign ? look.px(kSign + 10) : 0;
  const auto weight = asks ? Font::Weight::semibold : Font::Weight::regular;
  look.push(look.size_in_line(words, room - indent, weight), weight);
  if (has_sign)
    draw_sign(look, list, {at.x + left - low.x, at.y + look.px(kTop)}, signs.asked, signs.chunks);
  ImGui::SetCursorPos({left + indent, low.y + look.px(kTop)});
  ImGui::TextUnformatted(fitted_text(words, room - indent).c_str());
  Look::pop();
  // All choices stand in one row, each as wide as it needs if there is room, else equally wide.
  const float gap = look.px(kBetweenChoices);
  const float sign = signs.by_option.empty() ? 0 : look.px(kSign + 6);
  float needed = -gap;
  for (std::size_t i = 0; i < asked.options.size(); ++i)
    needed += gap + sign + chip_width(look, choice_text(asked, i));
  const auto count = static_cast<float>(asked.options.size());
  const float alike = (room - (count - 1) * gap) / count;
  float x = left;
  const float y = low.y + size.y - look.px(kChoice + 5);
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    const bool right = asked.resolved && asked.right == static_cast<int>(i);
    std::string text = choice_text(asked, i);
    if (right) text = "\u2713 " + text;
    if (needed > room) text = fitted_text(text, alike - sign - look.px(20));
    ImGui::PushID(static_cast<int>(i));
    if (chip(look, {x, y}, text, right,
             asked.resolved ? "" : "Counts a hand (1 to 9; Backspace takes one back)", sign) &&
        !asked.resolved)
      context.commands.push(cmd::predict_choice(std::to_string(i + 1)));
    if (sign > 0 && signs.by_option[i] >= 0)
      draw_sign(
          look, list,
          {at.x + x - low.x + look.px(10), at.y + y - low.y + look.px((kChoice - kSignHeight) / 2)},
          signs.by_option[i], signs.chunks);
    ImGui::PopID();
    x += (needed > room ? alike : sign + chip_width(look, text)) + gap;
  }
}

}  // namespace rankscope::gui
