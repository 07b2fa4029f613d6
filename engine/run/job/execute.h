// One rank's part of a job, the same for every runner.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/job/job.h"

namespace rankscope {

class Communicator;

/// Adds the traffic of the rank's link since `before` to its outcome.
void count_traffic(RankContext& rank, const LinkCounters& before, RankOutcome& outcome);

/// The rank's part ended with this error.
void take_error(RankOutcome& outcome, const std::exception& error);

/// A rank's buffers, allocated or (of a ghost job) not, and the arguments of its algorithm, without a schedule.
/// `owner`: whose memory they are to lie in; null: any.
Args args_of(const JobSpec& spec, Rank rank, RankContext* owner = nullptr);

/// The settings that a job has for all messages of its ranks.
RankSettings settings_of(const JobSpec& spec, TraceLevel trace);

/// The barrier before each timed call, with the fewest messages: those that others of the barrier still wait for count as
/// the algorithm's. Not where a rank may finish without having heard of all: it could begin while the others are still in
/// the barrier, and they would find their messages waiting. Nor among many ranks.
void start_together(Communicator& comm, Collective collective);

/// One rank's part of a job: inputs, the algorithm, the check. Shared by all runners. Never throws:
/// what goes wrong is in the outcome.
RankOutcome execute(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept;

}  // namespace rankscope
