// The built-in collectives that a program calls: what an exercise may forbid, and what must agree
// between ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/account/messages.h"

namespace rankscope {

/// One call of one rank.
struct BuiltInCall {
  std::uint64_t begins = kNoEvent, ends = kNoEvent;  ///< ends: kNoEvent: it did not return.
  Rank rank = -1;
  std::uint16_t strand = 0;
};
/// In the trace's order.
std::vector<BuiltInCall> built_in_calls(const Trace& trace);

/// "allreduce", without kBuiltIn; empty for an event of no built-in.
std::string built_in_name(const Trace& trace, const StepEvent& call);
/// Whether an event (a message, say) is of a built-in's inside: it stands in its phase.
bool in_built_in(const Trace& trace, std::uint32_t phase);

/// A place in a program that calls a built-in, once for all ranks and times.
struct Delegation {
  struct Caller {
    std::string function, site;  ///< "bde_all_reduce", "worker.py:97"
  };
  std::string name;             ///< "allreduce"
  std::vector<Caller> callers;  ///< Innermost first: the function that calls, and who called it.
  std::vector<Rank> ranks;      ///< Ranks that came there, ascending.
  std::uint64_t times = 0;      ///< Calls of all ranks together.
  std::uint64_t first = kNoEvent;
  /// "bde_all_reduce calls the built-in allreduce at worker.py:97"
  std::string text() const;
};
/// In the order of the first call of each.
std::vector<Delegation> delegations(const Trace& trace);

}  // namespace rankscope
