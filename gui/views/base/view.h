// A view fills a pane. It reads the state, and requests changes by commands.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/command/command.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/model/app_state.h"
#include "gui/views/base/look.h"

namespace rankscope::gui {

struct ViewContext {
  const AppState& state;
  CommandQueue& commands;
  const Look& look;
  /// Set to true by a view that is still making something, so that the window soon draws again.
  bool* unfinished = nullptr;
  /// Set to true by a view whose text field has asked for the keyboard focus but does not have it yet.
  bool* keeps_keys = nullptr;
  /// Zooms to apply to the view that is being drawn.
  std::vector<Zoom> zooms = {};
  Slot slot = Slot::main;  ///< The pane that is drawn.
  /// The right end of the title in the pane's head. Buttons that would cover it are left out.
  float head_from = 0;
};

class View {
 public:
  virtual ~View() = default;
  const ViewInfo& info() const noexcept { return *info_; }
  std::string_view name() const noexcept { return info_->name; }
  std::string_view title() const noexcept { return info_->title; }
  /// Draws the view into the current window; it may fill the whole content region.
  virtual void draw(ViewContext& context) = 0;
  /// Returns whether the view has a picture that can be zoomed.
  virtual bool zooms() const { return false; }
  /// Returns whether the focused control in this view uses the key, so that the key runs no command.
  virtual bool takes_key(std::string_view) { return false; }
  /// Returns the command of a key while the pointer is on the view, or nothing if the key does the same as elsewhere.
  virtual std::optional<Command> command_of(const AppState&, std::string_view /*key*/) const {
    return std::nullopt;
  }
  /// Draws the view's controls in the pane's head, in at most one row, from the right edge to the left.
  virtual void controls(ViewContext&) {}

 private:
  friend std::vector<std::unique_ptr<View>> all_views();
  const ViewInfo* info_ = nullptr;
};

/// Makes one view of each kind, in the order of the menu.
std::vector<std::unique_ptr<View>> all_views();

/// The advice of views that need a trace, while none is open.
inline constexpr std::string_view kStartOrOpen = "Start a run (F5), or open a trace (Ctrl+O).";
/// Writes in the middle of the pane what is missing, and what to do.
void draw_empty(const ViewContext& context, std::string_view what, std::string_view advice);

/// Writes small text above a control or as a heading. `color` 0 is the muted colour.
void caption(const Look& look, const std::string& text, ImU32 color = 0, bool strong = false);
void colored_text(ImU32 color, const std::string& text);
/// Does the same, with lines broken at `right` in the window, or at its edge.
void colored_lines(ImU32 color, const std::string& text, float right = 0);
/// Draws the ground of a pane or strip, with its edge, into the current window. `low` is on the screen.
void draw_ground(const Look& look, ImVec2 low, ImVec2 size, ImU32 color);
/// Draws a bar of progress, 0 to 1.
void share_bar(const Look& look, ImVec2 at, ImVec2 size, double share, ImU32 color);
/// Shows a tooltip while the pointer is on the last item drawn.
void hover_text(std::string_view text);
/// Draws the button for the most usual choice; returns true when pressed. `letters` is the size of its text.
bool accent_button(const Look& look, const char* label, ImVec2 size, double letters);

/// Writes a text that ends at the right edge of the column.
void right_aligned(const std::string& text);
/// Writes as much of a line as fits; a tooltip shows all of it.
void elided(const std::string& text);
/// Return the part of a text, a phase's name or a text of several parts that fits into `width` pixels in the current font.
std::string fitted_text(const std::string& text, float width);
std::string fitted_phase(const std::string& name, float width);
std::string fitted_parts(const std::string& text, float width);

/// Draws a small button in a pane's head; returns true when pressed. `on` shows it as a switch that is on.
bool head_button(const ViewContext& context, const char* label, bool on, const char* tooltip);

}  // namespace rankscope::gui
