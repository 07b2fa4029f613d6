// Shows the problems of a run: why, where, and what to do.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/line_break.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/model/inspection.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/context_popup.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/lesson/lesson_text.h"

namespace rankscope::gui {
namespace {

using Links = std::vector<std::pair<Rank, std::uint64_t>>;
constexpr std::size_t kMostLinks = 12;
/// In letters; a longer headline is a sentence, and has smaller letters.
constexpr std::size_t kLongHeadline = 70;

class ProblemsView final : public View {
 public:
  void draw(ViewContext& context) override {
    if (context.state.problems.empty())
      return draw_empty(context, "No problems",
                        "Dead or silent ranks, wrong results, and messages that nobody received "
                        "are listed here.");
    compat::begin_child("problems");
    const auto& all = context.state.problems;
    for (std::size_t first = 0; first < all.size();) {
      std::size_t end = first + 1;
      while (end < all.size() && alike(all[first], all[end])) ++end;
      card(context, all[first], static_cast<int>(first),
           {all.begin() + static_cast<std::ptrdiff_t>(first) + 1,
            all.begin() + static_cast<std::ptrdiff_t>(end)});
      first = end;
    }
    popup_.draw(context);
    ImGui::EndChild();
  }

 private:
  ContextPopup popup_;

  static ImU32 color_of(const Look& look, Problem::Severity severity) {
    const auto& p = look.palette();
    if (severity == Problem::Severity::error) return p.error;
    return severity == Problem::Severity::warning ? p.warning : p.muted;
  }

  /// Returns whether one card can explain both: the same problem on two ranks.
  static bool alike(const Problem& one, const Problem& other) {
    const auto plain = [](const Problem& p) {
      return p.stands.empty() && p.circle.empty() && !p.advice.empty() && p.rank >= 0;
    };
    return plain(one) && plain(other) && one.rank != other.rank && one.severity == other.severity &&
           one.advice == other.advice && one.why == other.why;
  }

  void card(ViewContext& context, const Problem& problem, int number,
            const std::vector<Problem>& others) {
    const Look& look = context.look;
    const float left = look.px(14);
    ImGui::PushID(number);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::Indent(left);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(4)});
    if (problem.stands.empty()) short_card(context, problem);
    else root_card(context, problem);
    if (!problem.follows.empty())
      consequences(context,
                   problem.finding == Finding::Kind::wrong_result ? "Wrong on other ranks, too"
                                                                  : "What follows from it",
                   problem.follows);
    if (!others.empty()) consequences(context, "The same on other ranks", others);
    ImGui::PopStyleVar();
    ImGui::Unindent(left);
    const float bottom = ImGui::GetItemRectMax().y;
    ImGui::GetWindowDrawList()->AddRectFilled({low.x, low.y + look.px(2)},
                                              {low.x + look.px(4), bottom},
                                              color_of(look, problem.severity), look.px(2));
    const ImVec2 end{low.x + ImGui::GetContentRegionAvail().x, bottom};
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, end) && ContextPopup::clicked())
      popup_.open({ContextThing::Kind::problem, number, context.slot});
    ImGui::Dummy({0, look.px(8)});
    ImGui::PopID();
  }

  static void part(const ViewContext& context, const std::string& text, const TextStyle& style) {
    if (text.empty()) return;
    const float width = ImGui::GetContentRegionAvail().x - context.look.px(8);
    draw_words(context.look, text, width, style);
    ImGui::Dummy({0, 0});  // the gap
  }

  static void short_card(ViewContext& context, const Problem& problem) {
    const auto& p = context.look.palette();
    const double head = problem.what.size() > kLongHeadline ? 14.0 : 16.0;
    part(context, capitalized(problem.what), {head, 0, true});
    part(context, problem.where, {13});
    part(context, problem.why, {13, p.muted});
    part(context, problem.advice, {13, problem.why.empty() ? p.muted : 0});
    if (!problem.circle.empty()) links(context, problem.circle, true);
    else if (!problem.places.empty()) links(context, problem.places, false);
    else if (problem.rank >= 0) rank_link(context, problem.rank);
  }

  /// Draws the blocked ranks: where they stand, what would free them, why, and what to try.
  static void root_card(ViewContext& context, const Problem& problem) {
    const Look& look = context.look;
    const auto section = [&](const char* name) {
      ImGui::Dummy({0, look.px(6)});
      part(context, name, {16, 0, true});
    };
    const double head = problem.what.size() > kLongHeadline ? 14.0 : 18.0;
    part(context, capitalized(problem.what), {head, look.palette().error, true});
    part(context, capitalized(problem.where), {14});
    section(problem.finding == Finding::Kind::wrong_result ? "Where" : "Where they stand");
    for (std::size_t i = 0; i < problem.stands.size(); ++i)
      excerpt(context, problem.stands[i], fmt::format("stand {}", i), true);
    if (!problem.frees.empty()) {
      section(problem.frees_title.c_str());
      for (std::size_t i = 0; i < problem.frees.size(); ++i)
        excerpt(context, problem.frees[i], fmt::format("free {}", i), false);
    }
    if (!problem.why.empty()) section("Why");
    part(context, problem.why, {14});
    if (!problem.advice.empty()) section("What to try");
    part(context, problem.advice, {14});
    ImGui::Dummy({0, look.px(4)});
    buttons(context, problem);
  }

  /// Shows the real run, whose problems these are.
  static void as_written(ViewContext& context) {
    if (context.state.what_if.ghost()) context.commands.push(cmd::what_if_as_written());
  }
  static void select_event(ViewContext& context, std::uint64_t event) {
    as_written(context);
    context.commands.push(cmd::select(Thing::event, static_cast<std::int64_t>(event)));
  }

  static void buttons(ViewContext& context, const Problem& problem) {
    const Look& look = context.look;
    if (accent_button(look, "Show on the stage", {}, 14)) {
      as_written(context);
      context.commands.push(cmd::view(Slot::main, "stage"));
      context.commands.push(cmd::last());
    }
    if (const auto event = problem.stands.front().event; event >= 0) {
      same_line_if_room(look, "Open the code");
      if (ImGui::Button("Open the code")) {
        context.commands.push(cmd::view(Slot::side, "code"));
        select_event(context, static_cast<std::uint64_t>(event));
      }
    }
    same_line_if_room(look, "Copy");
    if (ImGui::Button("Copy")) ImGui::SetClipboardText(problem_text(problem).c_str());
  }

  static void same_line_if_room(const Look& look, const char* label) {
    const float wide = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
    const float edge = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + look.px(8) + wide < edge) ImGui::SameLine();
  }

  /// Draws lines of the source in a box, one of them marked; a click selects the event there.
  static void excerpt(ViewContext& context, const Problem::Excerpt& shown, const std::string& id,
                      bool stands) {
    const Look& look = context.look;
    const auto& p = look.palette();
    const Look::Face head = look.face({13, Font::Weight::semibold, false}),
                     code = look.face({13, Font::Weight::regular, true});
    const float pad = look.px(8), row = code.size + look.px(5);
    const float width = ImGui::GetContentRegionAvail().x - look.px(8);
    const float text_from = pad + code.extent("0000 ").x, letter = code.extent("0").x;
    const auto columns =
        static_cast<std::size_t>(std::max((width - pad - text_from) / letter, 1.0F));
    std::size_t rows = 0;
    for (const auto& [number, line] : shown.lines) rows += code_parts(line, columns).size();
    const float height = 2 * pad + head.size + look.px(4) + row * static_cast<float>(rows);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(id.c_str(), {std::max(width, 1.0F), height});
    if (ImGui::IsItemClicked() && shown.event >= 0)
      select_event(context, static_cast<std::uint64_t>(shown.event));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 high{low.x + width, low.y + height};
    list.AddRectFilled(low, high, p.window, look.px(6));
    list.AddRect(low, high, ImGui::IsItemHovered() ? p.muted : p.panel_edge, look.px(6));
    list.PushClipRect(low, high, true);
    head.draw(list, {low.x + pad, low.y + pad}, stands ? p.error : p.text, shown.title);
    float y = low.y + pad + head.size + look.px(4);
    for (const auto& [number, line] : shown.lines) {
      const auto parts = code_parts(line, columns);
      if (number == shown.marked)
        list.AddRectFilled({low.x + 1, y}, {high.x - 1, y + row * static_cast<float>(parts.size())},
                           with_alpha(stands ? p.error : p.accent, 56));
      code.draw(list, {low.x + pad, y + look.px(2)}, p.muted, fmt::format("{:>3}", number));
      for (const CodePart& part : parts) {
        code.draw(list,
                  {low.x + text_from + letter * static_cast<float>(part.indent), y + look.px(2)},
                  p.text, line.substr(part.begin, part.end - part.begin));
        y += row;
      }
    }
    list.PopClipRect();
  }

  /// Draws the consequences, folded, because they are not separate problems.
  void consequences(ViewContext& context, const char* title, const std::vector<Problem>& all) {
    const std::string label = fmt::format("{} ({})", title, all.size());
    ImGui::Dummy({0, context.look.px(4)});
    if (!ImGui::TreeNodeEx(label.c_str(), ImGuiTreeNodeFlags_NoTreePushOnOpen)) return;
    for (const Problem& one : all) {
      const auto& p = context.look.palette();
      part(context, capitalized(one.what), {13, 0, true});
      part(context, one.where, {13, p.muted});
    }
  }

  static void rank_link(ViewContext& context, Rank rank) {
    if (ImGui::SmallButton(fmt::format("show rank {}", rank).c_str()))
      as_written(context), context.commands.push(cmd::select(Thing::rank, rank));
  }

  /// "student.py:12"; empty if unknown.
  static std::string line_of(const AppState& state, std::uint64_t event) {
    const auto& all = state.what_if.choices;  // the real run is the last one
    const Document* const real =
        state.what_if.ghost() && !all.empty() ? all.back().document.get() : state.document.get();
    return real != nullptr ? real->line_name(event) : std::string();
  }

  /// Draws each rank as a link to its event. `circle`: each waits for the next one, the last for the first.
  static void links(ViewContext& context, const Links& all, bool circle) {
    const Look& look = context.look;
    const auto& state = context.state;
    const std::size_t shown = std::min(all.size(), kMostLinks);
    const std::size_t count = circle ? shown + 1 : shown;
    const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    // If all stand at the same line, the words above name it.
    const bool one_line =
        circle || ranges::all_of(all, [&](const auto& link) {
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
      if (ImGui::SmallButton(label.c_str())) select_event(context, event);
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
