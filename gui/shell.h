// One frame of the application: the bars, the panes with their splitters, the dialogs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/paint/cairo_painter.h"
#include "gui/state/app/app.h"
#include "gui/state/model/narrator.h"
#include "gui/views/base/context_popup.h"
#include "gui/views/base/view.h"
#include "gui/views/lesson/lesson_figure.h"
#include "gui/views/lesson/lesson_parts.h"
#include "gui/views/panels.h"
#include "gui/views/scene_strip.h"

namespace rankscope::gui {

/// A rectangle in ImGui's units, which are pixels of the screen and not of the framebuffer.
struct Area {
  float x = 0, y = 0, width = 0, height = 0;
};

/// Returns the area of a picture, or all if that is empty. `scale`: the picture's pixels per unit.
inline Pixels part_of(const Pixels& all, const Area& area, float scale) {
  const auto column = [&](float x) {
    return std::clamp(static_cast<int>(std::lround(x * scale)), 0, all.width);
  };
  const auto row = [&](float y) {
    return std::clamp(static_cast<int>(std::lround(y * scale)), 0, all.height);
  };
  const int left = column(area.x), top = row(area.y);
  Pixels part;
  part.width = column(area.x + area.width) - left;
  part.height = row(area.y + area.height) - top;
  if (part.width <= 0 || part.height <= 0) return all;
  for (int y = 0; y < part.height; ++y) {
    const auto begin = all.argb.begin() + std::ptrdiff_t{top + y} * all.width + left;
    part.argb.insert(part.argb.end(), begin, begin + part.width);
  }
  return part;
}

class Shell {
 public:
  explicit Shell(App& app);

  /// Draws a frame, between ImGui's NewFrame and Render. Commands given meanwhile are carried out later.
  void draw(const Look& look);
  /// Returns the commands of mouse and keys since the last call.
  std::vector<Command> take_commands() { return commands_.take(); }
  void ask(Command command) { commands_.push(std::move(command)); }
  /// Requests the command of a key; returns true if the key is used up.
  bool press(const std::string& key, bool again = false);
  /// Carries out the requested commands; one that lacks words opens the dialog that asks for them.
  void carry_out();
  /// Returns whether keys go to an open dialog or a text field.
  bool wants_keys() const;
  /// Returns whether a view is still making something.
  bool unfinished() const noexcept { return unfinished_; }
  /// Sets whether the mouse has moved lately. On a projector, a resting mouse shows no controls.
  void mouse_moves(bool moves) noexcept { mouse_moves_ = moves; }
  /// Returns whether something moves by itself, so that several frames per second are needed.
  bool moves() const noexcept { return moves_; }
  /// Returns whether a text field has asked for the keyboard focus but does not have it yet.
  bool keeps_keys() const noexcept { return keeps_keys_; }
  /// Returns the place of a pane in the last frame; for "" that of the pane last under the pointer, or of the largest pane
  /// if that one is not shown.
  Area place_of(const std::string& slot) const;

 private:
  void panes(ViewContext& context, ImVec2 low, ImVec2 size);
  void in_four(ViewContext& context, ImVec2 low, ImVec2 size);
  void beside_drawer(ViewContext& context, ImVec2 low, ImVec2 size);
  void presented(ViewContext& context, ImVec2 low, ImVec2 size);
  /// Returns the sentence beneath the picture: the scene's question, what happens in the step, or nothing.
  std::optional<std::string> sentence_beneath(const View& view);
  void with_narration(ViewContext& context, Slot slot, ImVec2 low, ImVec2 size);
  void score(ViewContext& context, ImVec2 low, ImVec2 size);
  void pane(ViewContext& context, Slot slot, ImVec2 low, ImVec2 size);
  void view_in(ViewContext& context, View& view, Slot slot);
  /// These three return the width that they take in the pane's head.
  float tabs(ViewContext& context, Slot slot, const View& view, float room);
  float title(ViewContext& context, Slot slot, const View& view);
  static float head(const Look& look, std::string_view title);
  void all_views_popup(const View& view, Slot slot);
  /// Return whether to show the drawer, and the score.
  bool has_drawer(const Look& look, ImVec2 size) const;
  bool has_score(const Look& look, ImVec2 size) const;
  void figure_panel(ViewContext& context, const LessonFigure& figure, ImVec2 low, ImVec2 size,
                    bool enlarged);
  /// Draws the open lesson at the left of the panes.
  void lesson_panel(ViewContext& context, ImVec2 low, ImVec2 size);
  /// Returns whether a lesson is open and no pane shows it.
  bool lesson_at_left() const;
  void make_room(const Look& look, ImVec2 size, float& right, float& lower);
  void splitter(const char* id, ImVec2 low, ImVec2 size, bool vertical, double& share, double room,
                double direction);
  void status_line(ViewContext& context, ImVec2 low, ImVec2 size);
  void tour(ViewContext& context);
  /// Draws a projector's score: a thin line at the window's foot, and the transport while the mouse is there.
  void foot_line(ViewContext& context, ImVec2 room);
  const Area& picture_area() const;
  bool says_error() const;
  void error_card(const ViewContext& context) const;
  void draw_on_top(ViewContext& context);
  Area toured(int step) const;
  bool covered() const;
  /// Handles the keys of a presenter's clicker and of a black screen; returns true if the key is used up.
  bool press_clicker(const std::string& key);
  /// Closes whatever is on top, or leaves the maximised or presenting state.
  void escape();
  View& view_named(const std::string& name);
  View& view_at(Slot slot);

  App& app_;
  CommandQueue commands_;
  std::vector<std::unique_ptr<View>> views_;
  SentenceBar sentence_bar_;
  Narrator narrator_;
  Dialogs dialogs_;
  LessonBrowser browser_;
  FigurePainter figures_;            ///< For large figures.
  std::optional<Slot> under_mouse_;  ///< The pane under the mouse, if its view zooms.
  std::vector<Zoom> zooms_;          ///< To be applied in this frame.
  int without_room_ = 0;             ///< Panes that are left out of this frame.
  FirstPage first_page_;
  ContextPopup popup_;  ///< The menu of a tab.
  bool unfinished_ = false, keeps_keys_ = false, moves_ = false;
  LectureOverlays overlays_;
  SceneStrip strip_;
  bool lesson_seen_ = false;  ///< Whether the last frame showed the lesson.
  bool mouse_moves_ = true, transport_open_ = false;
  bool walks_ = false;  ///< Whether Tab moves from control to control.
  std::array<Area, kSlots.size()> places_{};
  Area sentence_at_, transport_at_, narration_at_;
  Slot under_pointer_ = Slot::main;
};

}  // namespace rankscope::gui
