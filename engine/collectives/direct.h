// Everybody to everybody: the step that direct algorithms and recursive multiplying share.
#pragma once

#include <vector>

#include "engine/core/message/communicator.h"

namespace rankscope {

/// Each of `members` (this rank is one of them) sends the others all of `data`, and reduces what all of
/// them had in the order of `members`, so that all get the same bits. Sends to one member after the
/// other, beginning with the next one, so that no rank gets two messages at once.
void exchange_with_all(Communicator& comm, Slice data, ReduceOp op,
                       const std::vector<Rank>& members);

}  // namespace rankscope
