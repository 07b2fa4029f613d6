// A direct exchange among some ranks: the step that direct algorithms and recursive multiplying share.
#pragma once

#include <vector>

#include "engine/core/message/communicator.h"

namespace rankscope {

/// Reduces `data` over `members`, of which this rank is one: each sends all of its data to each other one, and reduces
/// them in the order of `members`, so that all get the same bits. Each sends first to the member after it, then to the
/// one after that, so that no rank receives two messages at once.
void exchange_with_all(Communicator& comm, Slice data, ReduceOp op,
                       const std::vector<Rank>& members);

}  // namespace rankscope
