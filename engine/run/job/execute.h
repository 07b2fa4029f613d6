// One rank's part of a job, the same for every runner.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/job/job.h"

namespace rankscope {

class Communicator;

/// Adds the traffic of the rank's link since `before` to its outcome.
void count_traffic(RankContext& rank, const LinkCounters& before, RankOutcome& outcome);

/// Records that the rank's part ended with this error.
void take_error(RankOutcome& outcome, const std::exception& error);

/// A rank's buffers (not allocated for a ghost job) and the arguments of its algorithm, without a schedule. `owner` is
/// the rank whose memory they must lie in; null for any.
Args args_of(const JobSpec& spec, Rank rank, RankContext* owner = nullptr);

/// Returns the settings that apply to all messages of a job's ranks.
RankSettings settings_of(const JobSpec& spec, TraceLevel trace);

/// The barrier before each timed call, with the fewest messages, because messages of the barrier still awaited by
/// others count as the algorithm's. Not used where a rank may finish without having heard from all, because it could
/// start while the others are still in the barrier, and they would find its messages waiting; nor among many ranks.
void start_together(Communicator& comm, Collective collective);

/// Runs one rank's part of a job: inputs, the algorithm, the check. Shared by all runners. Never throws: errors are in
/// the outcome.
RankOutcome execute(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept;

}  // namespace rankscope
