// "What if": a run again with a change, answered beside the run before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/network/simulated_again.h"

namespace rankscope::gui {

class ChangeCommands : public CommandGroup {
 public:
  explicit ChangeCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  /// Returns whether a run to compare with is being simulated.
  bool busy() const { return twin_.running(); }

  /// The run could not begin: there is nothing to answer.
  void forget();
  /// Runs what the words say. Where a run is open that they only change, the run is a what-if.
  void say(const std::string& text);

  /// Shows the run on the stage as the answer to a what-if, asked of the run before with these words.
  void answer_of(const DocumentPtr& before, const std::string& words);

  // ---- The commands ----
  void take_off(const Arguments& words);

 private:
  /// Returns the job of the run that is shown; nothing if it is not one of ours, or is not over.
  std::optional<JobSpec> shown_job() const;
  /// Keeps the answer of a job with more ranks than a window shows; the run that is shown stays.
  void answer_by_model(const JobSpec& shown, JobSpec job);
  void start(JobSpec job, DocumentPtr before, const JobSpec& compared);
  /// Asks the words of the run whose processes are held.
  void say_of_held(const std::string& text);
  /// Asks the words of the race that is shown; returns false if they are no change of it.
  bool say_of_race(const std::string& text);
  void start_race(JobSpec job, std::vector<std::string> algorithms);
  void follow_race(bool& news);
  void answer();
  void answer_race();

  std::uint64_t shown_at_start_ = 0;  ///< The run on the screen when the question was asked.
  SimulatedJob twin_{"what-if", "base"};
  std::vector<JobSpec> racers_;     ///< The jobs of the race that answers.
  std::optional<JobSpec> twin_of_;  ///< The job that was simulated last for comparison,
  DocumentPtr twin_run_;            ///< and its run.
};

}  // namespace rankscope::gui
