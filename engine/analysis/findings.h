// What is wrong with a run, found in its trace alone: who waited for whom, which messages and receives
// stayed alone, which ranks were lost; each with why it is wrong and what to try.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/messages.h"

namespace rankscope {

struct Finding {
  enum class Kind : std::uint8_t { deadlock, lost_rank, unreceived, unmatched };
  Kind kind = Kind::deadlock;
  /// Whom it concerns. A deadlock's are a circle: each waits for the next, the last for the first.
  /// Of a message that stayed alone: sender, receiver (kAnyRank: of a receive from anybody).
  std::vector<Rank> ranks;
  /// Where each of these ranks stood, as far as it concerns them (kNoEvent: nowhere).
  std::vector<std::uint64_t> events;
  std::string site;  ///< "allreduce_ring.cpp:27" of the first event; empty: unknown.
  std::string what, why, advice;
};
std::string_view to_string(Finding::Kind kind) noexcept;
/// "0 → 1 → 0"
std::string circle_text(const Finding& deadlock);

/// Nothing for a run that did what it should, or that goes on. Of one that broke off only the ranks
/// that were lost: its messages were still on their way. Most serious first; of each kind at most
/// `most`, and then one that says how many more there are.
std::vector<Finding> findings(const Trace& trace, std::size_t most = 8);

}  // namespace rankscope
