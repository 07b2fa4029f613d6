// A training run as a job: its settings, what each rank reports, and what it leaves to go on from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/job/job.h"
#include "engine/training/workers/distributed_sgd.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::training {

/// How the workers of one run train, and when it is over.
struct TrainingRun {
  SgdSettings sgd;
  std::string data;                          ///< Folder of the pictures.
  std::string allreduce = "allreduce.ring";  ///< Unused with gossip.
  double until = 0.97;       ///< Share of the test pictures to get right; 0: go on to `most`.
  std::int64_t every = 10;   ///< Iterations from one look at the test pictures to the next.
  std::int64_t most = 5000;  ///< Iterations.
  std::string log;           ///< File to which rank 0 adds a line at each look; empty if none.
  std::string checkpoints;   ///< Folder; empty: nothing is left to go on from.
  std::int64_t checkpoint_every = 100;  ///< Iterations; rounded up to a multiple of `every`.
  bool resume = false;                  ///< Go on from the newest checkpoint, if there is one.

  /// Throws UserError.
  void validate() const;
};
std::string to_json(const TrainingRun& run);
/// Throws UserError.
TrainingRun training_run_from_json(std::string_view text);

/// A look at the test pictures: one line of JSON in the log.
struct TrainingMoment {
  std::int64_t iteration = 0;            ///< Number of finished iterations.
  double loss = 0;                       ///< Mean of rank 0's batches since the last look.
  std::int64_t right = 0, pictures = 0;  ///< Pictures of the test set recognised, and tested.
  /// Rank 0's, since the run began or went on; testing_s is for looks at the test pictures.
  double computing_s = 0, communicating_s = 0, testing_s = 0;
  double accuracy() const noexcept { return pictures == 0 ? 0 : double(right) / double(pictures); }
};
/// Lines that are no JSON (the last one of a run that was killed) are left out. Throws UserError when there is no such
/// file, and for lines that another version of rankscope has written.
std::vector<TrainingMoment> read_log(const std::string& file);

/// Its line of JSON, with the line break.
std::string line_of(const TrainingMoment& moment);

/// The job that carries it out: for a ProcessRunner whose workers have execute_training as their program.
JobSpec job_of(const TrainingRun& run, int world_size);
/// One rank's part of it; its settings as JSON.
void train_lenet(RankContext& rank, std::string_view settings);

/// The checkpoints of one rank in a folder that all ranks share.
class Checkpoints {
 public:
  /// `run`: a text that is equal for all runs that may go on from each other's. Makes the folder; throws UserError.
  Checkpoints(std::filesystem::path folder, std::string run, Rank rank, int ranks);

  /// Keeps this one and the one before it, so that all ranks have one in common wherever they are stopped. Throws
  /// UserError when it cannot be written; then the older ones are still there, and it names the newest of them.
  void write(const SgdState<float>& state);
  /// Iterations of those that are whole and of this run, the newest one first.
  std::vector<std::int64_t> iterations() const;
  /// Returns nothing if it is damaged, of another run, or not there.
  std::optional<SgdState<float>> read(std::int64_t iteration) const;

 private:
  std::filesystem::path file_of(std::int64_t iteration) const;
  std::vector<std::int64_t> all_iterations() const;

  std::filesystem::path folder_;
  std::uint64_t run_;
  Rank rank_;
  int ranks_;
};

}  // namespace rankscope::training
