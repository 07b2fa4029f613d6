// The main loop of a worker process: takes jobs, runs their algorithm, reports the outcome.
#include "engine/run/worker/worker.h"

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
  if (options.local_ranks > 0)  // over shared memory no thread sends for a rank
    keep_to_share(options.rank, options.local_ranks,
                  options.memory_fd >= 0 ? Shares::rank_0_first : Shares::rank_0_amid);
  RankSession session(options);
  if (const auto session_end = session.join()) return exit_code(*session_end);
  while (const auto job = session.next_job())
    session.report(*job, carry_out(session.context(), *job, options));
  return exit_code(session.leave());
}

}  // namespace rankscope
