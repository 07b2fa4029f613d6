// Commands about the panes: which views are where, and what single views show.
#pragma once

#include <future>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/files/copied_picture.h"

namespace rankscope::gui {

class ViewCommands : public CommandGroup {
 public:
  explicit ViewCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  bool busy() const { return copying_.valid(); }

  /// Shows a view here; where it can be seen already, it stays.
  void bring_in(const std::string& view, Slot slot);
  /// Errors come to the drawer's front, where the window has one and no lesson is open.
  void show_problems();
  /// A PNG, in the background: what takes pictures is another program on each system.
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
  /// `notches` of the wheel; 0: all of the picture.
  void zoom_picture(const Arguments& words, int notches);

 private:
  std::future<CopiedPicture> copying_;
  std::string in_score_;  ///< The view that changed places with the score; empty: none.
};

}  // namespace rankscope::gui
