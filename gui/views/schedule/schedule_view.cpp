// The view Schedule: an algorithm that is drawn, with what its proof and the simulator say.
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "gui/state/schedule/schedule_scene.h"
#include "gui/views/scene/scene_view.h"
#include "gui/views/schedule/schedule_drag.h"
#include "gui/views/schedule/schedule_form.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
namespace {

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
      press("redo", false, "Makes it again (Ctrl+Shift+Z)", cmd::schedule_redo());
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
