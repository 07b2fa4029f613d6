// A training run as a job: its settings, its log, and its checkpoints.
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

/// How the workers of a run train, and when it ends.
struct TrainingRun {
  SgdSettings sgd;
  std::string data;                          ///< Folder of the pictures.
  std::string allreduce = "allreduce.ring";  ///< Unused with gossip.
  double until = 0.97;       ///< Share of the test pictures to recognise; 0: go on to `most`.
  std::int64_t every = 10;   ///< Iterations from one test to the next.
  std::int64_t most = 5000;  ///< Iterations.
  std::string log;           ///< File to which rank 0 adds a line at each test; empty: none.
  std::string checkpoints;   ///< Folder; empty: no checkpoints.
  std::int64_t checkpoint_every = 100;  ///< Iterations; rounded up to a multiple of `every`.
  bool resume = false;                  ///< Go on from the newest checkpoint, if there is one.

  /// Throws UserError.
  void validate() const;
};
std::string to_json(const TrainingRun& run);
/// Throws UserError.
TrainingRun training_run_from_json(std::string_view text);

/// A test of the network with the test pictures: one line of JSON in the log.
struct TrainingMoment {
  std::int64_t iteration = 0;            ///< Number of finished iterations.
  double loss = 0;                       ///< Mean of rank 0's batches since the last test.
  std::int64_t right = 0, pictures = 0;  ///< Pictures of the test set recognised, and tested.
  /// Rank 0's times since the run began or went on.
  double computing_s = 0, communicating_s = 0, testing_s = 0;
  double accuracy() const noexcept { return pictures == 0 ? 0 : double(right) / double(pictures); }
};
/// Reads a log, without lines that are no JSON (the last one of a run that was killed). Throws UserError if there is no
/// such file, and for lines that another version of rankscope has written.
std::vector<TrainingMoment> read_log(const std::string& file);

/// Returns the line of JSON, with the line break.
std::string line_of(const TrainingMoment& moment);

/// Returns the job of the run, for a ProcessRunner whose workers have execute_training as their program.
JobSpec job_of(const TrainingRun& run, int world_size);
/// Carries out one rank's part of the job. `settings` are those of to_json(). Throws UserError and CommError.
void train_lenet(RankContext& rank, std::string_view settings);

/// The checkpoints of one rank in a folder that all ranks share.
class Checkpoints {
 public:
  /// Makes the folder. `run` is equal for all runs that may go on from each other's checkpoints. Throws UserError.
  Checkpoints(std::filesystem::path folder, std::string run, Rank rank, int ranks);

  /// Writes a checkpoint and keeps the one before it, so that all ranks have one in common wherever they are stopped.
  /// Throws UserError if it cannot be written, and names the newest of the older ones, which are kept.
  void write(const SgdState<float>& state);
  /// Returns the iterations of the checkpoints that are whole and of this run, the newest first.
  std::vector<std::int64_t> iterations() const;
  /// Returns nullopt if the checkpoint is damaged, of another run, or missing.
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
