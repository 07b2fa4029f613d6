// Groups the ranks that wait for each other, and tries on each group which change lets it go on.
#include "engine/analysis/matching/diagnosis.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "engine/analysis/matching/diagnosis_words.h"
#include "engine/analysis/matching/wait_graph.h"

namespace rankscope::matching {
namespace {

using Cause = Diagnosis::Cause;

constexpr std::size_t kMostAlone = 2'000;  // that are compared with each other
constexpr int kMostTries = 32;             // of receives from anybody that may have taken a message

/// The message and the receive would fit, were it not for this alone.
bool nearly_fits(const PostedVerb& send, const PostedVerb& receive, Cause but) {
  PostedVerb other = receive;
  switch (but) {
    case Cause::tag: other.tag = send.tag; break;
    case Cause::communicator: other.context = send.context; break;
    case Cause::source: other.peer = send.rank; break;
    case Cause::destination: {
      PostedVerb redirected = send;
      redirected.peer = receive.rank;
      return send.peer != receive.rank && fits(redirected, receive);
    }
    default: return false;
  }
  return !fits(send, receive) && fits(send, other);
}

void apply(std::vector<PostedVerb>& verbs, const Change& change, Cause cause) {
  PostedVerb& changed = verbs[change.verb];
  const PostedVerb other = verbs[change.other];
  if (cause == Cause::tag) changed.tag = other.tag;
  else if (cause == Cause::communicator) changed.context = other.context;
  else changed.peer = other.rank;  // a receive's source, a send's destination
}

class Diagnoser {
 public:
  explicit Diagnoser(const Situation& situation)
      : known_(situation), recorded_(situation.verbs), graph_(situation) {
    for (std::uint32_t i = 0; i < known_.verbs.size(); ++i)
      if (recorded_.partner(i) == kNoVerb && alone_.size() < kMostAlone) alone_.push_back(i);
    // By rank, not by who came first: the same fault is explained in the same words each time.
    std::ranges::stable_sort(alone_, {},
                             [this](std::uint32_t verb) { return known_.verbs[verb].rank; });
  }
  std::vector<Diagnosis> diagnose();

 private:
  Diagnosis diagnose(const WaitGraph::Group& group);
  bool change_helps(const WaitGraph::Group& group, Cause cause, Diagnosis& out) const;
  std::vector<Change> changes(const WaitGraph::Group& group, Cause cause) const;
  std::ptrdiff_t rivals(const Change& change, Cause cause) const;
  bool was_taken(Diagnosis& out) const;
  bool unequal_partners(const WaitGraph::Group& group, Diagnosis& out) const;
  bool buffering_helps(const WaitGraph::Group& group) const;
  bool has_ended(Rank rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < known_.ended.size() &&
           known_.ended[static_cast<std::size_t>(rank)];
  }
  bool goes_on(const std::vector<PostedVerb>& verbs, const Matching& matching,
               const WaitGraph::Group& group) const;

  const Situation& known_;
  const Matching recorded_;
  const WaitGraph graph_;
  std::vector<std::uint32_t> alone_;  ///< Sends and receives that met nothing.
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
  std::set<Rank> named;
  for (const std::uint32_t root : out.roots) named.insert(known_.verbs[root].rank);
  for (const std::uint32_t verb : group.open)
    if (named.insert(known_.verbs[verb].rank).second) out.followers.push_back(verb);
  std::ranges::sort(out.followers, {},
                    [this](std::uint32_t verb) { return known_.verbs[verb].rank; });
  const bool reproduced =
      std::ranges::all_of(group.open, [&](std::uint32_t verb) { return !recorded_.ends(verb); });
  if (!reproduced || out.roots.empty()) {  // events are missing
    explain_cycle(known_, out);
    return out;
  }
  const PostedVerb& first = known_.verbs[out.roots.front()];
  if (out.cycle.size() == 1 && first.peer == first.rank) out.cause = Cause::itself;
  const auto in_call = [&](std::uint32_t verb) { return known_.verbs[verb].in_call; };
  if (out.cause == Cause::unknown && std::ranges::any_of(out.roots, in_call) && !out.cycle.empty())
    out.cause = Cause::call;
  if (out.cause != Cause::unknown) {
    explain_cycle(known_, out);
    return out;
  }
  for (const Cause cause : {Cause::tag, Cause::communicator})
    if (change_helps(group, cause, out)) return out;
  if (was_taken(out)) return out;
  for (const Cause cause : {Cause::source, Cause::destination})
    if (change_helps(group, cause, out)) return out;
  if (out.cycle.empty()) {
    std::vector<bool> met(known_.verbs.size());
    for (std::uint32_t i = 0; i < met.size(); ++i) met[i] = recorded_.partner(i) != kNoVerb;
    out.cause = Cause::ended;
    explain_ended(known_, met, out);
    return out;
  }
  if (unequal_partners(group, out)) return out;
  const auto sends = [&](std::uint32_t verb) { return known_.verbs[verb].send; };
  if (std::ranges::any_of(out.cycle, sends)) {
    if (buffering_helps(group)) out.cause = Cause::sends;
  } else {
    out.cause = Cause::receives;
  }
  explain_cycle(known_, out);
  return out;
}

/// Who could go on would call something that nobody knows; who waits for one of those may wait no longer than that.
bool Diagnoser::goes_on(const std::vector<PostedVerb>& verbs, const Matching& matching,
                        const WaitGraph::Group& group) const {
  std::map<Rank, std::vector<std::uint32_t>> waits;
  for (const std::uint32_t verb : group.open)
    if (!matching.ends(verb)) waits[verbs[verb].rank].push_back(verb);
  const auto may_come = [&](std::uint32_t verb) {
    const Rank peer = verbs[verb].peer;
    if (peer >= 0) return !has_ended(peer) && !waits.contains(peer);
    return std::ranges::any_of(
        group.ranks, [&](Rank rank) { return rank != verbs[verb].rank && !waits.contains(rank); });
  };
  for (bool changed = true; changed && !waits.empty();) {
    const auto before = waits.size();
    std::erase_if(
        waits, [&](const auto& of_rank) { return std::ranges::all_of(of_rank.second, may_come); });
    changed = waits.size() != before;
  }
  return waits.empty();
}

/// Each receive with the first message that would fit it, were it not for `cause`.
std::vector<Change> Diagnoser::changes(const WaitGraph::Group& group, Cause cause) const {
  std::vector<Change> found;
  std::set<std::uint32_t> used;
  const auto in_group = [&](std::uint32_t verb) {
    return std::ranges::binary_search(group.open, verb);
  };
  for (const std::uint32_t receive : alone_) {
    if (known_.verbs[receive].send || known_.verbs[receive].in_call) continue;
    for (const std::uint32_t send : alone_) {
      const bool ours = in_group(receive) || in_group(send);
      if (!known_.verbs[send].send || !ours || used.contains(send)) continue;
      if (!nearly_fits(known_.verbs[send], known_.verbs[receive], cause)) continue;
      used.insert(send);
      found.push_back(cause == Cause::destination ? Change{send, receive} : Change{receive, send});
      break;
    }
  }
  return found;
}

/// How many messages (or receives) would do for the change.
std::ptrdiff_t Diagnoser::rivals(const Change& change, Cause cause) const {
  return std::ranges::count_if(alone_, [&](std::uint32_t other) {
    const auto& [changed, theirs] = std::pair(known_.verbs[change.verb], known_.verbs[other]);
    if (theirs.send == changed.send) return false;
    return changed.send ? nearly_fits(changed, theirs, cause) : nearly_fits(theirs, changed, cause);
  });
}

bool Diagnoser::change_helps(const WaitGraph::Group& group, Cause cause, Diagnosis& out) const {
  const auto all = changes(group, cause);
  if (all.empty()) return false;
  auto verbs = known_.verbs;
  for (const Change& change : all) apply(verbs, change, cause);
  const Matching matching(verbs);
  const auto ends = [&](std::uint32_t verb) { return matching.ends(verb); };
  if (!std::ranges::all_of(out.roots, ends) || !goes_on(verbs, matching, group)) return false;
  const auto ended = std::ranges::find_if(all, [&](const Change& change) {
    return (cause == Cause::source || cause == Cause::destination) &&
           has_ended(known_.verbs[change.verb].peer);
  });
  // Whoever ended may just as well have left out its own half, above all where several ranks wait for theirs.
  if (ended != all.end() && (all.size() > 1 || rivals(all.front(), cause) > 1)) return false;
  out.cause = cause;
  out.or_missing = ended != all.end();
  if (cause == Cause::destination) out.blamed = all.front().verb;
  for (std::uint32_t& root :
       out.cycle)  // the line to be changed, rather than another one of the same rank
    for (const Change& change : all)
      if (known_.verbs[change.verb].rank == known_.verbs[root].rank &&
          known_.verbs[change.verb].peer == known_.verbs[root].peer)
        root = change.verb;
  if (!out.cycle.empty()) out.roots = out.cycle;
  explain_changes(known_, all, out);
  return true;
}

/// A receive from anybody got the message of the one that is blocked, while another message is left over.
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

/// All stand at one line in a send: two have each other, and a third one has one of these.
bool Diagnoser::unequal_partners(const WaitGraph::Group& group, Diagnosis& out) const {
  std::map<std::uint32_t, std::map<Rank, std::uint32_t>> by_line;
  for (const std::uint32_t verb : group.open) {
    const PostedVerb& one = known_.verbs[verb];
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
      explain_partners(known_, verb, of_rank.at(partner(rank)), out);
      return true;
    }
  }
  return false;
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
