// Live processes.
#include <fmt/format.h>

#include "gui/state/model/inspection.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

class ProcessesView final : public View {
 public:
  void draw(ViewContext& context) override {
    const auto& live = context.state.live;
    if (live.ranks.empty() && live.places.empty() && live.pids.empty())
      return draw_empty(context, "No processes yet", "Start a run (F5), or step one live (F6).");
    const auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoBordersInBody;
    if (!ImGui::BeginTable("processes", live.running ? 4 : 3, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("rank", ImGuiTableColumnFlags_WidthFixed, context.look.px(52));
    ImGui::TableSetupColumn("process", ImGuiTableColumnFlags_WidthFixed, context.look.px(76));
    ImGui::TableSetupColumn("state", ImGuiTableColumnFlags_WidthStretch);
    if (live.running)
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, context.look.px(96));
    ImGui::TableHeadersRow();
    if (live.stepping && !live.places.empty())
      for (const auto& place : live.places)
        row(context, place.rank, describe(place), place.strand == 0);
    else
      for (std::size_t rank = 0; rank < std::max(live.ranks.size(), live.pids.size()); ++rank)
        row(context, static_cast<Rank>(rank), rank < live.ranks.size() ? live.ranks[rank] : "",
            true);
    ImGui::EndTable();
  }

 private:
  static void row(ViewContext& context, Rank rank, const std::string& words, bool main) {
    const auto& live = context.state.live;
    const auto at = static_cast<std::size_t>(rank);
    ImGui::TableNextRow();
    if (context.state.has_trace() && is_chosen_rank(context.state, rank))
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, context.look.palette().selection);
    ImGui::TableNextColumn();
    rank_dot(context.look, rank);
    ImGui::SameLine();
    ImGui::Text("%d", rank);
    ImGui::TableNextColumn();
    const auto& pids = live.pids.empty() ? live.last_pids : live.pids;
    if (at < pids.size() && pids[at] > 0) ImGui::Text("%d", pids[at]);
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", words.c_str());
    if (!live.running) return;
    ImGui::TableNextColumn();
    if (!main) return;
    ImGui::PushID(rank);
    if (live.stepping && ImGui::SmallButton("step")) context.commands.push(cmd::step_rank(rank));
    if (live.stepping) ImGui::SameLine();
    if (ImGui::SmallButton("kill")) context.commands.push(cmd::kill(rank));
    hover_text("Kills the process (signal 9), to see what then happens");
    ImGui::PopID();
  }
};

}  // namespace

std::unique_ptr<View> make_processes_view() { return std::make_unique<ProcessesView>(); }

}  // namespace rankscope::gui
