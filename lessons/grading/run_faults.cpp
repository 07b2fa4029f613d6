#include "lessons/grading/run_faults.h"

#include "engine/account/messages.h"

namespace rankscope {

RunFault fault_at(const Trace& trace, std::uint64_t event) {
  RunFault fault;
  if (event >= trace.size()) return fault;
  fault.rank = trace[event].rank;
  fault.seq = trace[event].seq;
  return fault;
}

std::uint64_t event_of(const Trace& trace, const RunFault& fault) {
  if (fault.seq)
    for (std::uint64_t k = 0; k < trace.size(); ++k)
      if (trace[k].rank == fault.rank && trace[k].seq == *fault.seq) return k;
  return kNoEvent;
}

}  // namespace rankscope
