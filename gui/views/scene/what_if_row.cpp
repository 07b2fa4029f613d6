// Lays the buttons of the ghost runs out, in as many lines as they need, or as one list where these would leave the
// picture too little room.
#include "gui/views/scene/what_if_row.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

constexpr double kRowButton = 30, kRowLine = 38, kRowPadding = 12, kRowGap = 8;
constexpr double kLeastPicture = 180, kLeastBeside = 108;
constexpr const char* kQuestion = "What if …";
constexpr const char* kOnProcesses = "Run buffered on processes";

/// Where each button is, and at last the outcome.
struct WhatIfRow {
  std::vector<ImVec2> at;  ///< Relative to the row's corner.
  std::vector<float> widths;
  ImVec2 outcome;
  float outcome_width = 0, height = 0;
};

/// What became of it is above.
bool is_real(const WhatIfState::Choice& choice) { return choice.name == "as-written"; }

WhatIfRow what_if_layout(const ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& what_if = context.state.what_if;
  const Look::Face strong = look.face({14, Font::Weight::semibold, false}),
                   plain = look.face({14, Font::Weight::regular, false});
  WhatIfRow row;
  const float left = look.px(kRowPadding), gap = look.px(kRowGap), line = look.px(kRowLine);
  float x = left + strong.extent(kQuestion).x + gap * 2, y = 0;
  for (const auto& choice : what_if.choices) {
    const float wide = plain.extent(choice.label).x + look.px(24);
    if (x + wide > width - left && x > left) x = left, y += line;
    row.at.push_back({x, y});
    row.widths.push_back(std::min(wide, width - 2 * left));
    x += wide + gap;
  }
  if (ranges::any_of(what_if.choices, &WhatIfState::Choice::runs)) {
    const float wide = plain.extent(kOnProcesses).x + look.px(24);
    if (x + wide > width - left && x > left) x = left, y += line;
    row.at.push_back({x, y});
    row.widths.push_back(std::min(wide, width - 2 * left));
    x += wide + gap;
  }
  const auto* shown = what_if.shown();
  row.outcome_width = shown != nullptr ? strong.extent(shown->outcome).x : 0;
  // At the right where it has room, whichever is chosen: the row keeps its height.
  float widest = 0;
  for (const auto& choice : what_if.choices)
    if (!is_real(choice)) widest = std::max(widest, strong.extent(choice.outcome).x);
  if (x + gap + widest > width - left) y += line, row.outcome = {left, y};
  else row.outcome = {width - left - row.outcome_width, y};
  row.height = y + line;
  return row;
}

bool is_short(const Look& look, const WhatIfRow& row) {
  return ImGui::GetWindowHeight() - row.height < look.px(kLeastPicture);
}

std::string tip_of(const WhatIfState::Choice& choice) {
  std::string tip = choice.outcome;
  if (!choice.proviso.empty() && !is_real(choice)) tip += "\n" + choice.proviso;
  if (!is_real(choice)) tip += "\nA replay of the program's order, not of its processes.";
  return tip;
}

void draw_list(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& what_if = context.state.what_if;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({low.x + look.px(kRowPadding), low.y + look.px(kRowGap) / 2});
  look.push(14, Font::Weight::semibold);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(kQuestion);
  Look::pop();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(low.x + width - look.px(kRowPadding) - ImGui::GetCursorScreenPos().x);
  const auto* shown = what_if.shown();
  const std::string now = shown == nullptr || is_real(*shown)
                              ? std::string("as written")
                              : shown->label + ": " + shown->outcome;
  if (!ImGui::BeginCombo("##what-if", now.c_str(), ImGuiComboFlags_HeightLarge)) return;
  for (const auto& choice : what_if.choices) {
    if (ImGui::Selectable(choice.label.c_str(), choice.name == what_if.now))
      context.commands.push(cmd::what_if(choice.name));
    hover_text(tip_of(choice));
  }
  if (ranges::any_of(what_if.choices, &WhatIfState::Choice::runs) &&
      ImGui::Selectable(kOnProcesses))
    context.commands.push(cmd::what_if_run("buffered"));
  ImGui::EndCombo();
}

}  // namespace

float what_if_height(const ViewContext& context, float width) {
  if (context.state.what_if.choices.empty()) return 0;
  const Look& look = context.look;
  const WhatIfRow row = what_if_layout(context, width);
  if (!is_short(look, row)) return row.height;
  // The picture comes first: the menu of a right click and the drawer have it, too.
  const bool any = ImGui::GetWindowHeight() - look.px(kRowLine) >= look.px(kLeastBeside);
  return any ? look.px(kRowLine) : 0;
}

void draw_what_if(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& what_if = context.state.what_if;
  const WhatIfRow row = what_if_layout(context, width);
  if (is_short(look, row)) return draw_list(context, width);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + width, low.y + row.height}, p.panel);
  list.AddLine(low, {low.x + width, low.y}, p.panel_edge);
  const Look::Face strong = look.face({14, Font::Weight::semibold, false});
  const float inset = (look.px(kRowLine) - look.px(kRowButton)) / 2;
  const auto word = [&](ImVec2 at, ImU32 color, std::string_view text) {
    strong.draw(list, {low.x + at.x, low.y + at.y + (look.px(kRowLine) - strong.size) / 2}, color,
                text);
  };
  word({look.px(kRowPadding), 0}, p.text, kQuestion);
  for (std::size_t i = 0; i < what_if.choices.size(); ++i) {
    const auto& choice = what_if.choices[i];
    ImGui::SetCursorScreenPos({low.x + row.at[i].x, low.y + row.at[i].y + inset});
    const ImVec2 size{row.widths[i], look.px(kRowButton)};
    ImGui::PushID(choice.name.c_str());
    const bool on = choice.name == what_if.now;
    const bool pressed = on ? accent_button(look, choice.label.c_str(), size, 14)
                            : ImGui::Button(choice.label.c_str(), size);
    if (pressed) context.commands.push(cmd::what_if(choice.name));
    hover_text(tip_of(choice));
    ImGui::PopID();
  }
  if (row.at.size() > what_if.choices.size()) {
    ImGui::SetCursorScreenPos({low.x + row.at.back().x, low.y + row.at.back().y + inset});
    if (ImGui::Button(kOnProcesses, {row.widths.back(), look.px(kRowButton)}))
      context.commands.push(cmd::what_if_run("buffered"));
    hover_text("The same job again, with sends that do not wait for their receives");
  }
  if (const auto* shown = what_if.shown(); shown != nullptr && !is_real(*shown))
    word(row.outcome, shown->ends ? p.good : p.error, shown->outcome);
}

}  // namespace rankscope::gui
