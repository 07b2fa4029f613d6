// Computes when each message begins and arrives, for algorithms whose finish time is no sum.
#pragma once

#include "engine/core/message/verb_schedule.h"
#include "engine/model/costs/cost.h"

namespace rankscope {

/// Returns the path of messages and reductions that ends last, by this recurrence:
///
///   ready(m)   = max(posted(m), the sender's message before it has arrived)
///   begins(m)  = max(ready(m), the receiver's port in is free)
///   arrives(m) = begins(m) + alpha + bytes beta; both ports are taken until then
///
/// A sender's messages go in the order of posting, then of its strands. All events of a moment come before ports are
/// given to messages. Of the messages that are ready for a receiver, its free port in takes first one that a strand of
/// the receiver sleeps for, then the one that has been ready for longest, then that of the lowest sender; as in a
/// network, later receives are not known. A send is over at once, a receive when its message has arrived. A rank
/// reduces one at a time, in bytes * gamma. transports/sim serves ports by the same rule. Throws UserError for a
/// schedule that cannot end.
CostTerm critical_path(const VerbSchedule& schedule, const LinkCosts& link);

}  // namespace rankscope
