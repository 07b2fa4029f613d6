// Commands about programs: one is chosen for an exercise, graded, and its failing run is opened at the place; its text in the
// user's editor, as pseudocode, folded.
#pragma once

#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/command_group.h"
#include "gui/state/code/code_check.h"
#include "gui/state/code/file_watch.h"

namespace rankscope::gui {

class CodeCommands : public CommandGroup {
 public:
  explicit CodeCommands(App& app);
  void update(double seconds, bool& news);
  /// Ends what is being graded.
  void stop() { check_.stop(); }
  /// All programs that were chosen, and what is known of them.
  void forget_programs();
  /// A grading wrote this trace; it goes with the application.
  bool has_made(const std::string& trace) const;
  /// A failing run that would open by itself has nothing to show: no message was sent. It is left closed, and why is said.
  bool declines(const Document& run);
  /// Of a run that a grader has found at fault: the cursor at the place, and what shows it.
  void lead_to_fault();

  // ---- The commands ----
  void program(const Arguments& words);
  void grade(const Arguments& words);
  void stop_grading();
  void show_fault(const Arguments& words);
  void starter(const Arguments& words);
  void watch(const Arguments& words);
  void browse(const Arguments& words);
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
  void choose(const CodingExercise& asked, const std::string& file);
  void begin_grading(const CodingExercise& asked, bool no_sandbox);
  void follow_saves(bool& news);
  void ended(const std::string& id, const CodeState& code_state);
  const CodingExercise& exercise(const std::string& id) const;

  CodeCheck check_;
  FileWatch watch_;
  std::optional<ScratchFolder> traces_;  ///< Once there is one.
  int number_ = 0;
  std::string opens_itself_;  ///< The trace that nobody asked for: the lesson stays.
};

}  // namespace rankscope::gui
