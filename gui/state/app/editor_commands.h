// Commands about the program's text: the user's editor at a line, pseudocode, folding.
#pragma once

#include <string>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class EditorCommands : public CommandGroup {
 public:
  explicit EditorCommands(App& app) : CommandGroup(app) {}

  // ---- The commands ----
  void editor(const Arguments& words);
  void editor_command(const Arguments& words);

 private:
  struct Place {
    std::string file;
    unsigned line = 1;
  };
  Place place_at_cursor() const;
  Place place_of_exercise(const std::string& id) const;
  std::string file_on_disk(const std::string& name) const;
};

}  // namespace rankscope::gui
