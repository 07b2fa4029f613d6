// Implements the direct exchange of whole vectors.
#include "engine/collectives/direct.h"

#include "engine/collectives/pipeline.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

void exchange_with_all(Communicator& comm, Slice data, ReduceOp op,
                       const std::vector<Rank>& members) {
  const int n = static_cast<int>(members.size());
  if (n == 1) return;
  const int self = static_cast<int>(ranges::find(members, comm.rank()) - members.begin());
  const auto member = [&](int i) { return members[static_cast<std::size_t>(wrap(i, n))]; };
  const Partition boxes = Partition::uniform(data.count(), n);  // this rank's own stays empty
  const Buffer received = comm.scratch(data.dtype(), boxes.count(), "received");

  std::vector<Request> sent;
  for (int step = 1; step < n; ++step) sent.push_back(comm.isend(member(self + step), data));
  for (int step = 1; step < n; ++step)
    comm.recv(member(self - step), received[boxes[wrap(self - step, n)]]);
  wait_all(comm, sent);

  // Adds the members before this one, then itself, then those after it: the same order on all.
  for (int i = 1; i < self; ++i) comm.reduce(received[boxes[0]], received[boxes[i]], op);
  if (self > 0) comm.reduce_left(data, received[boxes[0]], op);
  for (int i = self + 1; i < n; ++i) comm.reduce(data, received[boxes[i]], op);
}

}  // namespace rankscope
