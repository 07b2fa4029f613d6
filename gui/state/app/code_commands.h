// Commands about programs: chooses one for an exercise, grades it, opens its failing run at the fault, and shows its text in the
// user's editor, as pseudocode, or folded.
#pragma once

#include <memory>
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
  /// Ends the current grading.
  void stop() { check_.stop(); }
  void forget_programs();
  /// Returns whether a grading wrote this trace, which is removed with the application.
  bool has_made(const std::string& trace) const;
  /// Returns whether a failing run that would open by itself has no messages; it then stays closed, and a message says why.
  bool declines(const Document& run);
  /// Moves the cursor to the fault that a grader found in the run, and shows the view for it.
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
  void begin_grading(const std::string& id, bool no_sandbox);
  std::shared_ptr<const Lesson> lesson_with(const std::string& id) const;
  void grade_others();
  void follow_saves(bool& news);
  void ended(const std::string& id, const CodeState& code_state);
  const CodingExercise& exercise(const std::string& id) const;

  CodeCheck check_;
  FileWatch watch_;
  std::optional<ScratchFolder> traces_;
  int number_ = 0;
  std::shared_ptr<const Lesson>
      graded_for_;      ///< The lesson of the grading; another may be open by its end.
  std::string graded_;  ///< What was graded last; the programs in its file are graded after it.
  std::string opens_itself_;  ///< A trace that opens by itself, behind the lesson.
};

}  // namespace rankscope::gui
