// One rank's part of a job, the same for every runner.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/job/job.h"

namespace rankscope {

class Communicator;

/// Sets the outcome's traffic: that of the rank's link since `before`.
void count_traffic(RankContext& rank, const LinkCounters& before, RankOutcome& outcome);

/// Records that the rank's part ended with this error.
void take_error(RankOutcome& outcome, const std::exception& error);

/// Returns an algorithm's arguments for a rank, with its buffers (not allocated for a ghost job), without a schedule.
/// The buffers are in memory of `owner`, if not null.
Args args_of(const JobSpec& spec, Rank rank, RankContext* owner = nullptr);

/// Returns the settings that apply to all messages of a job's ranks.
RankSettings settings_of(const JobSpec& spec, TraceLevel trace);

/// The barrier before each timed call. It is the flat one, with the fewest messages, because barrier messages that
/// others still await count as the algorithm's. It is dissemination among many ranks, and where a rank may finish the
/// algorithm without having heard from all: it could start while others are in the flat barrier, and they would find
/// its messages waiting.
void start_together(Communicator& comm, Collective collective);

/// Runs one rank's part of a job: inputs, the algorithm, the check. Shared by all runners. Never throws: errors are in
/// the outcome.
RankOutcome execute(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept;

}  // namespace rankscope
