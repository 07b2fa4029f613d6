// What a training has left in its folder so far: a log for each run, and which runs are done.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/job/speedup.h"

namespace rankscope::gui {

struct TrainingResults {
  std::string folder;
  double goal = 0;  ///< Share of the test pictures to get right; 0: not known.
  std::vector<training::FinishedRun> runs;  ///< By world size and seed; also those that go on.
  std::vector<bool> done;                   ///< Of each.
  std::vector<std::string> earlier;         ///< Folders in training_home(), the newest one first.
  std::vector<std::string> unread;          ///< Why a log is left out, one each.

  std::vector<training::FinishedRun> finished() const;
  /// How many of the runs with these world sizes and the seeds 1 to `seeds` are done.
  int done_of(const std::vector<int>& sizes, int seeds) const;
  bool operator==(const TrainingResults& other) const;
};
using TrainingResultsPtr = std::shared_ptr<const TrainingResults>;

/// $XDG_DATA_HOME/rankscope/training, else ~/.local/share/... Throws UserError when there is no home.
std::filesystem::path training_home();

/// Throws nothing: what cannot be read is left out, and `unread` says so.
TrainingResults read_training(const std::string& folder);

/// How far the runs of one start are.
struct TrainingPace {
  std::vector<int> sizes;
  int seeds = 1;
  std::int64_t most = 0;   ///< Iterations of a run.
  int done_before = 0;     ///< Runs that were done when it was started.
  double elapsed_s = 0;    ///< Since then.
  double last_done_s = 0;  ///< Of which so many until the last run that was done.
};
struct TrainingProgress {
  double share = 0;              ///< Runs done, and the part of the current one.
  std::string words;             ///< "run 3 of 20: N = 2, seed 3, iteration 420, 95.2 % right"
  std::optional<double> left_s;  ///< An estimate, as soon as there is one.
};
TrainingProgress training_progress(const TrainingResults& results, const TrainingPace& pace);
/// "about 3 min left"
std::string time_left(double seconds);

}  // namespace rankscope::gui
