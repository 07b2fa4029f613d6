// The ghost runs of a deadlock: what would have become of it had its program been written otherwise.
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
  bool find();  ///< True: another trace is open.
};

}  // namespace rankscope::gui
