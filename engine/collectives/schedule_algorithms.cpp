// Runs a schedule: a table of who sends which chunk to whom in which step (schedule.h).
//
//   within a step, every rank:   1. posts all its sends, from what it holds at the step's beginning
//                                2. adds or keeps what arrives, in the order of the senders' ranks
//                                3. waits until its sends are done
//
// Every rank has posted its sends before it waits for anything, so the ranks cannot block each
// other, whatever the table says.
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"

namespace rankscope {
namespace {

// One rank's moves of one step. Sorted by peer, each peer's in the order of the table: the n-th
// message between two ranks is the same move on both sides.
struct Step {
  std::vector<ScheduleMove> sends, receives;
};

using Steps = std::map<int, Step>;

// Also steps without a move of this rank, so that all ranks show the same steps.
Steps steps_of(const Schedule& schedule, Rank rank) {
  Steps steps;
  for (const auto& move : schedule.moves) {
    Step& step = steps[move.step];
    if (move.from == rank) step.sends.push_back(move);
    if (move.to == rank) step.receives.push_back(move);
  }
  for (auto& [number, step] : steps) {
    ranges::stable_sort(step.sends, {}, &ScheduleMove::to);
    ranges::stable_sort(step.receives, {}, &ScheduleMove::from);
  }
  return steps;
}

bool overlap(const ScheduleMove& a, const ScheduleMove& b) {
  return a.chunk == b.chunk || a.chunk == ScheduleMove::kWhole || b.chunk == ScheduleMove::kWhole;
}

void run_step(Communicator& comm, const Step& step, const Partition& part, Slice data, ReduceOp op,
              std::optional<Buffer>& before) {
  const auto range = [&](const ScheduleMove& move) {
    return move.chunk == ScheduleMove::kWhole ? Range{0, data.count()} : part[move.chunk];
  };
  const auto changes = [&](const ScheduleMove& send) {
    return ranges::any_of(step.receives,
                          [&](const auto& receive) { return overlap(send, receive); });
  };
  // Data that is being sent must not change.
  for (const auto& send : step.sends) {
    if (!changes(send)) continue;
    if (!before) before = comm.scratch(data.dtype(), data.count(), "before the step");
    comm.copy((*before)[range(send)], data[range(send)]);
  }
  std::vector<Request> sent;
  for (const auto& send : step.sends)
    sent.push_back(comm.isend(send.to, (changes(send) ? before->all() : data)[range(send)]));
  for (const auto& receive : step.receives) {
    if (receive.add) comm.recv_reduce(receive.from, data[range(receive)], op);
    else comm.recv(receive.from, data[range(receive)]);
  }
  for (auto& request : sent) comm.wait(request);
}

// Runs the table on `data`, the whole vector that every rank works on, whatever its output is.
void run_schedule(Communicator& comm, const Args& args, Slice data) {
  if (args.schedule == nullptr)
    throw UserError("an algorithm NAME.schedule needs a schedule: give --schedule");
  check_schedule(*args.schedule, comm.size());
  const Partition part(data.count(), args.schedule->chunks_for(comm.size()));
  std::optional<Buffer> before;
  for (const auto& [number, step] : steps_of(*args.schedule, comm.rank())) {
    const auto phase = comm.phase(fmt::format("step {}", number));
    run_step(comm, step, part, data, args.op, before);
  }
}

// In place: broadcast, reduce, allreduce.
void in_place(Communicator& comm, const Args& args) { run_schedule(comm, args, args.out); }

void gathering(Communicator& comm, const Args& args, Slice data) {
  const Partition blocks = Partition::uniform(args.in.count(), comm.size());
  comm.copy(data[blocks[comm.rank()]], args.in);
  run_schedule(comm, args, data);
}
void allgather_in_out(Communicator& comm, const Args& args) { gathering(comm, args, args.out); }
void gather_in_work(Communicator& comm, const Args& args) {
  if (comm.rank() == args.root) return gathering(comm, args, args.out);
  const Buffer work = comm.scratch(args.in.dtype(), args.in.count() * comm.size(), "work");
  gathering(comm, args, work);
}

// Reduce-scatter: the chunk that a rank owns is its output.
void scattering(Communicator& comm, const Args& args) {
  const Buffer work = comm.scratch(args.in.dtype(), args.in.count(), "work");
  comm.copy(work, args.in);
  run_schedule(comm, args, work);
  comm.copy(args.out, work[Partition(work.count(), comm.size())[comm.rank()]]);
}

using enum Collective;
constexpr std::string_view kBestUse = "an algorithm of your own, as a table of steps";
const Algorithm kScheduleAlgorithms[] = {
    {"broadcast.schedule", broadcast, in_place, "broadcast by a schedule", kBestUse, "", nullptr,
     nullptr},
    {"reduce.schedule", reduce, in_place, "reduce by a schedule", kBestUse, "", nullptr, nullptr},
    {"gather.schedule", gather, gather_in_work, "gather by a schedule", kBestUse, "", nullptr,
     nullptr},
    {"allgather.schedule", allgather, allgather_in_out, "allgather by a schedule", kBestUse, "",
     nullptr, nullptr},
    {"reduce_scatter.schedule", reduce_scatter, scattering, "reduce-scatter by a schedule",
     kBestUse, "", nullptr, nullptr},
    {"allreduce.schedule", allreduce, in_place, "allreduce by a schedule", kBestUse, "", nullptr,
     nullptr},
};

}  // namespace

std::span<const Algorithm> schedule_algorithms() { return kScheduleAlgorithms; }

bool runs_schedule(const Algorithm& algorithm) noexcept {
  const auto table = schedule_algorithms();
  return &algorithm >= table.data() && &algorithm < table.data() + table.size();
}

}  // namespace rankscope
