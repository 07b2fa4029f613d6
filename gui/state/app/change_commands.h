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

  /// Drops the question, because its run could not begin.
  void forget();
  /// Runs the words' job; as a what-if if the words only change the open run.
  void say(const std::string& text);

  /// Shows the run on the stage as the answer to the what-if that these words ask of the run `before`.
  void answer_of(const DocumentPtr& before, const std::string& words);

  // ---- The commands ----
  void take_off(const Arguments& words);

 private:
  /// Returns the shown run's job; nothing if the run is not over, or is not one of ours.
  std::optional<JobSpec> shown_job() const;
  /// Computes the answer for more ranks than a window shows, and leaves the shown run.
  void answer_by_model(const JobSpec& shown, JobSpec job);
  void start(JobSpec job, DocumentPtr before, const JobSpec& compared);
  /// Applies the words to the run whose processes are held.
  void say_of_held(const std::string& text);
  /// Applies the words to the shown race; returns false if they do not change it.
  bool say_of_race(const std::string& text);
  void start_race(JobSpec job, std::vector<std::string> algorithms);
  void follow_race(bool& news);
  void answer();
  void answer_race();

  std::uint64_t shown_at_start_ = 0;  ///< The run on the screen when the question was asked.
  SimulatedJob twin_{"what-if", "base"};
  std::vector<JobSpec> racers_;     ///< The jobs of the race that answers.
  std::optional<JobSpec> twin_of_;  ///< The job that was last simulated for comparison.
  DocumentPtr twin_run_;            ///< The run of `twin_of_`.
};

}  // namespace rankscope::gui
