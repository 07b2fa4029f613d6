// What a rank goes on from after its process has ended: its state in a file of its own, with a checksum.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/training/workers/distributed_sgd.h"

namespace rankscope::training {

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
  /// Nothing: it is damaged, of another run, or not there.
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
