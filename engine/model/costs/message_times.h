// The exact recurrence for algorithms whose finish time is no sum: when each message begins and arrives.
#pragma once

#include "engine/core/message/verb_schedule.h"
#include "engine/model/costs/cost.h"

namespace rankscope {

/// The path of messages and reductions that ends last:
///
///   ready(m)   = max(posted(m), the sender's message before it has arrived)
///   begins(m)  = max(ready(m), the receiver's port in is free)
///   arrives(m) = begins(m) + alpha + bytes beta; both ports are taken until then
///
/// A sender's messages go in the order of posting (then of its strands). All that happens at a moment happens before
/// ports are given in it. Of those that are ready for one receiver, a free port in takes first one that a strand of
/// the receiver sleeps for at this moment, then the one that has been ready for longest, then that of the lowest
/// sender: what a receiver will ask for later is not known, to a network neither. A send is over at once, a receive
/// when its message has arrived; a reduction takes the rank bytes * gamma, one at a time. transports/sim serves ports
/// by the same rule.
/// Throws UserError for a schedule that cannot end.
CostTerm critical_path(const VerbSchedule& schedule, const LinkCosts& link);

}  // namespace rankscope
