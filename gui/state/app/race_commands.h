// A race: several algorithms of one collective, run one after the other and shown on one clock.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/run/session.h"

namespace rankscope::gui {

inline constexpr std::size_t kMostRacers = 4;

class RaceCommands : public CommandGroup {
 public:
  explicit RaceCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  bool busy() const { return state_.race.running; }
  /// Returns the file of a run of the shown race; empty for other documents.
  std::string trace_file(const Document& document) const;
  /// Ends the current race; returns false if there is none.
  bool stop();
  void race(const Arguments& words);
  /// Starts the race of these words: "ring bde on 8 ranks". Throws UserError.
  void start(const std::string& words);
  /// Starts the race of these jobs, each with another algorithm of one collective. Throws UserError.
  void start(const std::vector<JobSpec>& jobs);
  /// For a layout that shows a race: runs the race of these words unless it is shown already; without words and without a race,
  /// shows another picture.
  void bring_back(const std::string& words);

 private:
  void start_next();
  void take_run(DocumentPtr document);
  void fail(const std::string& why);
  void finish();
  /// Shows the run that takes longest on the clock in the other views.
  void show_longest(bool same_run);
  void leave();

  std::unique_ptr<Session>
      session_;               ///< Made for the first race: its workers stay up for the next one.
  std::deque<JobSpec> jobs_;  ///< The first one runs.
  std::size_t all_ = 0;
  std::vector<DocumentPtr> runs_;   ///< The runs of the last race that finished.
  std::vector<std::string> files_;  ///< By run; empty if it has none.
  std::vector<DocumentPtr> next_runs_;
  std::vector<std::string> next_files_;
  DocumentPtr newest_;
  std::optional<JobResult> result_;
  std::optional<ScriptLine> asked_by_;
};

/// Returns `job` with each of the algorithms in "ring bde" or "ring against doubling". Throws UserError for fewer than two
/// algorithms or more than four, for one named twice, and for different collectives.
std::vector<JobSpec> jobs_of_race(const JobSpec& job, std::string_view words);

}  // namespace rankscope::gui
