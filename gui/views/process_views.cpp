// Live processes, and what is wrong.
#include <fmt/format.h>

#include "gui/views/compat.h"
#include "gui/views/list_views.h"

namespace rankscope::gui {
namespace {

class ProcessesView final : public View {
 public:
  std::string_view name() const override { return "processes"; }
  std::string_view title() const override { return "Processes"; }

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
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.color({Tone::rank, rank}));
    ImGui::TextUnformatted("\xE2\x97\x8F");
    ImGui::PopStyleColor();
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
    if (live.stepping && ImGui::SmallButton("step"))
      context.commands.push("step-rank", {fmt::format("{}", rank)});
    if (live.stepping) ImGui::SameLine();
    if (ImGui::SmallButton("kill")) context.commands.push("kill", {fmt::format("{}", rank)});
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Kills the process (signal 9), to see what then happens");
    ImGui::PopID();
  }
};

class ProblemsView final : public View {
 public:
  std::string_view name() const override { return "problems"; }
  std::string_view title() const override { return "Problems"; }

  void draw(ViewContext& context) override {
    if (context.state.problems.empty())
      return draw_empty(
          context, "No problems",
          "Dead or silent ranks, wrong results, and messages that nobody received are told here.");
    compat::begin_child("problems");
    int number = 0;
    for (const auto& problem : context.state.problems) card(context, problem, number++);
    ImGui::EndChild();
  }

 private:
  static void card(ViewContext& context, const Problem& problem, int number) {
    const Look& look = context.look;
    const auto& p = look.palette();
    const ImU32 color = problem.severity == Problem::Severity::error     ? p.error
                        : problem.severity == Problem::Severity::warning ? p.warning
                                                                         : p.muted;
    ImGui::PushID(number);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::Indent(look.px(14));
    ImGui::PushTextWrapPos(0);
    look.push(16, Font::Weight::semibold);
    ImGui::TextUnformatted(problem.what.c_str());
    Look::pop();
    if (!problem.where.empty()) {
      look.push(12, Font::Weight::regular, true);
      ImGui::TextUnformatted(problem.where.c_str());
      Look::pop();
    }
    if (!problem.advice.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, p.muted);
      ImGui::TextUnformatted(problem.advice.c_str());
      ImGui::PopStyleColor();
    }
    ImGui::PopTextWrapPos();
    ImGui::Unindent(look.px(14));
    ImGui::GetWindowDrawList()->AddRectFilled(
        low, {low.x + look.px(4), ImGui::GetCursorScreenPos().y - look.px(6)}, color, look.px(2));
    if (!problem.circle.empty()) circle(context, problem);
    else if (!problem.places.empty()) places(context, problem);
    else if (problem.rank >= 0 &&
             ImGui::SmallButton(fmt::format("show rank {}", problem.rank).c_str()))
      context.commands.push("select", {"rank", fmt::format("{}", problem.rank)});
    ImGui::Dummy({0, look.px(6)});
    ImGui::PopID();
  }

  /// Each rank leads to the event that the problem is about.
  static void places(ViewContext& context, const Problem& problem) {
    constexpr std::size_t kMost = 12;
    for (std::size_t i = 0; i < std::min(problem.places.size(), kMost); ++i) {
      const auto& [rank, event] = problem.places[i];
      ImGui::PushID(static_cast<int>(i));
      if (i > 0) ImGui::SameLine();
      if (ImGui::SmallButton(fmt::format("rank {}", rank).c_str()))
        context.commands.push("select", {"event", fmt::format("{}", event)});
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("Shows the event");
      ImGui::PopID();
    }
  }

  /// "0 → 1 → 0": each rank leads to the event at which it stands.
  static void circle(ViewContext& context, const Problem& problem) {
    constexpr std::size_t kMost = 12;
    const std::size_t shown = std::min(problem.circle.size(), kMost);
    for (std::size_t i = 0; i <= shown; ++i) {
      const auto& [rank, event] = problem.circle[i % problem.circle.size()];
      ImGui::PushID(static_cast<int>(i));
      if (i > 0) {
        ImGui::SameLine();
        ImGui::TextUnformatted(i == shown && shown < problem.circle.size() ? "… →" : "→");
        ImGui::SameLine();
      }
      if (ImGui::SmallButton(fmt::format("rank {}", rank).c_str()))
        context.commands.push("select", {"event", fmt::format("{}", event)});
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("Shows where it stands");
      ImGui::PopID();
    }
  }
};

}  // namespace

std::unique_ptr<View> make_processes_view() { return std::make_unique<ProcessesView>(); }
std::unique_ptr<View> make_problems_view() { return std::make_unique<ProblemsView>(); }

}  // namespace rankscope::gui
