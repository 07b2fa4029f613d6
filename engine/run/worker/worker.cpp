// The main loop of a worker process: takes jobs, runs their algorithm, reports the outcome.
#include "engine/run/worker/worker.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/job/execute.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

int exit_code(SessionEnd session_end) {
  switch (session_end) {
    case SessionEnd::quit: return 0;
    case SessionEnd::abandoned: return 1;
    case SessionEnd::refused: break;
  }
  return 2;
}

RankOutcome carry_out(RankContext& rank, const RankSession::Job& job,
                      const WorkerOptions& options) {
  const bool program = job.spec.is_program() && options.program;
  return program ? options.program(rank, job.spec, job.epoch) : execute(rank, job.spec, job.epoch);
}

}  // namespace

int run_worker(const WorkerOptions& options) {
  tune_allocator();
  // With shared memory a send leaves no work for another thread, so rank 0 may be first in its group.
  if (options.local_ranks > 0)
    keep_to_share(
        options.rank, options.local_ranks,
        options.memory_fd >= 0 ? ProcessorShares::rank_0_first : ProcessorShares::rank_0_amid);
  RankSession session(options);
  if (const auto session_end = session.join()) return exit_code(*session_end);
  while (const auto job = session.next_job())
    session.report(*job, carry_out(session.context(), *job, options));
  return exit_code(session.leave());
}

namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto number = as_number<int>(text);
  if (!number || *number < 0)
    throw UserError(
        fmt::format("{} should be a rank or a number of ranks, not '{}'", variable, text));
  return number;
}

}  // namespace

RankAndSize rank_from_environment() {
  // Slurm comes last: it sets its variables also for the one process that runs mpirun.
  static constexpr std::pair<const char*, const char*> kPairs[] = {
      {"RANK", "WORLD_SIZE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMIX_RANK", "PMIX_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : kPairs)
    if (const auto number = number_in(rank)) return {*number, number_in(size).value_or(-1)};
  return {};
}

}  // namespace rankscope
