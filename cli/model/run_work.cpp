// Runs a call on threads, and adds up its events.
#include "cli/model/run_work.h"

#include "engine/core/message/communicator.h"
#include "engine/model/costs/cost_table.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::cli {

RunWork run_work(const Algorithm& algorithm, const ClosedFormInput& in) {
  CollectingSink sink;
  InprocWorld world(in.n, &sink);
  RankSettings settings;
  settings.trace = TraceLevel::light;
  world.run(
      [&](Communicator& comm) {
        const Extents extents = extents_of(algorithm.collective, in.shape, in.n, comm.rank(),
                                           in.root, in.scatter_dim, in.scatter_dim);
        Args args{.root = in.root,
                  .scatter_dim = in.scatter_dim,
                  .gather_dim = in.scatter_dim,
                  .segment_bytes = in.segment_bytes,
                  .group_size = in.group_size};
        args.in = Buffer::allocate(in.dtype, extents.in);
        args.out = Buffer::allocate(in.dtype, extents.out);
        run_algorithm(comm, algorithm, args);
      },
      settings);
  // For the form's choice among several paths: about what a process on one host has.
  constexpr LinkCosts kUsual{.alpha = 20e-6, .beta = 0.3e-9, .gamma = 0.1e-9};
  RunWork work{.path = cost_of(algorithm, in, kUsual).on(kUsual)};
  std::int64_t of_first = 0;  // what rank 0 sends of split(): one to each other rank
  for (const EventBatch& batch : sink.take())
    for (const StepEvent& event : batch.events) {
      if (event.kind == EventKind::posted && event.verb == Verb::send)
        work.add_messages(1, static_cast<double>(event.bytes));
      if (event.kind == EventKind::posted && event.verb == Verb::sync) {
        ++work.sync_messages;
        of_first += event.rank == 0 ? 1 : 0;
      }
      if (event.kind == EventKind::local && event.verb == Verb::reduce)
        work.reduced += static_cast<std::int64_t>(event.bytes);
    }
  // All to rank 0, and it to all.
  if (in.n > 1) work.sync_rounds = 2 * of_first / (in.n - 1);
  return work;
}

}  // namespace rankscope::cli
