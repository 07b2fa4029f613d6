// The guided tour.
#include <array>

#include <fmt/format.h>

#include "gui/shell.h"

namespace rankscope::gui {
namespace {

struct TourStep {
  const char *title, *text;
};
// Data, not code: what the tour says, in its order.
constexpr std::array<TourStep, 7> kTour = {{
    {"Choose what to run",
     "The sentence on top is the form: press a word to put another in its place, or Ctrl+K and say "
     "it "
     "(ring 16, broadcast from 2). Run starts real processes; a change runs them again at once."},
    {"The stage",
     "Every rank with its buffer, chunk by chunk, and the messages on their way between them. The "
     "sentence beneath it says what each step does (N)."},
    {"Time × rank",
     "Ranks from top to bottom, time to the right: each arrow is a message. Click or drag to move "
     "the cursor; the wheel zooms."},
    {"Buffers",
     "What every rank holds at the cursor: whose data is in each chunk, or the values themselves "
     "(V)."},
    {"Code",
     "The algorithm's own source. A coloured number stands where that rank is; click beside a line "
     "for a breakpoint."},
    {"Step through it",
     "Space plays; the arrow keys (or a presenter's clicker) step forwards and back. + and - "
     "change the speed."},
    {"Live",
     "F6 holds the processes themselves: release one message at a time with F10, and watch who is "
     "blocked."},
}};

}  // namespace

void Shell::tour(ViewContext& context) {
  const int step = app_.state().tour_step;
  if (step < 0) return;
  if (step >= static_cast<int>(kTour.size())) return commands_.push("tour", {"off"});
  const auto& one = kTour[static_cast<std::size_t>(step)];
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({room.x / 2, room.y - look.px(110)}, ImGuiCond_Always, {0.5F, 1});
  ImGui::SetNextWindowSize({look.px(460), 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.palette().bar);
  ImGui::PushStyleColor(ImGuiCol_Border, look.palette().accent);
  ImGui::Begin("##tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  look.push(16, Font::Weight::semibold);
  ImGui::TextUnformatted(fmt::format("{} of {}: {}", step + 1, kTour.size(), one.title).c_str());
  Look::pop();
  ImGui::TextWrapped("%s", one.text);
  if (step + 1 < static_cast<int>(kTour.size())) {
    if (ImGui::Button("Next")) commands_.push("tour", {fmt::format("{}", step + 1)});
    ImGui::SameLine();
  }
  if (ImGui::Button("End the tour")) commands_.push("tour", {"off"});
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace rankscope::gui
