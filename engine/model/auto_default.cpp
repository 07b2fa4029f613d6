// The rules that are compiled in: what `rankscope profile <collective> --np 2,4,8 --fit` made of a
// machine with two processors, where ranks beyond two take turns. `rankscope bench` judges them.
#include "engine/model/auto_choice.h"

namespace rankscope {
namespace {

constexpr auto kRest = ChoiceRule::kNoLimit;
constexpr std::uint64_t kKi = 1024, kMi = 1024 * kKi;

// In shared memory receivers read in place: many messages at once cost little, and each byte that moves is one copy.
// A virtual machine may find its two processors beside one cache, or each beside its own, and this changes within
// seconds. Where each has its own, two_shot takes 1.6 times as long as swing at 1 MiB on 8 ranks (each rank reads all
// others' parts); beside one cache the two are equal, so swing has the middle sizes. Not on 3 and 6 ranks, where it takes
// up to 1.7 times as long, as some of them carry others' data; on 5, 7 and 9 to 12 it is as fast.
std::vector<ChoiceRule> shared_memory_rules() {
  return {
      {"allreduce", "shm", 2, 11 * kKi, "allreduce.bde"},
      {"allreduce", "shm", 2, kRest, "allreduce.two_shot"},
      {"allreduce", "shm", 3, 2 * kKi, "allreduce.flat"},
      {"allreduce", "shm", 3, 32 * kKi, "allreduce.bde"},
      {"allreduce", "shm", 3, kRest, "allreduce.two_shot"},
      {"allreduce", "shm", 4, 2 * kKi, "allreduce.flat"},
      {"allreduce", "shm", 4, 32 * kKi, "allreduce.bde"},
      {"allreduce", "shm", 4, 1448 * kKi, "allreduce.swing"},
      {"allreduce", "shm", 4, kRest, "allreduce.two_shot"},
      {"allreduce", "shm", 6, 2 * kKi, "allreduce.flat"},
      {"allreduce", "shm", 6, 11 * kKi, "allreduce.bde"},
      {"allreduce", "shm", 6, 362 * kKi, "allreduce.mst"},
      {"allreduce", "shm", 6, kRest, "allreduce.two_shot"},
      {"allreduce", "shm", 8, 2 * kKi, "allreduce.flat"},
      {"allreduce", "shm", 8, 11 * kKi, "allreduce.bde"},
      {"allreduce", "shm", 8, 362 * kKi, "allreduce.mst"},
      {"allreduce", "shm", 8, 11 * kMi, "allreduce.swing"},
      {"allreduce", "shm", 8, kRest, "allreduce.two_shot"},
      {"broadcast", "shm", 2, kRest, "broadcast.flat"},
      {"broadcast", "shm", 4, kRest, "broadcast.knomial"},
      {"broadcast", "shm", 8, kRest, "broadcast.knomial"},
      {"allgather", "shm", 2, kRest, "allgather.doubling"},
      {"allgather", "shm", 8, 6 * kMi, "allgather.doubling"},
      {"allgather", "shm", 8, kRest, "allgather.ring"},
      {"reduce_scatter", "shm", 8, kRest, "reduce_scatter.direct"},
      {"alltoall", "shm", 8, kRest, "alltoall.linear"},
  };
}

}  // namespace

const ChoiceTable& ChoiceTable::built_in() {
  static const ChoiceTable kTable = [] {
    ChoiceTable table(std::vector<ChoiceRule>{
        {"allreduce", "ipc", 2, 11 * kKi, "allreduce.flat"},
        {"allreduce", "ipc", 2, 724 * kKi, "allreduce.bde"},
        {"allreduce", "ipc", 2, kRest, "allreduce.ring_pipelined"},
        {"allreduce", "ipc", 4, 91 * kKi, "allreduce.bde"},
        {"allreduce", "ipc", 4, 724 * kKi, "allreduce.tree"},
        {"allreduce", "ipc", 4, kRest, "allreduce.ring_pipelined"},
        {"allreduce", "ipc", 8, 11 * kKi, "allreduce.flat"},
        {"allreduce", "ipc", 8, 6 * kMi, "allreduce.mst"},
        {"allreduce", "ipc", 8, kRest, "allreduce.ring_pipelined"},
        {"allreduce", "tcp", 2, 11 * kKi, "allreduce.flat"},
        {"allreduce", "tcp", 2, 724 * kKi, "allreduce.bde"},
        {"allreduce", "tcp", 2, kRest, "allreduce.ring_pipelined"},
        {"allreduce", "tcp", 4, 91 * kKi, "allreduce.bde"},
        {"allreduce", "tcp", 4, 724 * kKi, "allreduce.tree"},
        {"allreduce", "tcp", 4, kRest, "allreduce.ring_pipelined"},
        {"allreduce", "tcp", 8, 11 * kKi, "allreduce.flat"},
        {"allreduce", "tcp", 8, 6 * kMi, "allreduce.mst"},
        {"allreduce", "tcp", 8, kRest, "allreduce.ring_pipelined"},
        {"broadcast", "ipc", 2, kRest, "broadcast.flat"},
        {"broadcast", "ipc", 4, 45 * kKi, "broadcast.flat"},
        {"broadcast", "ipc", 4, kRest, "broadcast.binomial"},
        {"broadcast", "ipc", 8, 45 * kKi, "broadcast.flat"},
        {"broadcast", "ipc", 8, kRest, "broadcast.binomial"},
        {"allgather", "ipc", 2, kRest, "allgather.doubling"},
        {"allgather", "ipc", 4, 1 * kMi, "allgather.doubling"},
        {"allgather", "ipc", 4, kRest, "allgather.ring"},
        {"allgather", "ipc", 8, 1448, "allgather.flat"},
        {"allgather", "ipc", 8, 1 * kMi, "allgather.doubling"},
        {"allgather", "ipc", 8, kRest, "allgather.ring"},
        {"reduce_scatter", "ipc", 2, 1 * kMi, "reduce_scatter.halving"},
        {"reduce_scatter", "ipc", 2, kRest, "reduce_scatter.direct"},
        {"reduce_scatter", "ipc", 4, 1 * kMi, "reduce_scatter.halving"},
        {"reduce_scatter", "ipc", 4, kRest, "reduce_scatter.direct"},
        {"reduce_scatter", "ipc", 8, 1 * kMi, "reduce_scatter.halving"},
        {"reduce_scatter", "ipc", 8, kRest, "reduce_scatter.direct"},
        {"alltoall", "ipc", 2, kRest, "alltoall.linear"},
        {"alltoall", "ipc", 4, kRest, "alltoall.linear"},
        {"alltoall", "ipc", 8, 1 * kMi, "alltoall.linear"},
        {"alltoall", "ipc", 8, kRest, "alltoall.pairwise"},
    });
    table.merge(ChoiceTable(shared_memory_rules()));
    return table;
  }();
  return kTable;
}

}  // namespace rankscope
