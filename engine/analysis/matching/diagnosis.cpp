// Groups the ranks that wait for each other, and tries for each group which change lets it go on.
#include "engine/analysis/matching/diagnosis.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "engine/analysis/matching/changes.h"
#include "engine/analysis/matching/diagnosis_words.h"
#include "engine/core/base/ranges.h"

namespace rankscope::matching {
namespace {

class WaitGraph {
 public:
  /// Ranks that wait for each other, in a cycle or in chains.
  struct Group {
    std::vector<Rank> ranks;               ///< Ascending; none of them has ended.
    std::vector<std::uint32_t> open;       ///< Their open verbs, ascending.
    std::vector<std::uint32_t> cycle;      ///< The shortest; empty where there is none.
    std::vector<std::uint32_t> dead_ends;  ///< Verbs that wait for an ended rank, or for any rank.
  };
  explicit WaitGraph(const Situation& situation);
  const std::vector<Group>& groups() const noexcept { return groups_; }

 private:
  bool has_ended(Rank rank) const;
  void join_groups();
  void find_cycle(Group& group) const;
  std::vector<std::uint32_t> cycle_through(Rank start, bool wild) const;
  std::vector<Rank> peers_of(std::uint32_t verb, bool wild) const;

  const Situation& known_;
  std::map<Rank, std::vector<std::uint32_t>> open_;  ///< By rank.
  std::vector<Group> groups_;
};

WaitGraph::WaitGraph(const Situation& situation) : known_(situation) {
  for (std::uint32_t verb = 0; verb < known_.verbs.size(); ++verb)
    if (known_.verbs[verb].open) open_[known_.verbs[verb].rank].push_back(verb);
  join_groups();
  for (Group& group : groups_) find_cycle(group);
}

bool WaitGraph::has_ended(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return rank < 0 || index >= known_.ended.size() || known_.ended[index];
}

/// Returns the ranks that a verb waits for, except ended ones. With `wild`, a receive from any rank waits for all.
std::vector<Rank> WaitGraph::peers_of(std::uint32_t verb, bool wild) const {
  const PostedVerb& one = known_.verbs[verb];
  std::vector<Rank> peers;
  if (one.peer >= 0) {
    if (!has_ended(one.peer)) peers.push_back(one.peer);
  } else if (wild) {
    for (Rank rank = 0; static_cast<std::size_t>(rank) < known_.ended.size(); ++rank)
      if (rank != one.rank && !has_ended(rank)) peers.push_back(rank);
  }
  return peers;
}

void WaitGraph::join_groups() {
  std::vector<std::size_t> group_of(known_.ended.size());
  std::iota(group_of.begin(), group_of.end(), std::size_t{0});
  for (const auto& [rank, verbs] : open_)
    for (const std::uint32_t verb : verbs)
      for (const Rank peer : peers_of(verb, true)) {
        const auto from = group_of[static_cast<std::size_t>(std::max(rank, peer))];
        const auto to = group_of[static_cast<std::size_t>(std::min(rank, peer))];
        ranges::replace(group_of, std::max(from, to), std::min(from, to));
      }
  std::map<std::size_t, Group> groups;
  for (const auto& [rank, verbs] : open_) {
    if (has_ended(rank)) continue;
    Group& group = groups[group_of[static_cast<std::size_t>(rank)]];
    group.ranks.push_back(rank);
    group.open.insert(group.open.end(), verbs.begin(), verbs.end());
  }
  for (auto& [number, group] : groups) {
    ranges::sort(group.open);
    groups_.push_back(std::move(group));
  }
}

// Searches breadth first, for the shortest cycle, over verbs, so that each step has its source line.
std::vector<std::uint32_t> WaitGraph::cycle_through(Rank start, bool wild) const {
  std::map<Rank, std::uint32_t> reached;  // by which verb
  std::deque<Rank> next{start};
  while (!next.empty()) {
    const auto waits = open_.find(next.front());
    next.pop_front();
    if (waits == open_.end()) continue;
    for (const std::uint32_t verb : waits->second)
      for (const Rank peer : peers_of(verb, wild)) {
        if (peer == start) {
          std::vector<std::uint32_t> cycle{verb};
          while (known_.verbs[cycle.back()].rank != start)
            cycle.push_back(reached.at(known_.verbs[cycle.back()].rank));
          ranges::reverse(cycle);
          return cycle;
        }
        if (reached.try_emplace(peer, verb).second) next.push_back(peer);
      }
  }
  return {};
}

void WaitGraph::find_cycle(Group& group) const {
  for (const bool wild : {false, true}) {
    for (const Rank rank : group.ranks) {
      auto cycle = cycle_through(rank, wild);
      if (!cycle.empty() && (group.cycle.empty() || cycle.size() < group.cycle.size()))
        group.cycle = std::move(cycle);
      if (group.cycle.size() == 1 || group.cycle.size() == 2) return;
    }
    if (!group.cycle.empty()) return;
  }
  for (const std::uint32_t verb : group.open)
    if (peers_of(verb, true).empty()) group.dead_ends.push_back(verb);
}

using Cause = Diagnosis::Cause;

constexpr std::size_t kMostAlone = 2'000;  // unmatched operations to compare, at most
constexpr int kMostTries = 32;  // receives from any rank to try as the taker of a message

/// Returns an open verb of each of the group's other ranks.
std::vector<std::uint32_t> followers(const Situation& known, const WaitGraph::Group& group,
                                     const std::vector<std::uint32_t>& roots) {
  std::map<Rank, std::uint32_t> others;
  for (const std::uint32_t verb : group.open) others.try_emplace(known.verbs[verb].rank, verb);
  for (const std::uint32_t root : roots) others.erase(known.verbs[root].rank);
  std::vector<std::uint32_t> found;
  for (const auto& [rank, verb] : others) found.push_back(verb);
  return found;
}

class Diagnoser {
 public:
  explicit Diagnoser(const Situation& situation)
      : known_(situation), recorded_(situation.verbs), graph_(situation) {
    for (std::uint32_t i = 0; i < known_.verbs.size(); ++i)
      if (recorded_.partner(i) == kNoVerb && alone_.size() < kMostAlone) alone_.push_back(i);
    // By rank, not by time: the same fault is explained in the same words each time.
    ranges::stable_sort(alone_, {}, [this](std::uint32_t verb) { return known_.verbs[verb].rank; });
  }
  std::vector<Diagnosis> diagnose();

 private:
  Diagnosis diagnose(const WaitGraph::Group& group);
  bool change_helps(const WaitGraph::Group& group, Cause cause, Diagnosis& out,
                    bool of_all = false) const;
  std::vector<Change> changes(const WaitGraph::Group& group, Cause cause) const;
  std::ptrdiff_t rivals(const Change& change, Cause cause) const;
  bool arguments_swapped(const WaitGraph::Group& group, Diagnosis& out) const;
  bool was_taken(Diagnosis& out) const;
  bool was_not_waited_for(const WaitGraph::Group& group, Diagnosis& out) const;
  bool is_before_a_call(const WaitGraph::Group& group, Diagnosis& out) const;
  bool sends_to_itself(const WaitGraph::Group& group, Diagnosis& out) const;
  bool in_other_order(const Change& change) const;
  bool one_sided_pairs(Diagnosis& out) const;
  bool unequal_partners(const WaitGraph::Group& group, Diagnosis& out) const;
  bool three_at_one_line(const WaitGraph::Group& group, Diagnosis& out) const;
  bool first_of_pipeline(const WaitGraph::Group& group, Diagnosis& out) const;
  bool explain(const WaitGraph::Group& group, Diagnosis& out) const;
  bool buffering_helps(const WaitGraph::Group& group) const;
  void try_other_order(Diagnosis& out) const;
  bool has_ended(Rank rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < known_.ended.size() &&
           known_.ended[static_cast<std::size_t>(rank)];
  }
  bool goes_on(const std::vector<PostedVerb>& verbs, const Matching& matching,
               const WaitGraph::Group& group) const;

  const Situation& known_;
  const Matching recorded_;
  const WaitGraph graph_;
  std::vector<std::uint32_t> alone_;  ///< Unmatched sends and receives.
};

std::vector<Diagnosis> Diagnoser::diagnose() {
  std::vector<Diagnosis> all;
  for (const auto& group : graph_.groups()) all.push_back(diagnose(group));
  return all;
}

Diagnosis Diagnoser::diagnose(const WaitGraph::Group& group) {
  Diagnosis out;
  out.cycle = group.cycle;
  out.roots = group.cycle.empty() ? group.dead_ends : group.cycle;
  out.followers = followers(known_, group, out.roots);
  if (out.roots.empty() || !explain(group, out)) explain_cycle(known_, out);
  return out;
}

/// Returns whether it wrote the explanation; if not, explain_cycle() writes it from `out.cause`.
bool Diagnoser::explain(const WaitGraph::Group& group, Diagnosis& out) const {
  if (was_not_waited_for(group, out)) return true;
  for (const std::uint32_t verb : group.open)
    if (recorded_.ends(verb)) return false;  // events are missing
  const PostedVerb& first = known_.verbs[out.roots.front()];
  if (out.cycle.size() == 1 && first.peer == first.rank) {
    out.cause = Cause::itself;
    return sends_to_itself(group, out);
  }
  const auto in_call = [&](std::uint32_t verb) { return known_.verbs[verb].in_call; };
  if (!out.cycle.empty() && ranges::any_of(out.roots, in_call)) {
    if (is_before_a_call(group, out)) return true;
    out.cause = Cause::call;
    return false;
  }
  if (arguments_swapped(group, out)) return true;
  for (const Cause cause : {Cause::tag, Cause::communicator})
    if (change_helps(group, cause, out)) return true;
  if (was_taken(out)) return true;
  for (const Cause cause : {Cause::source, Cause::destination})
    if (change_helps(group, cause, out, true)) return true;
  if (unequal_partners(group, out) || one_sided_pairs(out)) return true;
  for (const Cause cause : {Cause::source, Cause::destination})
    if (change_helps(group, cause, out)) return true;
  if (out.cycle.empty()) {
    auto words = ended_words(known_, out.roots.front());
    out.cause = Cause::ended;
    out.why = std::move(words.why);
    out.advice = std::move(words.advice);
    return true;
  }
  if (first_of_pipeline(group, out)) return true;
  const auto sends = [&](std::uint32_t verb) { return known_.verbs[verb].send; };
  if (!ranges::any_of(out.cycle, sends)) out.cause = Cause::receives;
  else if (buffering_helps(group)) out.cause = Cause::sends;
  if (out.cause != Cause::unknown) try_other_order(out);
  return false;
}

/// Returns whether the whole group could go on. A rank that is freed may call anything next, so it counts as freeing
/// the ranks that wait for it.
bool Diagnoser::goes_on(const std::vector<PostedVerb>& verbs, const Matching& matching,
                        const WaitGraph::Group& group) const {
  std::map<Rank, std::vector<std::uint32_t>> waits;
  for (const std::uint32_t verb : group.open)
    if (!matching.ends(verb)) waits[verbs[verb].rank].push_back(verb);
  const auto may_come = [&](std::uint32_t verb) {
    const Rank peer = verbs[verb].peer;
    if (peer >= 0) return !has_ended(peer) && !waits.contains(peer);
    return ranges::any_of(
        group.ranks, [&](Rank rank) { return rank != verbs[verb].rank && !waits.contains(rank); });
  };
  for (bool changed = true; changed && !waits.empty();) {
    const auto before = waits.size();
    std::erase_if(waits,
                  [&](const auto& of_rank) { return ranges::all_of(of_rank.second, may_come); });
    changed = waits.size() != before;
  }
  return waits.empty();
}

/// Pairs each receive with the first message that would fit it except for `cause`.
std::vector<Change> Diagnoser::changes(const WaitGraph::Group& group, Cause cause) const {
  std::vector<Change> found;
  std::set<std::uint32_t> used;
  for (const std::uint32_t receive : alone_) {
    if (known_.verbs[receive].send || known_.verbs[receive].in_call) continue;
    for (const std::uint32_t send : alone_) {
      const bool ours = std::ranges::binary_search(group.open, receive) ||
                        std::ranges::binary_search(group.open, send);
      if (!known_.verbs[send].send || known_.verbs[send].in_call || !ours || used.contains(send))
        continue;
      if (!nearly_fits(known_.verbs[send], known_.verbs[receive], cause)) continue;
      used.insert(send);
      found.push_back(cause == Cause::destination ? Change{send, receive} : Change{receive, send});
      break;
    }
  }
  return found;
}

/// Returns how many messages (or receives) this change could be paired with.
std::ptrdiff_t Diagnoser::rivals(const Change& change, Cause cause) const {
  return ranges::count_if(alone_, [&](std::uint32_t other) {
    const auto& [changed, theirs] = std::pair(known_.verbs[change.verb], known_.verbs[other]);
    if (theirs.send == changed.send) return false;
    return changed.send ? nearly_fits(changed, theirs, cause) : nearly_fits(theirs, changed, cause);
  });
}

/// Returns whether another tag, communicator or peer (`cause`) would end the deadlock, and explains it. With `of_all`,
/// accepts only a change that shifts several verbs by the same number of ranks.
bool Diagnoser::change_helps(const WaitGraph::Group& group, Cause cause, Diagnosis& out,
                             bool of_all) const {
  const auto all = changes(group, cause);
  if (all.empty() || (of_all && shift_of(known_, all).empty())) return false;
  auto verbs = known_.verbs;
  for (const Change& change : all) apply(verbs, change, cause);
  const Matching matching(verbs);
  const auto ends = [&](std::uint32_t verb) { return matching.ends(verb); };
  // If for each receive only one message is left over that fits except for its tag, no other can have been meant.
  const bool only_one = cause == Cause::tag && ranges::any_of(out.roots, ends) &&
                        ranges::all_of(all, [&](auto& one) { return rivals(one, cause) == 1; });
  if (!(only_one || ranges::all_of(out.roots, ends)) || !goes_on(verbs, matching, group))
    return false;
  const auto ended = ranges::find_if(all, [&](const Change& change) {
    return (cause == Cause::source || cause == Cause::destination) &&
           has_ended(known_.verbs[change.verb].peer);
  });
  const Fault fault = ended == all.end() ? Fault::peer : fault_of(known_, recorded_, *ended);
  // The ended rank may as well have omitted its half, especially if several ranks wait for it.
  if (fault == Fault::missing ||
      (fault == Fault::unknown && (all.size() > 1 || rivals(all.front(), cause) > 1)))
    return false;
  out.cause = cause == Cause::tag && in_other_order(all.front()) ? Cause::order : cause;
  out.or_missing = fault == Fault::unknown;
  const bool behind = !out.cycle.empty() && known_.verbs[out.cycle.front()].send;
  if (cause == Cause::destination || (cause == Cause::source && behind) ||
      (only_one && !ends(out.roots.front())))
    out.blamed = all.front().verb;
  // Show the line to change, not another line of the same rank.
  for (std::uint32_t& root : out.cycle)
    for (const Change& change : all)
      if (known_.verbs[change.verb].rank == known_.verbs[root].rank &&
          known_.verbs[change.verb].peer == known_.verbs[root].peer)
        root = change.verb;
  if (!out.cycle.empty()) out.roots = out.cycle;
  explain_changes(known_, all, out);
  return true;
}

/// Returns whether swapping destination and tag lets the group go on, in the sends that name a receive's tag as their
/// destination and its rank as their tag.
bool Diagnoser::arguments_swapped(const WaitGraph::Group& group, Diagnosis& out) const {
  auto verbs = known_.verbs;
  std::vector<Change> swapped;
  for (const std::uint32_t receive : group.open) {
    const PostedVerb& wants = known_.verbs[receive];
    if (wants.send || wants.in_call) continue;
    for (const std::uint32_t send : alone_) {
      const PostedVerb& given = known_.verbs[send];
      if (!given.send || given.in_call || given.peer == given.tag || given.tag != wants.rank ||
          given.peer != wants.tag)
        continue;
      PostedVerb meant = given;
      meant.peer = given.tag;
      meant.tag = given.peer;
      if (!fits(meant, wants)) continue;
      verbs[send] = meant;
      swapped.push_back({send, receive});
    }
  }
  const Matching matching(verbs);
  if (swapped.empty() || !matching.ends(swapped.front().other) || !goes_on(verbs, matching, group))
    return false;
  out.cause = Cause::swapped;
  for (const Change& change : swapped) out.misdirected.push_back(change.verb);
  out.blamed = swapped.front().verb;
  explain_swapped(known_, swapped.front(), out);
  return true;
}

/// Returns whether a receive from any rank took the message of the blocked one, while another message is left over.
bool Diagnoser::was_taken(Diagnosis& out) const {
  int tries = 0;
  for (const std::uint32_t receive : out.roots) {
    const PostedVerb& wants = known_.verbs[receive];
    if (wants.send || wants.in_call) continue;
    for (std::uint32_t taker = 0; taker < known_.verbs.size(); ++taker) {
      const PostedVerb& took = known_.verbs[taker];
      if (took.got == kNoVerb || took.rank != wants.rank || !fits(known_.verbs[took.got], wants))
        continue;
      for (const std::uint32_t left : alone_) {
        if (!known_.verbs[left].send || !fits(known_.verbs[left], took)) continue;
        if (++tries > kMostTries) return false;
        auto verbs = known_.verbs;
        verbs[taker].got = left;
        if (!Matching(verbs).ends(receive)) continue;
        out.cause = Cause::taken;
        explain_taken(known_, receive, taker, out);
        return true;
      }
    }
  }
  return false;
}

/// Returns whether each side uses the other's tag in a later call.
bool Diagnoser::in_other_order(const Change& change) const {
  if (!known_.later_tags) return false;
  const auto later = [&](std::uint32_t verb, Tag tag) {
    const auto tags = known_.later_tags(verb);
    return ranges::find(tags, tag) != tags.end();
  };
  return later(change.verb, known_.verbs[change.other].tag) &&
         later(change.other, known_.verbs[change.verb].tag);
}

/// Returns whether the partner is a send or a receive of an ended rank, for which nobody waited.
bool Diagnoser::was_not_waited_for(const WaitGraph::Group& group, Diagnosis& out) const {
  for (const std::uint32_t verb : group.open) {
    const std::uint32_t partner = recorded_.partner(verb);
    if (partner == kNoVerb || !has_ended(known_.verbs[partner].rank)) continue;
    out.cause = Cause::no_wait;
    out.cycle.clear();
    out.roots = {verb};
    out.partner = partner;
    explain_no_wait(known_, out);
    return true;
  }
  return false;
}

/// Returns whether ranks are blocked in messages whose peers already stand in a collective that comes after those
/// messages.
bool Diagnoser::is_before_a_call(const WaitGraph::Group& group, Diagnosis& out) const {
  if (!known_.comes_to_call) return false;
  std::vector<std::uint32_t> first;
  std::uint32_t call = kNoVerb;
  for (const std::uint32_t verb : group.open) {
    const PostedVerb& one = known_.verbs[verb];
    if (one.in_call || one.peer < 0) continue;
    const auto theirs = ranges::find_if(group.open, [&](std::uint32_t other) {
      return known_.verbs[other].in_call && known_.verbs[other].rank == one.peer &&
             known_.comes_to_call(verb, other);
    });
    if (theirs == group.open.end()) continue;
    if (call == kNoVerb) call = *theirs;
    first.push_back(verb);
  }
  if (first.empty()) return false;
  Diagnosis messages;
  messages.roots = first;
  messages.followers = followers(known_, group, first);
  // A loop over all peers reaches the other messages in later passes.
  const bool in_turn =
      known_.goes_through_peers && ranges::any_of(first, known_.goes_through_peers);
  for (const Cause cause : {Cause::tag, Cause::communicator, Cause::source, Cause::destination})
    if (!(in_turn && (cause == Cause::source || cause == Cause::destination)) &&
        change_helps(group, cause, messages)) {
      out = std::move(messages);
      return true;
    }
  out = std::move(messages);
  out.cause = Cause::missing;
  explain_missing(known_, first.front(), call, out);
  return true;
}

/// Returns whether another rank waits for a message that a rank sends to itself.
bool Diagnoser::sends_to_itself(const WaitGraph::Group& group, Diagnosis& out) const {
  const std::uint32_t send = out.roots.front();
  // A loop over all ranks meets its own rank on the way.
  if (known_.goes_through_peers && known_.goes_through_peers(send)) return false;
  for (const std::uint32_t receive : group.open) {
    if (known_.verbs[receive].rank == known_.verbs[send].rank || known_.verbs[receive].send ||
        !nearly_fits(known_.verbs[send], known_.verbs[receive], Cause::destination))
      continue;
    out.cause = Cause::destination;
    explain_changes(known_, {{send, receive}}, out);
    out.cause = Cause::itself;
    return true;
  }
  return false;
}

/// Returns whether, at a line where ranks exchange with several neighbours, some exchange is one-sided.
bool Diagnoser::one_sided_pairs(Diagnosis& out) const {
  std::map<std::pair<Rank, std::uint32_t>, std::set<Rank>> peers;  // by rank and line
  for (const PostedVerb& one : known_.verbs)
    if (one.peer >= 0 && !one.in_call && one.site != 0)
      peers[{one.rank, one.site}].insert(one.peer);
  std::vector<std::uint32_t> pairs;  // the receive of each
  bool several = false;
  for (const std::uint32_t verb : alone_) {
    const PostedVerb& receive = known_.verbs[verb];
    if (receive.send || receive.peer < 0 || receive.in_call || receive.peer == receive.rank)
      continue;
    const bool sends = ranges::any_of(alone_, [&](std::uint32_t other) {
      const PostedVerb& send = known_.verbs[other];
      return send.send && send.rank == receive.rank && send.peer == receive.peer &&
             send.site == receive.site;
    });
    const auto theirs = peers.find({receive.peer, receive.site});
    if (!sends || theirs == peers.end() || theirs->second.contains(receive.rank)) continue;
    several |= peers.at({receive.rank, receive.site}).size() > 1 || theirs->second.size() > 1;
    pairs.push_back(verb);
  }
  const auto explains = [&](std::uint32_t root) {
    return ranges::any_of(pairs, [&](std::uint32_t pair) {
      return known_.verbs[pair].rank == known_.verbs[root].rank;
    });
  };
  if (!several || !ranges::any_of(out.roots, explains)) return false;
  out.cause = Cause::partners;
  explain_one_sided(known_, pairs, out);
  return true;
}

bool Diagnoser::unequal_partners(const WaitGraph::Group& group, Diagnosis& out) const {
  const auto odd = find_odd_pair(known_, out.roots);
  if (!odd || (out.cycle.size() == 2 && !known_.verbs[odd->odd].open))  // two that are a pair
    return three_at_one_line(group, out);
  out.cause = Cause::partners;
  explain_partners(known_, *odd, out);
  return true;
}

/// Returns whether three ranks stand in a send at one line: two send to each other, and the third sends to one of them.
bool Diagnoser::three_at_one_line(const WaitGraph::Group& group, Diagnosis& out) const {
  std::map<std::uint32_t, std::map<Rank, std::uint32_t>> by_line;
  for (const std::uint32_t verb : group.open) {
    const PostedVerb& one = known_.verbs[verb];
    // In a loop over all peers, each peer has its turn at another time.
    if (known_.goes_through_peers && known_.goes_through_peers(verb)) continue;
    if (one.send && !one.in_call && one.peer >= 0 && one.site != 0)
      by_line[one.site].try_emplace(one.rank, verb);
  }
  for (const auto& [site, of_rank] : by_line) {
    const auto partner = [&](Rank rank) {
      const auto at = of_rank.find(rank);
      return at == of_rank.end() ? Rank{-1} : known_.verbs[at->second].peer;
    };
    for (const auto& [rank, verb] : of_rank) {
      const Rank theirs = partner(partner(rank));
      if (theirs < 0 || theirs == rank || partner(theirs) != partner(rank)) continue;
      out.cause = Cause::partners;
      explain_partners(known_, {verb, of_rank.at(partner(rank))}, out);
      return true;
    }
  }
  return false;
}

/// Returns whether the cycle is a pipeline (each rank receives from the one before) whose first rank sends to the wrong
/// rank.
bool Diagnoser::first_of_pipeline(const WaitGraph::Group& group, Diagnosis& out) const {
  std::uint32_t send = kNoVerb, next = kNoVerb;
  std::set<std::pair<std::uint32_t, int>> lines;  // and their shift
  const int size = static_cast<int>(known_.ended.size());
  for (const std::uint32_t verb : out.cycle) {
    const PostedVerb& one = known_.verbs[verb];
    if (one.send && std::exchange(send, verb) != kNoVerb) return false;
    if (!one.send) lines.emplace(one.site, (one.rank - one.peer + size) % size);
  }
  if (send == kNoVerb || lines.size() != 1 || lines.begin()->first == 0) return false;
  for (const std::uint32_t verb : out.cycle)
    if (!known_.verbs[verb].send && known_.verbs[verb].peer == known_.verbs[send].rank) next = verb;
  if (next == kNoVerb) return false;
  auto verbs = known_.verbs;
  apply(verbs, {send, next}, Cause::destination);
  const Matching matching(verbs);
  if (!matching.ends(next) || !goes_on(verbs, matching, group)) return false;
  out.cause = Cause::destination;
  out.blamed = send;
  explain_changes(known_, {{send, next}}, out);
  return true;
}

/// Replays the cycle with two calls per rank, the blocked one and the next, swapped on one rank and on every other
/// rank.
void Diagnoser::try_other_order(Diagnosis& out) const {
  std::vector<std::deque<PostedVerb>> by_rank;
  for (const std::uint32_t verb : out.cycle) {
    const PostedVerb& one = known_.verbs[verb];
    const auto peer = known_.next_peer ? known_.next_peer(verb) : std::nullopt;
    if (!peer || one.send != known_.verbs[out.cycle.front()].send) return;
    const PostedVerb next{
        .rank = one.rank, .peer = *peer, .tag = one.tag, .context = one.context, .send = !one.send};
    by_rank.push_back({one, next});
  }
  const auto ends = [&](std::size_t step) {
    auto changed = by_rank;
    for (std::size_t place = 0; place < changed.size(); place += step)
      std::swap(changed[place].front(), changed[place].back());
    return ends_in_step(std::move(changed));
  };
  out.one_in_other_order = ends(by_rank.size());
  out.half_in_other_order = ends(2);
}

bool Diagnoser::buffering_helps(const WaitGraph::Group& group) const {
  auto verbs = known_.verbs;
  for (const std::uint32_t verb : group.open) {
    if (!verbs[verb].send) continue;
    if (has_ended(verbs[verb].peer)) return false;  // nobody would ever receive it
    verbs[verb].buffered = true;
  }
  return goes_on(verbs, Matching(verbs), group);
}

}  // namespace

std::vector<Diagnosis> diagnose(const Situation& situation) {
  return Diagnoser(situation).diagnose();
}

}  // namespace rankscope::matching
