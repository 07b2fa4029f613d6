// Algorithms that wait for each other, and some that only look so: the table of a `rankscope` of its
// own, whose workers the tests run.
#include <chrono>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;

Rank next_of(Communicator& comm) { return wrap(comm.rank() + 1, comm.size()); }
Rank prev_of(Communicator& comm) { return wrap(comm.rank() - 1, comm.size()); }

void recv_first(Communicator& comm, const Args& args) {
  comm.recv(prev_of(comm), args.out);
  comm.send(next_of(comm), args.in);
}

// Works as long as sends are buffered.
void send_ring(Communicator& comm, const Args& args) {
  comm.send(next_of(comm), args.in);
  comm.recv(prev_of(comm), args.out);
}

void from_returned(Communicator& comm, const Args& args) {
  if (comm.rank() == 0) comm.recv(1, args.out, 3);
}

void tag_mismatch(Communicator& comm, const Args& args) {
  if (comm.rank() == 0) comm.send(1, args.in, 4);
  if (comm.rank() == 1) comm.recv(0, args.out, 5);
}

// Ranks 0 and 1 wait for each other, all others for the one before them.
void part_cycle(Communicator& comm, const Args& args) {
  comm.recv(comm.rank() == 0 ? 1 : comm.rank() - 1, args.out);
}

void nobody_sends(Communicator& comm, const Args& args) {
  if (comm.rank() == 0) comm.recv(kAnyRank, args.out);
}

void strands(Communicator& comm, const Args& args) {
  auto work = comm.start([&](Communicator& mine) { mine.recv(next_of(mine), args.out, 1); });
  Work idle = comm.start([](Communicator&) {});
  idle.wait();
  work.wait();
}

// Rank 1 computes, as long as `segment_bytes` says in milliseconds; the others wait for it.
void compute(Communicator& comm, const Args& args) {
  if (comm.rank() != 1) {
    comm.recv(1, args.out);
    return;
  }
  comm.compute(milliseconds(args.segment_bytes));
  for (Rank rank = 0; rank < comm.size(); ++rank)
    if (rank != 1) comm.send(rank, args.in);
}

// Rank 0 asks again and again, and sends what all others wait for when it has had enough.
void poll(Communicator& comm, const Args& args) {
  if (comm.rank() != 0) {
    comm.recv(0, args.out);
    comm.send(0, args.in);
    return;
  }
  const auto until = Deadline::in(milliseconds(args.segment_bytes));
  std::vector<Request> requests;
  Buffer from = comm.scratch(args.out.dtype(), args.out.count() * comm.size());
  const Partition part(from.count(), comm.size());
  for (Rank rank = 1; rank < comm.size(); ++rank)
    requests.push_back(comm.irecv(rank, from[part[rank]]));
  while (!until.passed()) comm.test(requests.front());
  for (Rank rank = 1; rank < comm.size(); ++rank) comm.send(rank, args.in);
  for (Request& request : requests) comm.wait(request);
}

std::int64_t no_rounds(const ClosedFormInput&) { return 0; }
std::uint64_t no_bytes(const ClosedFormInput&) { return 0; }

Algorithm faulty(std::string_view name, void (*run)(Communicator&, const Args&)) {
  return {name, Collective::p2p_shift, run, name, "tests", "", no_rounds, no_bytes};
}

}  // namespace

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> kAll = [] {
    const auto own = built_in_algorithms();
    std::vector<Algorithm> all(own.begin(), own.end());
    all.insert(all.end(),
               {faulty("fault.recv_first", recv_first), faulty("fault.send_ring", send_ring),
                faulty("fault.from_returned", from_returned),
                faulty("fault.tag_mismatch", tag_mismatch), faulty("fault.part_cycle", part_cycle),
                faulty("fault.nobody_sends", nobody_sends), faulty("fault.strands", strands),
                faulty("fault.compute", compute), faulty("fault.poll", poll)});
    return all;
  }();
  return kAll;
}

}  // namespace rankscope
