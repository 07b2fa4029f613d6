// Diagnoses of ranks that are blocked for ever: the partner that each of their sends and receives lacks, and the change
// that lets them go on, as far as a replay can show it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/matching/machine.h"

namespace rankscope::matching {

/// A run in which nobody can go on, as far as it is known.
struct Situation {
  std::vector<PostedVerb> verbs;  ///< In each rank's order of posting.
  std::vector<bool> ended;        ///< By rank: true if it has ended.
  std::string_view platform;      ///< The job's: "torch", "mpi", "ray", "native"; empty if unknown.
  std::function<std::string(std::uint32_t verb)> at;  ///< " at worker.py:9", or nothing.

  // From the program's text; unset if that is unknown.
  /// Returns the peer as the text writes it, if all ranks compute theirs alike: "partner".
  std::function<std::string(std::uint32_t verb)> partner_name = {};
  /// The same for the next receive (after a receive: send) of the same block.
  std::function<std::string(std::uint32_t verb)> next_partner_name = {};
  /// Returns whether the verb is called for several peers in turn.
  std::function<bool(std::uint32_t verb)> goes_through_peers = {};
  /// Returns the peer of the receive (after a receive: send) that the rank calls once this verb has ended.
  std::function<std::optional<Rank>(std::uint32_t verb)> next_peer = {};
  /// Returns whether the verb's rank comes later to the collective that `in_call` is part of.
  std::function<bool(std::uint32_t verb, std::uint32_t in_call)> comes_to_call = {};
  /// Returns the tags of the sends (for a receive: receives) that the rank calls later.
  std::function<std::vector<Tag>(std::uint32_t verb)> later_tags = {};
};

struct Diagnosis {
  enum class Cause : std::uint8_t {
    tag,           ///< All fits but the tag.
    swapped,       ///< The send gives its destination and its tag in the wrong order.
    order,         ///< The tags fit, but the two sides use them in different orders.
    communicator,  ///< All fits but the communicator.
    source,        ///< The receive names another rank than the one that sends to it.
    destination,   ///< The send names another rank than the one that waits for it.
    taken,         ///< A receive from any rank took the message.
    no_wait,       ///< Its partner is a request for which no wait was called.
    itself,        ///< A rank waits for itself.
    ended,         ///< The rank that they wait for has ended.
    missing,       ///< Its partner's rank is in a later collective and has not called its half.
    call,          ///< Not all ranks have come to a collective.
    partners,      ///< They exchange, but not in pairs.
    sends,         ///< Each sends, and none has come to its receive.
    receives,      ///< Each receives, and none has sent.
    unknown,       ///< What is known of the run does not explain it.
  };
  Cause cause = Cause::unknown;
  /// Verbs whose rank waits for the next one's rank, the last for the first; empty if they wait for an ended rank, or for
  /// any rank.
  std::vector<std::uint32_t> cycle = {};
  /// The verbs that explain the others: the cycle, or a dead end.
  std::vector<std::uint32_t> roots = {};
  std::vector<std::uint32_t> followers = {};  ///< One for each rank that waits for a root.
  std::uint32_t blamed = kNoVerb;             ///< The mistake, if it is not one of the roots.
  /// For cycles of sends or of receives: a replay showed that all go on if one rank, or every second one, calls the other
  /// half first.
  bool one_in_other_order = false, half_in_other_order = false;
  bool or_missing = false;          ///< It may also be that the rank that has ended lacks its half.
  std::uint32_t partner = kNoVerb;  ///< For no_wait, the request.
  std::vector<std::uint32_t> misdirected = {};  ///< For swapped and destination, all such sends.
  std::string why, advice;
};

/// Returns a diagnosis for each group of ranks that wait for each other, by their lowest ranks. Gives no advice under which a
/// replay of the recorded order would block again.
std::vector<Diagnosis> diagnose(const Situation& situation);

/// The reason for which a verb that waits for an ended rank, or for any rank, does not end, and the advice for it.
struct EndedWords {
  std::string why, advice;
};
EndedWords ended_words(const Situation& situation, std::uint32_t verb);
/// Explains a send to its own rank, or a receive from it.
void explain_itself(const Situation& situation, std::uint32_t verb, std::string& why,
                    std::string& advice);

/// Returns "rank 1 receives from rank 0 (tag 2) at worker.py:9".
std::string verb_text(const Situation& situation, std::uint32_t verb);

}  // namespace rankscope::matching
