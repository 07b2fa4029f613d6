// The view Schedule: an algorithm that is drawn, with what its proof and the simulator say.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/diagrams/scene/drawing.h"
#include "gui/state/run/sentence.h"
#include "gui/state/schedule/schedule_scene.h"
#include "gui/views/base/view.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/scene_painter.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

constexpr double kAbove = 8, kRow = 36, kVerdict = 20, kListHead = 20, kListRow = 18, kListGap = 10;
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
  std::vector<std::string> out = known_topologies();
  out.insert(out.begin(), "uniform");
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

class ScheduleForm {
 public:
  /// `room`: the pane's height. A low pane has the sizes and the verdict alone.
  static float height(const ViewContext& context, float width, float room) {
    const auto lines = verdict_lines(context, width).size();
    // Two lines always: what is drawn moves nothing.
    const double verdict = kVerdict * static_cast<double>(std::max<std::size_t>(lines, 2));
    return context.look.px(
        kAbove + kRow + verdict + kListGap +
        (has_list(context, room) ? kListHead + kMostRows * kListRow + kListGap : 0));
  }

  static void draw(ViewContext& context, float width, float room) {
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
    const float top = low.y + look.px(kRow + 2 * kVerdict + kListGap);
    const bool has_path =
        !schedule.editor->drawn().moves.empty() && !counter_example(*schedule.facts).empty();
    const float half = has_path ? width * 0.46F : 0;
    if (has_path) draw_counter_example(context, {low.x, top}, half - look.px(16));
    draw_times(context, {low.x + half, top}, width - half);
  }

  static float offers_height(const ViewContext& context) { return context.look.px(44); }

  static void draw_offers(ViewContext& context) {
    const Look& look = context.look;
    look.push(14);
    for (const int ranks : {4, 8}) {
      const std::string label = fmt::format("Draw an allreduce on {} ranks", ranks);
      if (ImGui::Button(label.c_str()))
        context.commands.push(cmd::schedule_new("allreduce", ranks));
      ImGui::SameLine(0, look.px(8));
    }
    if (context.state.has_trace()) {
      if (ImGui::Button("Draw what this run did")) context.commands.push(cmd::schedule_of_run());
      ImGui::SameLine(0, look.px(8));
    }
    if (ImGui::Button("Open a file …")) context.commands.push(cmd::schedule());
    Look::pop();
  }
};

constexpr double kMoved = 5;  ///< Pixels that are no click any more.
constexpr double kReach = 5;  ///< Around a move's line, in the scene.

class ScheduleDrag {
 public:
  /// Returns whether it uses the mouse for a chunk or a move.
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) {
    const ScheduleState& schedule = context.state.schedule;
    if (!schedule.editor) return held_.reset(), false;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Point at = place.back(mouse);
    if (!held_) {
      if (!hovered || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
      if (const int move = move_at(at); move >= 0) held_ = Held{{}, move, mouse, false};
      else if (const auto from = place_in(scene_, at)) held_ = Held{*from, -1, mouse, false};
      return held_.has_value();
    }
    if (std::hypot(mouse.x - held_->at.x, mouse.y - held_->at.y) > context.look.px(kMoved))
      held_->moved = true;
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
    drop(context, place_in(scene_, at));
    held_.reset();
    return true;
  }

  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
            const ScenePlace& place) {
    const ScheduleState& schedule = context.state.schedule;
    if (!schedule.editor) return;
    if (of_ != schedule.id || scene_.groups.size() != scene.groups.size()) {
      of_ = schedule.id;
      scene_ = scene;
    }
    if (!held_ || !held_->moved) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImU32 ink = context.look.palette().accent;
    const float thick = context.look.px(2);
    const auto to = place_in(scene_, place.back(mouse));
    const auto outline = [&](const Box& box) {
      list.AddRect(place.at({box.x - 2, box.y - 2}), place.at({box.right() + 2, box.bottom() + 2}),
                   ink, context.look.px(4), 0, thick);
    };
    if (held_->move >= 0) {
      if (to && to->step > 0) {
        const Box column = box_of(scene_, {to->step, 0, 0});
        const float x = place.at(column.center()).x;
        list.AddLine({x, place.at({0, 0}).y}, {x, place.at({0, scene_.height}).y}, ink, thick);
      }
      return;
    }
    const DrawnSchedule& drawn = schedule.editor->drawn();
    const Box from = box_of(scene_, held_->from);
    outline(from);
    if (!to || to->rank == held_->from.rank) {
      list.AddLine(place.at({from.right(), from.center().y}), mouse, ink, thick);
      return;
    }
    const ScheduleMove move = move_between(drawn, held_->from, *to, schedule.adds);
    const Box sent = box_of(scene_, {move.step - 1, move.from, move.chunk}),
              lands = box_of(scene_, {move.step, move.to, move.chunk});
    outline(lands);
    list.AddLine(place.at({sent.right(), sent.center().y}), place.at({lands.x, lands.center().y}),
                 ink, thick);
  }

 private:
  struct Held {
    ScheduleState::Place from;
    int move = -1;  ///< Else a chunk is held.
    ImVec2 at;
    bool moved = false;
  };

  void drop(ViewContext& context, const std::optional<ScheduleState::Place>& to) const {
    const ScheduleState& schedule = context.state.schedule;
    const DrawnSchedule& drawn = schedule.editor->drawn();
    if (held_->move >= 0) {
      if (held_->move >= static_cast<int>(drawn.moves.size())) return;
      const ScheduleMove& move = drawn.moves[static_cast<std::size_t>(held_->move)];
      context.commands.push(cmd::schedule_select(move.step, move.from, move.to, move.chunk));
      if (held_->moved && to && to->step > 0 && to->step != move.step)
        context.commands.push(cmd::schedule_step(to->step));
      return;
    }
    if (!held_->moved) {
      if (schedule.selected >= 0) context.commands.push(cmd::schedule_unselect());
      return;
    }
    if (!to || to->rank == held_->from.rank) return;
    const ScheduleMove move = move_between(drawn, held_->from, *to, schedule.adds);
    context.commands.push(cmd::schedule_add(move.step, move.from, move.to, move.chunk,
                                            move.add != ImGui::GetIO().KeyShift ? "add" : "keep"));
  }

  /// A move's number below a point; -1: none.
  int move_at(Point at) const {
    int nearest = -1;
    double least = kReach;
    for (const Mark& mark : scene_.marks) {
      if (mark.group < 0 || mark.kind != Mark::Kind::path || !mark.box.grown(kReach).contains(at))
        continue;
      int number = -1;
      const std::string& id = scene_.groups[static_cast<std::size_t>(mark.group)].id;
      if (std::sscanf(id.c_str(), "move-%d", &number) != 1) continue;
      for (double t = 0; t <= 1; t += 0.05) {
        const Point on = bezier(mark.points, t);
        const double far = std::hypot(on.x - at.x, on.y - at.y);
        if (far < least) least = far, nearest = number;
      }
    }
    return nearest;
  }

  Scene scene_;  ///< That was drawn last: what the mouse is on.
  std::uint64_t of_ = 0;
  std::optional<Held> held_;
};

class ScheduleView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const ScheduleState& schedule = context.state.schedule;
    const auto press = [&](const char* label, bool on, const char* tip, Command command) {
      if (head_button(context, label, on, tip)) context.commands.push(std::move(command));
    };
    press("open …", false, "A table of moves, MSCCL's XML, or GOAL", cmd::schedule());
    if (!schedule.editor) return;
    press("run", false, "Simulates it, for all other views", cmd::schedule_run());
    if (head_button(context, schedule.editor->changed() ? "save …" : "save", false,
                    "As a table, or for GPUs as MSCCL's XML (Ctrl+S)"))
      context.commands.push(save_command(context.state));
    if (schedule.editor->redoable() > 0)
      press("redo", false, "Makes the last undone change again (Ctrl+Shift+Z)",
            cmd::schedule_redo());
    if (schedule.editor->undoable() > 0)
      press("undo", false, "Takes the last change back (Ctrl+Z)", cmd::schedule_undo());
    if (schedule.selected >= 0) {
      press("delete", false, "Takes the chosen move out (Delete)", cmd::schedule_delete());
      press("later", false, "Moves the chosen move to the next step (])", cmd::schedule_later());
      press("earlier", false, "Moves the chosen move to the step before ([)",
            cmd::schedule_earlier());
      press("add or keep", false, "Turns the chosen move over (A)", cmd::schedule_kind_toggle());
    } else {
      press(schedule.adds ? "drags add" : "drags keep", schedule.adds,
            "What is dragged is added, or replaces what was there (A); with Shift the other one",
            cmd::schedule_mode_toggle());
    }
  }

  std::optional<Command> command_of(const AppState& state, std::string_view key) const override {
    const ScheduleState& schedule = state.schedule;
    if (!schedule.editor) return std::nullopt;
    struct Key {
      std::string_view key;
      const Form<>& command;
      bool of_move = false;
    };
    static constexpr std::array kKeys = {
        Key{"Ctrl+Z", cmd::schedule_undo},         Key{"Ctrl+Shift+Z", cmd::schedule_redo},
        Key{"Up", cmd::schedule_cursor_up},        Key{"Down", cmd::schedule_cursor_down},
        Key{"Left", cmd::schedule_cursor_left},    Key{"Right", cmd::schedule_cursor_right},
        Key{"Delete", cmd::schedule_delete, true}, Key{"[", cmd::schedule_earlier, true},
        Key{"]", cmd::schedule_later, true},       Key{"A", cmd::schedule_kind_toggle, true},
        Key{"A", cmd::schedule_mode_toggle},       Key{"Tab", cmd::schedule_select_next}};
    if (key == "Ctrl+S") return save_command(state);
    if (key == "Enter" && schedule.cursor)
      return schedule.picked ? cmd::schedule_drop() : cmd::schedule_pick();
    if (key == "Escape" && schedule.picked) return cmd::schedule_pick_none();
    for (const Key& one : kKeys)
      if (one.key == key && (!one.of_move || schedule.selected >= 0)) return one.command();
    return std::nullopt;
  }

 protected:
  bool needs_trace() const override { return false; }

  Request request(const ViewContext& context, double, double) override {
    const ScheduleState& schedule = context.state.schedule;
    if (!schedule.editor) return {};
    Request wanted;
    wanted.key = fmt::format("schedule {}", schedule.id);
    wanted.make = [schedule] { return schedule_scene(schedule, system_ruler()); };
    return wanted;
  }

  std::string selected_group(const ViewContext&) const override { return ""; }
  std::optional<CellMeaning> cell_meaning() const override { return std::nullopt; }
  Selection selection_of(const std::string&) const override { return {}; }
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) override {
    return drag_.takes_mouse(context, place, hovered);
  }
  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    drag_.draw(context, list, scene, place);
  }

  float footer_height(const ViewContext& context, float width) const override {
    if (!context.state.schedule.editor) return ScheduleForm::offers_height(context);
    room_ = ImGui::GetContentRegionAvail().y;
    return ScheduleForm::height(context, width, room_);
  }
  void footer(ViewContext& context, float width) override {
    if (!context.state.schedule.editor) return ScheduleForm::draw_offers(context);
    ScheduleForm::draw(context, width, room_);
  }
  std::string_view empty_text() const override { return "No schedule is drawn"; }
  std::string_view empty_advice() const override {
    return "Draw an algorithm of your own: drag a chunk from one rank to another, and see at once "
           "whose data is where.";
  }

 private:
  static Command save_command(const AppState& state) {
    return state.schedule.file.empty() ? cmd::save_schedule() : cmd::schedule_save();
  }

  ScheduleDrag drag_;
  mutable float room_ = 0;  ///< The height of the pane: the footer asks when it is drawn.
};

}  // namespace

std::unique_ptr<View> make_schedule_view() { return std::make_unique<ScheduleView>(); }

}  // namespace rankscope::gui
