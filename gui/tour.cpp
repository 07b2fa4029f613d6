// The guided tour: each step outlines what it speaks of.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "gui/shell.h"

namespace rankscope::gui {
namespace {

/// What a step speaks of.
enum class TourPart : std::uint8_t { sentence, picture, view, transport };

struct TourStep {
  TourPart part;
  std::string_view view;  ///< Of TourPart::view: outlined where it is shown.
  const char *title, *text;
};
// Data, not code: what the tour says, in its order.
constexpr std::array<TourStep, 7> kTour = {{
    {TourPart::sentence, "", "Choose what to run",
     "The sentence on top is the form: press a word to put another in its place, or Ctrl+K and say "
     "it "
     "(ring 16, broadcast from 2). Run starts real processes; a change runs them again at once."},
    {TourPart::picture, "", "The stage",
     "Every rank with its buffer, chunk by chunk, and the messages on their way between them. The "
     "sentence beneath it says what each step does (N)."},
    {TourPart::view, "spacetime", "Time × rank",
     "Ranks from top to bottom, time to the right: each arrow is a message. Click or drag to move "
     "the cursor; the wheel zooms."},
    {TourPart::view, "buffers", "Buffers",
     "What every rank holds at the cursor: whose data is in each chunk, or the values themselves "
     "(V)."},
    {TourPart::view, "code", "Code",
     "The algorithm's own source. A coloured number stands where that rank is; click beside a line "
     "for a breakpoint."},
    {TourPart::transport, "", "Step through it",
     "Space plays; the arrow keys (or a presenter's clicker) step forwards and back. + and - "
     "change the speed."},
    {TourPart::sentence, "", "Live",
     "F6 holds the processes themselves: release one message at a time with F10, and watch who is "
     "blocked."},
}};

bool is_area(const Area& area) { return area.width > 0 && area.height > 0; }

}  // namespace

// Empty where it is not shown: the words alone say it then.
Area Shell::toured(int step) const {
  const auto& one = kTour[static_cast<std::size_t>(step)];
  const auto at = [&](Slot slot) { return places_[static_cast<std::size_t>(slot)]; };
  switch (one.part) {
    case TourPart::sentence: return sentence_at_;
    case TourPart::transport: return is_area(transport_at_) ? transport_at_ : at(Slot::lower);
    case TourPart::picture: return at(Slot::main);
    case TourPart::view:
      for (const Slot slot : kSlots)
        if (app_.state().settings.layout.at(slot) == one.view && is_area(at(slot))) return at(slot);
      return {};
  }
  return {};
}

void Shell::tour(ViewContext& context) {
  const int step = app_.state().tour_step;
  if (step < 0) return;
  if (step >= static_cast<int>(kTour.size())) return commands_.push(cmd::tour_off());
  const auto& one = kTour[static_cast<std::size_t>(step)];
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const Area area = toured(step);
  const float around = look.px(3);
  if (is_area(area))
    ImGui::GetForegroundDrawList()->AddRect(
        {area.x - around, area.y - around},
        {area.x + area.width + around, area.y + area.height + around}, look.palette().accent,
        look.px(10), 0, look.px(3));
  // Beside what it speaks of: above what is low, below what is high.
  const bool low = is_area(area) && area.y + area.height / 2 > room.y * 0.55F;
  const float y = !is_area(area) ? room.y - look.px(110)
                  : low          ? area.y - look.px(14)
                                 : std::min(area.y + area.height + look.px(14), room.y * 0.9F);
  const bool tall = is_area(area) && area.height > room.y * 0.55F;
  ImGui::SetNextWindowPos({room.x / 2, tall ? room.y * 0.9F : y}, ImGuiCond_Always,
                          {0.5F, low || tall || !is_area(area) ? 1.0F : 0.0F});
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
    if (ImGui::Button("Next")) commands_.push(cmd::tour(step + 1));
    ImGui::SameLine();
  }
  if (ImGui::Button("End the tour")) commands_.push(cmd::tour_off());
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace rankscope::gui
