// A race: algorithms of one collective run one after the other, and are shown on one clock.
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

class RaceCommands : public CommandGroup {
 public:
  explicit RaceCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  bool busy() const { return state_.race.running; }
  /// Of a run of the race that is shown; empty: the document is none.
  std::string trace_file(const Document& document) const;
  /// Ends the race that goes on; false: there is none.
  bool stop();
  void race(const Arguments& words);
  /// Starts the race of these words: "ring bde on 8 ranks". Throws UserError.
  void start(const std::string& words);
  /// For a layout that shows a race: the one of these words runs, unless it is there. No words: the race that is there, or
  /// another picture.
  void bring_back(const std::string& words);

 private:
  void start_next();
  void take_run(DocumentPtr document);
  void fail(const std::string& why);
  void finish();
  /// The run that is longest on the clock is the one that other views show.
  void show_longest(bool same_run);
  void leave();

  std::unique_ptr<Session>
      session_;               ///< Made for the first race: its workers stay up for the next one.
  std::deque<JobSpec> jobs_;  ///< The first one runs.
  std::size_t all_ = 0;
  std::vector<DocumentPtr> runs_;   ///< Of the last race that came to its end.
  std::vector<std::string> files_;  ///< By run; empty: it has none.
  std::vector<DocumentPtr> next_runs_;
  std::vector<std::string> next_files_;
  DocumentPtr newest_;
  std::optional<JobResult> result_;
  std::optional<ScriptLine> asked_by_;
};

/// The jobs of "ring bde", "ring against doubling": `job` with each of the algorithms. Throws UserError for less than two
/// or more than four, for one twice, and for algorithms of different collectives.
std::vector<JobSpec> jobs_of_race(const JobSpec& job, std::string_view words);

}  // namespace rankscope::gui
