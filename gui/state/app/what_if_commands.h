// The ghost runs of a deadlock: what would have become of it had its program been written otherwise.
#pragma once

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class WhatIfCommands : public CommandGroup {
 public:
  explicit WhatIfCommands(App& app) : CommandGroup(app) {}
  static std::vector<CommandInfo> commands();
  /// Finds the ghost runs of a deadlock that is opened.
  void update(double seconds, bool& news);

 private:
  bool find();  ///< True: another trace is open.
  void show(const Arguments& words);
  void run(const Arguments& words);
};

}  // namespace rankscope::gui
