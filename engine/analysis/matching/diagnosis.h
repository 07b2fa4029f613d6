// Why ranks are blocked for ever: which partner each of their sends and receives lacks, and which change lets them
// go on, as far as the machine can show it.
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
  std::vector<PostedVerb> verbs;  ///< Each rank's are in the order in which it posted them.
  std::vector<bool> ended;        ///< By rank: whether it has ended.
  std::string_view platform;  ///< As in a job: "torch", "mpi", "ray", "native"; empty if unknown.
  std::function<std::string(std::uint32_t verb)> at;  ///< " at worker.py:9", or nothing.

  // From the program's text; not set where that is unknown.
  /// The peer as the text writes it, where all ranks compute theirs alike: "partner".
  std::function<std::string(std::uint32_t verb)> partner_name = {};
  /// The same for the next receive (of a receive: send) of the same block.
  std::function<std::string(std::uint32_t verb)> next_partner_name = {};
  /// The verb is called for several peers in turn.
  std::function<bool(std::uint32_t verb)> goes_through_peers = {};
  /// The peer of the receive (of a receive: the send) that its rank calls next, once this has ended.
  std::function<std::optional<Rank>(std::uint32_t verb)> next_peer = {};
  /// True if a rank that is in this verb comes later to the collective that another verb is inside of.
  std::function<bool(std::uint32_t verb, std::uint32_t in_call)> comes_to_call = {};
  /// The tags of the sends (receives) that its rank calls later.
  std::function<std::vector<Tag>(std::uint32_t verb)> later_tags = {};
};

struct Diagnosis {
  enum class Cause : std::uint8_t {
    tag,           ///< All fits but the tag.
    swapped,       ///< The send gives its destination and its tag in the wrong order.
    order,         ///< The tags fit, but each side uses them in another order.
    communicator,  ///< All fits but the communicator.
    source,        ///< The message that waits comes from another rank.
    destination,   ///< The message goes to another rank than the one that waits for it.
    taken,         ///< A receive from any rank took the message.
    no_wait,       ///< Its partner is a request for which no wait was called.
    itself,        ///< A rank waits for itself.
    ended,         ///< The rank that they wait for has ended.
    missing,       ///< Its partner stands in a later collective, and has not called its half.
    call,          ///< A collective that not all ranks have come to.
    partners,      ///< They exchange, but not in pairs.
    sends,         ///< Each sends, and none has come to its receive.
    receives,      ///< Each receives, and none has sent.
    unknown,       ///< The run as it is known does not explain it.
  };
  Cause cause = Cause::unknown;
  /// Each one's rank waits for the next one's rank, the last for the first; empty where they wait for an ended rank, or
  /// for any rank.
  std::vector<std::uint32_t> cycle = {};
  /// The verbs that explain the others: the cycle, or a dead end.
  std::vector<std::uint32_t> roots = {};
  std::vector<std::uint32_t> followers = {};  ///< One of each rank that waits for these.
  std::uint32_t blamed = kNoVerb;  ///< Where the mistake is, if it is in none of the roots.
  /// For circles of sends or of receives: a replay showed that all go on when one rank takes the other half first; and
  /// that they do when every second one does.
  bool one_in_other_order = false, half_in_other_order = false;
  bool or_missing = false;          ///< Or the rank that has ended lacks its half: both would do.
  std::uint32_t partner = kNoVerb;  ///< For no_wait, the request.
  std::vector<std::uint32_t> misdirected = {};  ///< For swapped and destination, all such sends.
  std::string why, advice;
};

/// One diagnosis for each group of ranks that wait for each other, in the order of their lowest ranks. No advice is given under
/// which the recorded order, gone through once more, stands still again.
std::vector<Diagnosis> diagnose(const Situation& situation);

/// Why a verb does not end that waits for an ended rank, or for any rank; and what to try.
struct EndedWords {
  std::string why, advice;
};
EndedWords ended_words(const Situation& situation, std::uint32_t verb);
/// Explains a send to its own rank, or a receive from it.
void explain_itself(const Situation& situation, std::uint32_t verb, std::string& why,
                    std::string& advice);

/// "rank 1 receives from rank 0 (tag 2) at worker.py:9"
std::string verb_text(const Situation& situation, std::uint32_t verb);

}  // namespace rankscope::matching
