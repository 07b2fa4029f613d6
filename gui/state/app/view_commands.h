// Commands about the panes: which views are where, and what single views show.
#pragma once

#include <future>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {

class ViewCommands : public CommandGroup {
 public:
  explicit ViewCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  bool busy() const { return copying_.valid(); }

  /// Returns the view of this name, or the one that shows the diagram of this name; else the stage.
  static std::string view_showing(const std::string& name);
  /// Shows a view in this pane, unless it is visible elsewhere.
  void bring_in(const std::string& view, Slot slot);
  /// Brings errors to the drawer's front, if the window has one and no lesson is open.
  void show_problems();
  /// Copies a PNG in the background, by a program that differs from system to system.
  void put_on_clipboard(std::string png);

  // ---- The commands ----
  void view(Slot slot, const std::string& name);
  void maximize(const Arguments& words);
  void panel(const Arguments& words);
  void layout(const Arguments& words);
  void filter(const Arguments& words);
  void copy_picture(const Arguments& words);
  void copy_text(const Arguments& words);
  void compare_clock(const Arguments& words);
  void zoom(const Arguments& words);
  /// `notches` of the wheel; 0 for all of the picture.
  void zoom_picture(const Arguments& words, int notches);

 private:
  std::future<CopiedPicture> copying_;
  std::string in_score_;  ///< The view that changed places with the score, if any.
};

}  // namespace rankscope::gui
