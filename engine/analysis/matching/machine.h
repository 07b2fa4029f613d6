// Matches messages with receives by the order of each rank's sends and receives alone: as in a run, and as it would have
// been with another tag, another peer or buffered sends.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope::matching {

inline constexpr std::uint32_t kNoVerb = ~std::uint32_t{0};

/// A send or a receive that a rank has posted.
struct PostedVerb {
  Rank rank = -1;
  Rank peer = -1;  ///< kAnyRank in a receive from any rank.
  Tag tag = 0;     ///< kAnyTag in a receive of any tag.
  ContextId context = 0;
  bool send = false;
  bool buffered = false;  ///< It is a send that ends without its receive.
  /// The send that this receive from any rank got in the recorded run; a replay gives it no other.
  std::uint32_t got = kNoVerb;
  bool open = false;       ///< It is not done, and its rank has not ended.
  bool in_call = false;    ///< Inside a built-in collective, or a split.
  std::uint32_t site = 0;  ///< Equal for verbs called at the same line; 0 if unknown.

  bool wild() const noexcept { return !send && (peer == kAnyRank || tag == kAnyTag); }
};

/// Returns whether a message's two sides fit: rank, peer, tag and context.
bool fits(const PostedVerb& send, const PostedVerb& receive) noexcept;

/// The partners of verbs that are given in the order of posting; kNoVerb for a verb without one. MPI 4.0, section 3.5:
/// messages of one pair of ranks on one communicator do not overtake each other, and of the receives that a message fits,
/// the one posted first takes it.
class Matching {
 public:
  explicit Matching(const std::vector<PostedVerb>& verbs);

  std::uint32_t partner(std::uint32_t verb) const { return partner_[verb]; }
  /// Returns whether a wait for this verb ends.
  bool ends(std::uint32_t verb) const {
    return partner_[verb] != kNoVerb || (verbs_[verb].send && verbs_[verb].buffered);
  }

 private:
  struct Queue {
    std::deque<std::uint32_t> receives, messages;
  };
  void post(std::uint32_t verb, Queue& queue);
  bool may_meet(std::uint32_t send, std::uint32_t receive) const;

  const std::vector<PostedVerb>& verbs_;
  std::vector<std::uint32_t> partner_;
};

/// Returns whether all ranks come to the end of their lists if each send and receive waits for its partner.
bool ends_in_step(std::vector<std::deque<PostedVerb>> by_rank);

}  // namespace rankscope::matching
