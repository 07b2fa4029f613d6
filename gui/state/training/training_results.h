// A training's settings and progress, and the results in its folder so far: a log for each run, and which are done.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/training/job/speedup.h"

namespace rankscope::gui {

struct TrainingResults {
  std::string folder;
  double goal = 0;  ///< Share of the test pictures to get right; 0 if unknown.
  std::vector<training::FinishedRun> runs;  ///< By world size and seed; also unfinished ones.
  std::vector<bool> done;                   ///< By run.
  std::vector<std::string> earlier;         ///< Folders in training_home(), the newest one first.
  std::vector<std::string> unread;          ///< Why a log is left out, one each.

  std::vector<training::FinishedRun> finished() const;
  /// Returns how many of the runs with these world sizes and the seeds 1 to `seeds` are done.
  int done_of(const std::vector<int>& sizes, int seeds) const;
  bool operator==(const TrainingResults& other) const;
};
using TrainingResultsPtr = std::shared_ptr<const TrainingResults>;

/// $XDG_DATA_HOME/rankscope/training, else ~/.local/share/... Throws UserError when there is no home.
std::filesystem::path training_home();

/// Throws nothing: names what cannot be read in `unread`.
TrainingResults read_training(const std::string& folder);

/// The runs that one start has to train, and their times.
struct TrainingPace {
  std::vector<int> sizes;
  int seeds = 1;
  std::int64_t most = 0;   ///< Iterations of a run.
  int done_before = 0;     ///< Runs that were done at the start.
  double elapsed_s = 0;    ///< Since the start.
  double last_done_s = 0;  ///< From the start to the end of the last finished run.
};
struct TrainingProgress {
  double share = 0;              ///< Of all runs, with a part of the current one.
  std::string words;             ///< "run 3 of 20: N = 2, seed 3, iteration 420, 95.2 % right"
  std::optional<double> left_s;  ///< An estimate, as soon as there is one.
};
TrainingProgress training_progress(const TrainingResults& results, const TrainingPace& pace);
/// "about 3 min left"
std::string time_left(double seconds);

struct TrainingField {
  enum class Is : std::uint8_t { text, number, choice, flag };
  std::string_view key;     ///< In commands: "batch".
  std::string_view option;  ///< The option of `rankscope train`.
  Is is = Is::text;
  std::string_view first;    ///< Its initial value.
  std::string_view title;    ///< In the window.
  std::string_view help;     ///< A line about it.
  std::string_view choices;  ///< The words of a choice: "a|b".
};

inline constexpr std::array kTrainingFields = {
    TrainingField{"np", "--np", TrainingField::Is::text, "1,2,4,8", "workers N",
                  "World sizes, trained one after the other", ""},
    TrainingField{"seeds", "--seeds", TrainingField::Is::number, "1", "seeds",
                  "Runs of each world size, with other initial parameters and batches", ""},
    TrainingField{"data", "--data", TrainingField::Is::text, "", "pictures",
                  "A data set of `rankscope data`, or a folder with its four files", ""},
    TrainingField{
        "share", "--share", TrainingField::Is::choice, "sampled", "each worker's pictures",
        "Drawn from all training pictures, or from a share of its own", "sampled|sharded"},
    TrainingField{"average", "--average", TrainingField::Is::choice, "parameters", "averaged",
                  "Parameters after the step, gradients before it, or with two neighbours only",
                  "parameters|gradients|gossip"},
    TrainingField{"batch", "--batch", TrainingField::Is::number, "32", "batch of a worker",
                  "Pictures per worker and iteration", ""},
    TrainingField{"step", "--step", TrainingField::Is::number, "0.1", "step size", "", ""},
    TrainingField{"scale-step", "--scale-step", TrainingField::Is::flag, "off", "step size times N",
                  "The linear scaling rule: N times the step with N workers", ""},
    TrainingField{"momentum", "--momentum", TrainingField::Is::number, "0", "momentum",
                  "0 to less than 1", ""},
    TrainingField{"goal", "--until", TrainingField::Is::number, "0.97", "goal",
                  "Share of the test pictures to get right", ""},
    TrainingField{"every", "--every", TrainingField::Is::number, "20", "look every",
                  "Iterations from one look at the test pictures to the next", ""},
    TrainingField{"most", "--most", TrainingField::Is::number, "3000", "at most",
                  "Iterations after which a run has not reached the goal", ""}};

/// A value for each field, in their order.
using TrainingValues = std::array<std::string, kTrainingFields.size()>;

constexpr std::size_t training_field(std::string_view key) {
  return static_cast<std::size_t>(ranges::find(kTrainingFields, key, &TrainingField::key) -
                                  kTrainingFields.begin());
}

struct TrainingState {
  enum class State : std::uint8_t { none, running, stopped, failed, done };
  State state = State::none;
  TrainingValues values;
  TrainingResultsPtr results;     ///< Null until something is read.
  std::uint64_t results_id = 0;   ///< Changes with `results`.
  TrainingProgress progress;      ///< While it runs.
  std::string problem;            ///< Why it could not be started, or failed.
  bool no_pictures = false;       ///< The problem is that the pictures are not here.
  std::string pictures_that_are;  ///< An installed data set that can be used instead, if any.
};
std::string_view to_string(TrainingState::State state) noexcept;

}  // namespace rankscope::gui
