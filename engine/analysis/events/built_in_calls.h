// The built-in collectives that a program calls: exercises may forbid them, and ranks must agree on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/account/messages.h"

namespace rankscope {

/// The note of the first call that a second thread of a rank's program makes.
inline constexpr auto kSeveralThreads = static_cast<Note>(kLastNote + 1);

struct BuiltInCall {
  std::uint64_t begins = kNoEvent, ends = kNoEvent;  ///< ends is kNoEvent if it did not return.
  Rank rank = -1;
  std::uint16_t strand = 0;
};
/// Returns all calls in the trace's order.
std::vector<BuiltInCall> built_in_calls(const Trace& trace);

/// Returns "allreduce", without kBuiltIn; empty for an event of no built-in.
std::string built_in_name(const Trace& trace, const StepEvent& call);

/// A place in a program that calls a built-in; all calls from there are one of these.
struct Delegation {
  struct Caller {
    std::string function, site;  ///< "bde_all_reduce", "worker.py:97"
  };
  std::string name;             ///< "allreduce"
  std::vector<Caller> callers;  ///< Innermost first: the function that calls, then its callers.
  std::vector<Rank> ranks;      ///< Ranks that came there, ascending.
  std::uint64_t times = 0;      ///< Calls of all ranks together.
  std::uint64_t first = kNoEvent;
  /// "bde_all_reduce calls the built-in allreduce at worker.py:97"
  std::string text() const;
};
/// Returns the program's functions under way at a site, innermost first.
std::vector<Delegation::Caller> callers_of(const Trace& trace, std::uint32_t site);
/// Returns them in the order of each one's first call.
std::vector<Delegation> delegations(const Trace& trace);

}  // namespace rankscope
