// What is wrong with a run: why, where, and what to do.
#include <algorithm>

#include <fmt/format.h>

#include "gui/views/compat.h"
#include "gui/views/lesson/lesson_text.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
namespace {

using Links = std::vector<std::pair<Rank, std::uint64_t>>;
constexpr std::size_t kMostLinks = 12;
/// Of letters: a longer headline is a sentence, and set as one.
constexpr std::size_t kLongHeadline = 70;

class ProblemsView final : public View {
 public:
  void draw(ViewContext& context) override {
    if (context.state.problems.empty())
      return draw_empty(context, "No problems",
                        "Dead or silent ranks, wrong results, and messages that nobody received "
                        "are listed here.");
    compat::begin_child("problems");
    int number = 0;
    for (const auto& problem : context.state.problems) card(context, problem, number++);
    ImGui::EndChild();
  }

 private:
  /// Words that go on in a line of a terminal begin here.
  static std::string as_sentence(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
      text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }

  static ImU32 color_of(const Look& look, Problem::Severity severity) {
    const auto& p = look.palette();
    if (severity == Problem::Severity::error) return p.error;
    return severity == Problem::Severity::warning ? p.warning : p.muted;
  }

  static void card(ViewContext& context, const Problem& problem, int number) {
    const Look& look = context.look;
    const auto& p = look.palette();
    const float left = look.px(14);
    ImGui::PushID(number);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::Indent(left);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(4)});
    const float width = ImGui::GetContentRegionAvail().x - look.px(8);
    const auto part = [&](const std::string& text, const TextStyle& style) {
      if (text.empty()) return;
      draw_words(look, text, width, style);
      ImGui::Dummy({0, 0});  // the gap
    };
    part(as_sentence(problem.what), {problem.what.size() > kLongHeadline ? 14.0 : 16.0, 0, true});
    part(problem.where, {13});
    part(problem.why, {13, p.muted});
    part(problem.advice, {13, problem.why.empty() ? p.muted : 0});
    if (!problem.circle.empty()) links(context, problem.circle, true);
    else if (!problem.places.empty()) links(context, problem.places, false);
    else if (problem.rank >= 0) rank_link(context, problem.rank);
    ImGui::PopStyleVar();
    ImGui::Unindent(left);
    const float bottom = ImGui::GetItemRectMax().y;
    ImGui::GetWindowDrawList()->AddRectFilled({low.x, low.y + look.px(2)},
                                              {low.x + look.px(4), bottom},
                                              color_of(look, problem.severity), look.px(2));
    ImGui::Dummy({0, look.px(8)});
    ImGui::PopID();
  }

  static void rank_link(ViewContext& context, Rank rank) {
    if (ImGui::SmallButton(fmt::format("show rank {}", rank).c_str()))
      context.commands.push("select", {"rank", fmt::format("{}", rank)});
  }

  /// "student.py:12"; empty: unknown.
  static std::string line_of(const AppState& state, std::uint64_t event) {
    return state.document ? state.document->line_name(event) : std::string();
  }

  /// Each rank leads to the event that the problem is about. `circle`: each waits for the next one, the last for
  /// the first.
  static void links(ViewContext& context, const Links& all, bool circle) {
    const Look& look = context.look;
    const auto& state = context.state;
    const std::size_t shown = std::min(all.size(), kMostLinks);
    const std::size_t count = circle ? shown + 1 : shown;
    const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    // Where all stand at the same line, once is enough: it is in the words above.
    const bool one_line =
        circle || std::ranges::all_of(all, [&](const auto& link) {
          return all.size() > 1 && line_of(state, link.second) == line_of(state, all[0].second);
        });
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [rank, event] = all[i % all.size()];
      const std::string line = one_line ? std::string() : line_of(state, event);
      const std::string label =
          line.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} · {}", rank, line);
      const char* arrow = !circle || i == 0 ? "" : i == shown && shown < all.size() ? "… →" : "→";
      float wide = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
      if (arrow[0] != 0) wide += ImGui::CalcTextSize(arrow).x + look.px(8);
      if (i > 0 && ImGui::GetItemRectMax().x + look.px(8) + wide < edge) ImGui::SameLine();
      if (arrow[0] != 0) {
        ImGui::TextUnformatted(arrow);
        ImGui::SameLine();
      }
      ImGui::PushID(static_cast<int>(i));
      const bool chosen = state.selection.event == static_cast<std::int64_t>(event);
      ImGui::PushStyleColor(ImGuiCol_Button,
                            chosen ? look.palette().selection : look.palette().control);
      if (ImGui::SmallButton(label.c_str()))
        context.commands.push("select", {"event", fmt::format("{}", event)});
      ImGui::PopStyleColor();
      if (ImGui::IsItemHovered()) {
        const std::string where = line_of(state, event);
        ImGui::SetTooltip("%s",
                          where.empty() ? "Shows where it stands" : ("Shows it: " + where).c_str());
      }
      ImGui::PopID();
    }
  }
};

}  // namespace

std::unique_ptr<View> make_problems_view() { return std::make_unique<ProblemsView>(); }

}  // namespace rankscope::gui
