// A worker process, which runs jobs as one rank until the conductor quits, and its rank from the environment.
#pragma once

#include <functional>

#include "engine/run/worker/rank_session.h"

namespace rankscope {

struct WorkerOptions : SessionOptions {
  int local_ranks =
      0;  ///< Number of ranks among which it shares the processors; 0 if it may use all.
  /// Runs jobs that are programs of ours; never throws. If empty, such jobs fail.
  std::function<RankOutcome(RankContext&, const JobSpec&, std::uint32_t epoch)> program = {};
};

/// Serves until the conductor says quit or is gone. Returns the process's exit code: 0 after quit, 1 if the conductor
/// is gone, 2 if it refused this worker (the reason is on standard error).
int run_worker(const WorkerOptions& options);

/// Rank and world size from the first of these in the environment: RANK/WORLD_SIZE (torchrun),
/// OMPI_COMM_WORLD_RANK/SIZE, PMIX_RANK/SIZE, PMI_RANK/SIZE, SLURM_PROCID/NTASKS. -1 if none is set.
struct RankAndSize {
  int rank = -1;
  int world_size = -1;
};
/// Throws UserError for values that are not numbers.
RankAndSize rank_from_environment();

}  // namespace rankscope
