#include "engine/run/worker/worker.h"

#include "engine/run/job/execute.h"
#include "engine/run/worker/rank_session.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

int exit_code(Farewell farewell) {
  switch (farewell) {
    case Farewell::quit: return 0;
    case Farewell::abandoned: return 1;
    case Farewell::refused: break;
  }
  return 2;
}

}  // namespace

int run_worker(const WorkerOptions& options) {
  tune_allocator();
  if (options.local_ranks > 0) keep_to_share(options.rank, options.local_ranks);
  RankSession session({.rendezvous = options.rendezvous,
                       .rank = options.rank,
                       .world_size = options.world_size,
                       .lifeline_fd = options.lifeline_fd,
                       .status_fd = options.status_fd});
  if (const auto farewell = session.join()) return exit_code(*farewell);
  while (const auto job = session.next_job())
    session.report(*job, execute(session.context(), job->spec, job->epoch));
  return exit_code(session.leave());
}

}  // namespace rankscope
