// The question who can move, of a run that is held.
#pragma once

#include <string>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class AskCommands : public CommandGroup {
 public:
  explicit AskCommands(App& app) : CommandGroup(app) {}
  static std::vector<CommandInfo> commands();
  /// The question is over once a rank has moved.
  void update(double seconds, bool& news);

 private:
  void ask(const Arguments& words);
  void moves(const Arguments& words);
  void check();
  std::string places() const;

  std::string asked_of_;
};

}  // namespace rankscope::gui
