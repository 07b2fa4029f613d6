// The steps of surplus ranks and of the ranks that carry for them.
#include "engine/collectives/fold.h"

namespace rankscope {

void fold_around(Communicator& comm, const Args& args, const Fold& fold,
                 const std::function<void()>& exchange) {
  const Rank rank = comm.rank();
  if (fold.sits_out(rank)) {
    const auto phase = comm.phase("fold");
    comm.send(rank - 1, args.out);
    comm.recv(rank - 1, args.out);
    return;
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold in");
    comm.recv_reduce(rank + 1, args.out, args.op);
  }
  exchange();
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + 1, args.out);
  }
}

}  // namespace rankscope
