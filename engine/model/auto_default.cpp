// The rules that are compiled in. `rankscope profile <collective> --fit FILE` makes others.
#include "engine/model/auto_choice.h"

namespace rankscope {

const ChoiceTable& ChoiceTable::built_in() {
  constexpr auto kRest = ChoiceRule::kNoLimit;
  constexpr std::uint64_t kKi = 1024, kMi = 1024 * kKi;
  static const ChoiceTable kTable(std::vector<ChoiceRule>{
      {"allreduce", "ipc", 8, 2 * kMi, "allreduce.tree"},
      {"allreduce", "ipc", 8, kRest, "allreduce.ring_pipelined"},
      {"allreduce", "tcp", 8, 2 * kMi, "allreduce.tree"},
      {"allreduce", "tcp", 8, kRest, "allreduce.ring_pipelined"},
      {"broadcast", "ipc", 8, kMi, "broadcast.binomial"},
      {"broadcast", "ipc", 8, kRest, "broadcast.chain"},
      {"allgather", "ipc", 8, 64 * kKi, "allgather.bruck"},
      {"allgather", "ipc", 8, kRest, "allgather.ring"},
      {"reduce_scatter", "ipc", 8, 64 * kKi, "reduce_scatter.halving"},
      {"reduce_scatter", "ipc", 8, kRest, "reduce_scatter.ring"},
      {"alltoall", "ipc", 8, 4 * kKi, "alltoall.bruck"},
      {"alltoall", "ipc", 8, kRest, "alltoall.pairwise"},
  });
  return kTable;
}

}  // namespace rankscope
