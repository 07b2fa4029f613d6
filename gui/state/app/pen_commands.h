// Commands of what is drawn over the window: spotlight and pen. They change nothing of the run.
#pragma once

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class PenCommands : public CommandGroup {
 public:
  explicit PenCommands(App& app) : CommandGroup(app) {}

  // ---- The commands ----
  void spotlight(const Arguments& words);
  void pen(const Arguments& words);

 private:
  void line(const Arguments& words);
};

}  // namespace rankscope::gui
