// Explains what is selected: where a message is on its way, what a rank did, how a chunk travelled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/model/inspection.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

class InspectView final : public View {
 public:
  void draw(ViewContext& context) override {
    const auto& state = context.state;
    const Look& look = context.look;
    if (!state.has_trace())
      return draw_empty(context, "Nothing has been recorded yet", kStartOrOpen);
    const Inspection& found = now(state);
    if (found.title.empty())
      return draw_empty(
          context, "Nothing is selected",
          "Click a rank, a chunk or a message in any picture: all of them show it, and its "
          "details stand here.");
    look.push(16, Font::Weight::semibold);
    colored_lines(look.palette().text, found.title);
    Look::pop();
    ImGui::Spacing();
    for (const auto& [what, is] : found.facts) {
      const float x = ImGui::GetCursorPosX();
      colored_text(look.palette().muted, what);
      ImGui::SameLine();
      ImGui::SetCursorPosX(x + look.px(128));
      colored_lines(look.palette().text, is);
    }
    for (const auto& place : found.places) line(context, place);
    ImGui::Spacing();
    if (found.chunk >= 0 && ImGui::Button(fmt::format("Follow chunk {}", found.chunk).c_str()))
      context.commands.push(cmd::select(Thing::chunk, found.chunk));
    if (found.rank >= 0 && state.live.running) process(context, found.rank);
    if (!found.rows.empty()) rows(context, found);
  }

 private:
  // Made again when something on which it depends has changed.
  const Inspection& now(const AppState& state) {
    auto key =
        fmt::format("{} {} {} {} {:.2f} {} {}", state.document->id(), state.selection.message,
                    state.selection.rank, state.selection.chunk, state.playback.moment,
                    state.curtain(), fmt::join(state.live.ranks, " "));
    for (const RankView& view : state.live.places) key += describe(view);
    if (key != key_) {
      key_ = key;
      found_ = inspect(state);
    }
    return found_;
  }

  static void process(ViewContext& context, Rank rank) {
    if (context.state.live.stepping && ImGui::Button("Let it do one verb"))
      context.commands.push(cmd::step_rank(rank));
    if (context.state.live.stepping) ImGui::SameLine();
    if (ImGui::Button("Kill its process")) context.commands.push(cmd::kill(rank));
    hover_text("Signal 9, to see what then happens");
  }

  static void line(ViewContext& context, const Inspection::Place& place) {
    const float x = ImGui::GetCursorPosX();
    colored_text(context.look.palette().muted, place.what);
    ImGui::SameLine();
    ImGui::SetCursorPosX(x + context.look.px(128));
    colored_text(context.look.palette().accent, place.line);
    hover_text("Shows the line");
    if (!ImGui::IsItemClicked()) return;
    context.commands.push(cmd::select(Thing::event, static_cast<std::int64_t>(place.event)));
    context.commands.push(cmd::view(Slot::side, "code"));
  }

  static void rows(ViewContext& context, const Inspection& found) {
    const Look& look = context.look;
    ImGui::Spacing();
    compat::begin_child("messages");
    int round = -1;
    for (const auto& row : found.rows) {
      if (row.round != round) caption(look, fmt::format("step {}", round = row.round), 0, row.now);
      ImGui::PushID(static_cast<int>(row.message));
      if (row.now) ImGui::PushStyleColor(ImGuiCol_Text, look.palette().accent);
      if (ImGui::Selectable(row.text.c_str()))
        context.commands.push(cmd::select(Thing::message, row.message));
      if (row.now) ImGui::PopStyleColor();
      ImGui::PopID();
    }
    ImGui::EndChild();
  }

  std::string key_;
  Inspection found_;
};

}  // namespace

std::unique_ptr<View> make_inspect_view() { return std::make_unique<InspectView>(); }

}  // namespace rankscope::gui
