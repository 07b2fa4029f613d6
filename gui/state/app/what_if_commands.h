// The ghost runs of a deadlock: its outcome if the program had been written differently.
#pragma once

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class WhatIfCommands : public CommandGroup {
 public:
  explicit WhatIfCommands(App& app) : CommandGroup(app) {}
  /// Finds the ghost runs of a deadlock that is opened.
  void update(double seconds, bool& news);

  // ---- The commands ----
  void show(const Arguments& words);
  void run(const Arguments& words);

 private:
  bool find();  ///< Returns whether another trace is open.
};

}  // namespace rankscope::gui
