// Draws pseudocode, its source, and the step at the cursor.
#include "gui/views/pseudocode_panel.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/pseudocode.h"
#include "gui/state/code/code_step.h"
#include "gui/views/compat.h"

namespace rankscope::gui {
namespace {

void line(const Look& look, const PseudocodeLine& one, bool now) {
  const auto& p = look.palette();
  const float pad = look.px(14), letter = ImGui::CalcTextSize("x").x;
  const auto indent = std::min(one.text.find_first_not_of(' '), one.text.size());
  const char* const words = one.text.c_str() + indent;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float left = pad + letter * static_cast<float>(indent);
  const float room = std::max(ImGui::GetContentRegionAvail().x - left - pad, letter * 12);
  const ImVec2 size = ImGui::CalcTextSize(words, nullptr, false, room);
  const float high = size.y + look.px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (now) {
    const float width = ImGui::GetContentRegionAvail().x;
    list.AddRectFilled(low, {low.x + width, low.y + high}, p.selection);
    list.AddRectFilled(low, {low.x + look.px(3), low.y + high}, p.accent);
  }
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {low.x + left, low.y + look.px(3)}, p.text,
               words, nullptr, room);
  ImGui::Dummy({left + size.x, high});
}

}  // namespace

bool has_pseudocode(const AppState& state) {
  return state.has_trace() && !pseudocode_of(state.document->trace().meta().algorithm).empty();
}

void draw_pseudocode(ViewContext& context) {
  const Look& look = context.look;
  const std::string& name = context.state.document->trace().meta().algorithm;
  const Algorithm* const algorithm = find_algorithm(name);
  const CodeStep step = code_step(context.state);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
  compat::begin_child("pseudocode", {0, 0});
  ImGui::Dummy({0, look.px(6)});
  look.push(14, Font::Weight::regular, true);
  for (const PseudocodeLine& one : pseudocode_of(name))
    line(look, one, std::ranges::any_of(step.phases, [&](const std::string& phase) {
           return one.done_in(phase);
         }));
  Look::pop();
  ImGui::Dummy({0, look.px(10)});
  std::string below =
      "p ranks; r is this one; numbers of ranks and chunks modulo p; + is the "
      "operator of a reduction.";
  if (algorithm != nullptr && !algorithm->source.empty())
    below += fmt::format("\nAfter {}.", algorithm->source);
  std::vector<std::string> names = step.phases;
  std::erase(names, "");
  if (step.step > 0)
    below = fmt::format("Step {} of {}{}{}\n{}", step.step, step.steps, names.empty() ? "" : ": ",
                        fmt::join(names, ", "), below);
  ImGui::Indent(look.px(14));
  ImGui::PushTextWrapPos(0);
  look.push(12);
  colored_text(look.palette().muted, below);
  Look::pop();
  ImGui::PopTextWrapPos();
  ImGui::Unindent(look.px(14));
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
