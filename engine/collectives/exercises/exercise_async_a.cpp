// Asynchronous allreduce: the reduction runs on a strand of its own, beside other work. The
// backward pass of the layer takes 20 ms before its gradient is ready to be reduced.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_async_a(Communicator& comm, const Args& args) {
  const Buffer gradient = comm.scratch(args.out.dtype(), args.out.count(), "gradient");
  comm.copy(gradient, args.out);
  auto work = comm.start([gradient, op = args.op](Communicator& strand) {
    strand.compute(std::chrono::milliseconds(20));
    const Partition part(gradient.count(), strand.size());
    ring_reduce_scatter(strand, gradient, part, op);
    ring_allgather(strand, gradient, part);
  });
  comm.copy(args.out, gradient);
  work.wait();
}

}  // namespace rankscope
