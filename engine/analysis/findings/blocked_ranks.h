// The ranks of a finished run that are blocked for ever, with their peer, line and cause, for pictures and lists of a
// deadlock. The causes are those of matching/, in its words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// A send or a receive that never ended.
struct BlockedVerb {
  Rank rank = 0;
  Rank on = -1;  ///< The peer; -1 in a receive from any rank.
  bool send = false;
  bool in_call = false;  ///< It is inside a collective.
  Tag tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t event = 0;  ///< The event that posted it.

  std::string file;   ///< Without folders; empty if unknown.
  unsigned line = 0;  ///< 0 if unknown.
  std::string code;   ///< The line's text, trimmed; empty if the trace has no source.
  /// The later line, never reached, at which the rank calls the other half (after a send: a receive); 0 if unknown.
  unsigned next_line = 0;
  std::string next_code;
  std::string peer_text, next_peer_text;  ///< How the two lines write their peers.
};

/// Ranks that wait for each other, in a cycle or in chains.
struct BlockedGroup {
  bool circle = false;       ///< Each root waits for the next one's rank, the last for the first.
  std::string_view brief;    ///< "each waits for the next", "the tags differ"
  bool by_order = false;     ///< All roots send (or receive) first: another order would do.
  bool tags_differ = false;  ///< Only the tags do not fit.
  std::vector<BlockedVerb> roots;      ///< Verbs that explain the others.
  std::vector<BlockedVerb> followers;  ///< One for each rank that waits for a root.
  std::string why, advice;
};

struct BlockedRanks {
  std::vector<BlockedGroup> groups;
  std::vector<bool> ended;  ///< By rank: true if it came to its end.
};

/// Returns nothing for a run that goes on, or that is not known to have ended as a deadlock.
BlockedRanks blocked_ranks(const Trace& trace);

}  // namespace rankscope
