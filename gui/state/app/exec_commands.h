// Students' programs in the window: run by `rankscope exec`, watched, run again when they are saved, compared with the run before.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/command_group.h"
#include "gui/state/app/edit_commands.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/code/file_watch.h"
#include "gui/state/code/program_run.h"
#include "gui/state/run/child_command.h"

namespace rankscope::gui {

class ExecCommands : public CommandGroup {
 public:
  explicit ExecCommands(App& app);
  void update(double seconds, bool& news);
  /// Returns whether a program runs, or its trace is being read.
  bool working() const { return state_.program.running() || !reading_.empty(); }

  /// Runs the program on the stage again. Returns false if there is none.
  bool again();
  /// Ends the program. Returns false if none runs.
  bool stop_program();
  /// Ends the program when the window closes.
  void stop() { child_.stop(); }
  /// Throws UserError while a program is on the stage, because its processes cannot be held.
  void refuse_hold() const;
  /// Returns whether the trace is one of a program's runs.
  bool has_made(const std::string& trace) const;
  /// Returns the shown run of the program; null if another run is shown.
  DocumentPtr shown_run() const;
  /// Call it when the program's trace has been opened: says what differs from the run before. `before`: the state for undo.
  void arrived(Edits before);
  /// Shows an earlier run (undo), or a later one (redo).
  void bring_back(const DocumentPtr& run);

  // ---- The commands ----
  void exec(const Arguments& words);

 private:
  /// A run that undo can bring back.
  struct Past {
    DocumentPtr run, before;
    std::string says, printed, output;
  };
  void start(ProgramChoice choice);
  void restart();
  void take_end(bool& news);
  void read_trace();
  void no_run(const std::string& errors);
  void watch();
  void follow_saves(bool& news);
  bool left() const;
  void leave();
  void show_says(const Past& past);
  void remember(const ProgramChoice& choice);

  std::optional<ScratchFolder> traces_;
  int number_ = 0;
  std::string trace_;             ///< The file that is being written.
  std::string reading_;           ///< The trace that is being opened; empty if none is.
  std::string printed_, output_;  ///< The last program's standard output, and all of its output.
  bool restarts_ = false, asked_to_read_ = false;
  std::chrono::steady_clock::time_point started_{};
  std::uint64_t foreign_ =
      0;  ///< The run_id() of the run on the stage when the program was opened.
  std::vector<Past> past_;
  std::vector<std::string> watched_;
  std::optional<ScriptLine> asked_by_;
  FileWatch watch_;
  ChildCommand child_;  ///< The last member: its thread uses the others.
};

}  // namespace rankscope::gui
