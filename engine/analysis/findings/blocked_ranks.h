// Which ranks of a finished run are blocked for ever, on whom, at which line, and why: what pictures and lists of a
// deadlock are made of. The causes are those of matching/, in its words.
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
  Rank on = -1;  ///< -1 in a receive from any rank.
  bool send = false;
  bool in_call = false;  ///< Inside of a collective.
  Tag tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t event = 0;  ///< At which it was posted.

  std::string file;   ///< Without folders; empty if unknown.
  unsigned line = 0;  ///< 0 if unknown.
  std::string code;   ///< The line's text, trimmed; empty where the trace has no source.
  /// The later line that calls the other half (of a send, a receive), which the rank never reached; 0 if none is known.
  unsigned next_line = 0;
  std::string next_code;
  std::string peer_text, next_peer_text;  ///< How the two lines write their peers.
};

/// Ranks that wait for each other, in a circle or in chains.
struct BlockedGroup {
  bool circle = false;       ///< Each root waits for the next one's rank, the last for the first.
  std::string_view brief;    ///< "each waits for the next", "the tags differ"
  bool by_order = false;     ///< All of the roots send (receive) first: another order would do.
  bool tags_differ = false;  ///< The tags alone are why.
  std::vector<BlockedVerb> roots;      ///< Verbs that explain the others.
  std::vector<BlockedVerb> followers;  ///< One of each rank that waits for these.
  std::string why, advice;
};

struct BlockedRanks {
  std::vector<BlockedGroup> groups;
  std::vector<bool> ended;  ///< By rank: whether it came to its end.
};

/// Empty for a run that goes on, did not end as a deadlock, or is not known to have done so.
BlockedRanks blocked_ranks(const Trace& trace);

}  // namespace rankscope
