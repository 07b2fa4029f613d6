// Runs one rank of a training program, and reports how it ended.
#include "engine/training/job/training_program.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/job/execute.h"
#include "engine/training/job/overlap_run.h"
#include "engine/training/job/parallel_run.h"
#include "engine/training/job/training_run.h"

namespace rankscope::training {
namespace {

constexpr TrainingProgram kPrograms[] = {
    {.name = "lenet", .run = train_lenet},
    {.name = "transformer", .run = run_parallel_step},
    {.name = kOverlapProgram, .run = measure_overlap},
};

/// Throws UserError if there is none of this name.
const TrainingProgram& program_of(std::string_view name) {
  const auto* const found = ranges::find(kPrograms, name, &TrainingProgram::name);
  if (found == std::end(kPrograms))
    throw UserError(fmt::format("this version has no training program {}", name));
  return *found;
}

}  // namespace

RankOutcome execute_training(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept {
  RankOutcome outcome;
  outcome.rank = rank.rank();
  const LinkCounters before = rank.link().counters();
  try {
    rank.begin_job(epoch, settings_of(spec, spec.recording.trace));
    Communicator(rank).mark_job(Verb::job_begin, 0);
    rank.set_state(RankState::running);
    program_of(spec.call.algorithm).run(rank, spec.call.program);
    Communicator(rank).mark_job(Verb::job_end, 0);
    rank.set_state(RankState::done);
    outcome.ok = true;
  } catch (const std::exception& e) {
    take_error(outcome, e);
    rank.set_state(RankState::failed);
  }
  count_traffic(rank, before, outcome);
  rank.recorder().flush();
  outcome.events = rank.recorder().recorded();
  return outcome;
}

}  // namespace rankscope::training
