// Lays the form out: a row of fields, the verdict in at most two lines, then the counter-example or times.
#include "gui/views/schedule/schedule_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/network/files/topology_file.h"

namespace rankscope::gui {
namespace {

constexpr double kAbove = 8, kRow = 36, kVerdict = 20, kListHead = 20, kListRow = 18, kGap = 10;
constexpr double kLeastForList = 420;  ///< Height of the pane.
constexpr int kMostRows = 5;
const Font kVerdictFont{14, Font::Weight::semibold, false};

std::string figure(int number) { return fmt::format("{}", number); }

std::vector<std::string> verdict_lines(const ViewContext& context, float width) {
  const auto& facts = context.state.schedule.facts;
  if (!facts) return {};
  auto lines = wrapped(verdict_text(*facts), kVerdictFont,
                       static_cast<double>(width / context.look.scale()), system_ruler());
  if (lines.size() > 2) {
    lines.resize(2);
    lines.back() += " …";
  }
  return lines;
}

bool has_list(const ViewContext& context, float room) {
  return room >= context.look.px(kLeastForList);
}

/// One less, the number, one more.
void stepper(ViewContext& context, const Form<int>& command, const char* name, int value, int least,
             int most) {
  const Look& look = context.look;
  ImGui::PushID(name);
  ImGui::AlignTextToFramePadding();
  colored_text(look.palette().muted, name);
  ImGui::SameLine(0, look.px(6));
  if (ImGui::Button("−", {look.px(24), 0}) && value > least)
    context.commands.push(command(value - 1));
  ImGui::SameLine(0, look.px(6));
  ImGui::TextUnformatted(figure(value).c_str());
  ImGui::SameLine(0, look.px(6));
  if (ImGui::Button("+", {look.px(24), 0}) && value < most)
    context.commands.push(command(value + 1));
  ImGui::SameLine(0, look.px(16));
  ImGui::PopID();
}

/// A choice of a list; `choose` gets the one that was clicked.
template <class Names, class Choose>
void choice(const ViewContext& context, const char* id, const std::string& shown, double width,
            const Names& names, const Choose& choose) {
  ImGui::SetNextItemWidth(context.look.px(width));
  if (ImGui::BeginCombo(id, shown.c_str())) {
    for (const auto& name : names())
      if (ImGui::Selectable(std::string(name).c_str(), name == shown)) choose(std::string(name));
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, context.look.px(16));
}

std::vector<std::string> networks() {
  std::vector<std::string> out{"uniform"};
  try {
    for (std::string& name : topology_names()) out.push_back(std::move(name));
  } catch (const UserError&) {  // they are not installed
  }
  return out;
}

void draw_fields(ViewContext& context, float width) {
  const ScheduleState& schedule = context.state.schedule;
  const DrawnSchedule& drawn = schedule.editor->drawn();
  choice(
      context, "##collective", std::string(to_string(drawn.collective)), 140,
      [] {
        std::vector<std::string> names;
        for (const Collective one : drawn_collectives()) names.emplace_back(to_string(one));
        return names;
      },
      [&](const std::string& name) { context.commands.push(cmd::schedule_collective(name)); });
  stepper(context, cmd::schedule_ranks, "ranks", drawn.ranks, 2, kMostDrawnRanks);
  stepper(context, cmd::schedule_chunks, "chunks", drawn.chunks, 1, kMostDrawnChunks);
  if (width < context.look.px(640)) return;
  choice(context, "##network", schedule.trial.network.empty() ? "uniform" : schedule.trial.network,
         160, networks,
         [&](const std::string& name) { context.commands.push(cmd::schedule_network(name)); });
  if (width < context.look.px(780)) return;
  choice(
      context, "##bytes", amount_text(schedule.trial.bytes), 100,
      [] {
        return std::vector<std::string>{"1 KiB", "64 KiB", "1 MiB", "16 MiB", "256 MiB"};
      },
      [&](std::string size) {
        std::erase(size, ' ');
        context.commands.push(cmd::schedule_bytes(size));
      });
}

void draw_counter_example(const ViewContext& context, ImVec2 low, float width) {
  const Look& look = context.look;
  const auto& facts = context.state.schedule.facts;
  const std::vector<std::string> lines = counter_example(*facts);
  ImGui::SetCursorScreenPos(low);
  caption(look, lines.empty() ? "" : "Counter-example, red in the picture");
  look.push(13);
  for (int i = 0; i < std::min(static_cast<int>(lines.size()), kMostRows); ++i) {
    const bool more = i == kMostRows - 1 && static_cast<int>(lines.size()) > kMostRows;
    ImGui::SetCursorScreenPos({low.x, low.y + look.px(kListHead + i * kListRow)});
    ImGui::TextUnformatted(
        fitted_text(more ? fmt::format("and {} more", static_cast<int>(lines.size()) - i)
                         : lines[static_cast<std::size_t>(i)],
                    width)
            .c_str());
  }
  Look::pop();
}

/// The fastest, and the schedule itself wherever it is: their places.
std::vector<int> shown_rows(const ScheduleTimes& times) {
  std::vector<int> out;
  const int all = static_cast<int>(times.rows.size()), own = times.place() - 1;
  for (int i = 0; i < std::min(all, kMostRows); ++i) out.push_back(i);
  if (own >= kMostRows) out.back() = own;
  return out;
}

std::string times_head(const ScheduleState& schedule) {
  const std::string where =
      schedule.trial.network.empty() ? "a uniform network (5 us, 10 GB/s)" : schedule.trial.network;
  if (schedule.editor->drawn().moves.empty()) return "Nothing is drawn that could be timed";
  if (!schedule.times) return "Simulating …";
  if (!schedule.times->problem.empty()) return schedule.times->problem;
  if (schedule.facts && !schedule.facts->is_right())
    return fmt::format("Simulated with {} on {}, though it is not right yet",
                       amount_text(schedule.trial.bytes), where);
  return fmt::format("Simulated with {} on {}: place {} of {}{}", amount_text(schedule.trial.bytes),
                     where, schedule.times->place(), schedule.times->rows.size(),
                     schedule.times_are_current() ? "" : " …");
}

void draw_times(const ViewContext& context, ImVec2 low, float width) {
  const Look& look = context.look;
  const ScheduleState& schedule = context.state.schedule;
  ImGui::SetCursorScreenPos(low);
  look.push(12);
  const std::string head = fitted_text(times_head(schedule), width);
  Look::pop();
  caption(look, head);
  if (!schedule.times || schedule.times->rows.empty() || schedule.editor->drawn().moves.empty())
    return;
  const auto& rows = schedule.times->rows;
  const double slowest = rows[static_cast<std::size_t>(shown_rows(*schedule.times).back())].seconds;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float names = std::min(look.px(230), width * 0.5F), figures = look.px(80);
  look.push(13);
  int line = 0;
  for (const int place : shown_rows(*schedule.times)) {
    const ScheduleTime& row = rows[static_cast<std::size_t>(place)];
    const float y = low.y + look.px(kListHead + line++ * kListRow);
    const ImU32 ink = row.own ? look.palette().accent : look.palette().text;
    list.AddText({low.x, y}, ink,
                 fitted_text(fmt::format("{}. {}", place + 1, row.name), names).c_str());
    const std::string time = time_text(std::llround(row.seconds * 1e9));
    list.AddText({low.x + names + figures - ImGui::CalcTextSize(time.c_str()).x - look.px(10), y},
                 ink, time.c_str());
    const float room = width - names - figures;
    const auto part = static_cast<float>(slowest > 0 ? row.seconds / slowest : 0);
    if (room > look.px(20))
      list.AddRectFilled({low.x + names + figures, y + look.px(4)},
                         {low.x + names + figures + room * part, y + look.px(13)},
                         row.own ? look.palette().accent : look.color({Tone::frame}), look.px(2));
  }
  Look::pop();
}

}  // namespace

float ScheduleForm::height(const ViewContext& context, float width, float room) {
  const auto lines = verdict_lines(context, width).size();
  // Two lines always: what is drawn moves nothing.
  const double verdict = kVerdict * static_cast<double>(std::max<std::size_t>(lines, 2));
  return context.look.px(kAbove + kRow + verdict + kGap +
                         (has_list(context, room) ? kListHead + kMostRows * kListRow + kGap : 0));
}

void ScheduleForm::draw(ViewContext& context, float width, float room) {
  const Look& look = context.look;
  const ScheduleState& schedule = context.state.schedule;
  ImVec2 low = ImGui::GetCursorScreenPos();
  low.y += look.px(kAbove);
  ImGui::SetCursorScreenPos(low);
  look.push(14);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), look.px(4)});
  draw_fields(context, width);
  ImGui::PopStyleVar();
  Look::pop();
  if (!schedule.facts) return;
  float y = low.y + look.px(kRow);
  look.push(14, Font::Weight::semibold);
  const auto ink = schedule.facts->is_right() ? look.palette().good
                   : schedule.facts->problem.empty() && schedule.editor->drawn().moves.empty()
                       ? look.palette().muted
                       : look.palette().error;
  for (const std::string& line : verdict_lines(context, width)) {
    ImGui::SetCursorScreenPos({low.x, y});
    colored_text(ink, line);
    y += look.px(kVerdict);
  }
  Look::pop();
  ImGui::SetCursorScreenPos({low.x, low.y + look.px(kRow)});
  ImGui::Dummy({width, look.px(2 * kVerdict)});
  hover_text(verdict_text(*schedule.facts));
  if (!has_list(context, room)) return;
  const float top = low.y + look.px(kRow + 2 * kVerdict + kGap);
  const bool has_path =
      !schedule.editor->drawn().moves.empty() && !counter_example(*schedule.facts).empty();
  const float half = has_path ? width * 0.46F : 0;
  if (has_path) draw_counter_example(context, {low.x, top}, half - look.px(16));
  draw_times(context, {low.x + half, top}, width - half);
}

float ScheduleForm::offers_height(const ViewContext& context) { return context.look.px(44); }

void ScheduleForm::draw_offers(ViewContext& context) {
  const Look& look = context.look;
  look.push(14);
  for (const int ranks : {4, 8}) {
    const std::string label = fmt::format("Draw an allreduce on {} ranks", ranks);
    if (ImGui::Button(label.c_str())) context.commands.push(cmd::schedule_new("allreduce", ranks));
    ImGui::SameLine(0, look.px(8));
  }
  if (context.state.has_trace()) {
    if (ImGui::Button("Draw what this run did")) context.commands.push(cmd::schedule_of_run());
    ImGui::SameLine(0, look.px(8));
  }
  if (ImGui::Button("Open a file …")) context.commands.push(cmd::schedule());
  Look::pop();
}

}  // namespace rankscope::gui
