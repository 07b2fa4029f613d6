// The question who can move, of a run that is held.
#pragma once

#include <string>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class AskCommands : public CommandGroup {
 public:
  explicit AskCommands(App& app) : CommandGroup(app) {}
  /// The question is over once a rank has moved.
  void update(double seconds, bool& news);

  // ---- The commands ----
  void ask(const Arguments& words);
  void moves(const Arguments& words);

 private:
  void check();
  std::string places() const;

  std::string asked_of_;
};

}  // namespace rankscope::gui
