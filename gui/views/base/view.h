// A view fills a pane: it reads the state, and asks for changes by commands.
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
  /// Set by views that are still making something: the window draws again soon.
  bool* unfinished = nullptr;
  /// Set by views with a field that has asked for the keyboard and does not have it yet.
  bool* keeps_keys = nullptr;
  /// To be done to the view that is drawn now.
  std::vector<Zoom> zooms = {};
  Slot slot = Slot::main;  ///< The pane that is drawn.
  /// In a pane's head: where its title ends. Buttons that would lie on it are left out.
  float head_from = 0;
};

class View {
 public:
  virtual ~View() = default;
  const ViewInfo& info() const noexcept { return *info_; }
  std::string_view name() const noexcept { return info_->name; }
  std::string_view title() const noexcept { return info_->title; }
  /// Content, in the current window, whose content region is the view's to fill.
  virtual void draw(ViewContext& context) = 0;
  /// It has a picture to come nearer to.
  virtual bool zooms() const { return false; }
  /// A key that belongs to what has the focus in it, and to nothing else.
  virtual bool takes_key(std::string_view) { return false; }
  /// Returns the command of a key while the pointer is on the view; none where the key does the same as elsewhere.
  virtual std::optional<Command> command_of(const AppState&, std::string_view /*key*/) const {
    return std::nullopt;
  }
  /// At most one row of controls in the pane's head, drawn from the right edge to the left; may draw
  /// nothing.
  virtual void controls(ViewContext&) {}

 private:
  friend std::vector<std::unique_ptr<View>> all_views();
  const ViewInfo* info_ = nullptr;
};

/// One of each, in the order of the menu.
std::vector<std::unique_ptr<View>> all_views();

/// The advice where there is no trace.
inline constexpr std::string_view kStartOrOpen = "Start a run (F5), or open a trace (Ctrl+O).";
/// In the middle of the pane: what is missing here, and what to do.
void draw_empty(const ViewContext& context, std::string_view what, std::string_view advice);

/// Small letters: over a control, or as a head. `color` 0: muted.
void caption(const Look& look, const std::string& text, ImU32 color = 0, bool strong = false);
void colored_text(ImU32 color, const std::string& text);
/// The mark of a rank in a row of a table.
void rank_dot(const Look& look, Rank rank);
/// While the pointer is on what was drawn last.
void hover_text(std::string_view text);
/// The one that most people want.
bool accent_button(const Look& look, const char* label, ImVec2 size, double letters);
/// "TIME × RANK"
std::string capitals(std::string_view text);

/// Ends where the column ends.
void right_aligned(const std::string& text);
/// As much of a line as there is room for; the rest is reported on hover.
void elided(const std::string& text);
/// The same in the current font, for so many pixels.
std::string fitted_text(const std::string& text, float width);
std::string fitted_phase(const std::string& name, float width);
std::string fitted_parts(const std::string& text, float width);

/// A small button of a pane's head; true when it was pressed. `on`: it is a switch, and it is on.
bool head_button(const ViewContext& context, const char* label, bool on, const char* tooltip);

}  // namespace rankscope::gui
