// Who is blocked for ever: cycles, unmatched messages and receives, lost ranks.
#include <algorithm>
#include <deque>
#include <span>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/fault.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

/// A send or a receive that was still open at the end.
struct OpenOperation {
  std::uint64_t event = 0;  ///< At which it was posted.
  Rank rank = -1, peer = -1;
  Tag tag = 0;
  ContextId context = 0;
  bool send = false;
  bool in_call = false;  ///< Of the inside of a built-in, or of split.
};

class Waiting {
 public:
  Waiting(const TraceOperations& facts, Report& report) : facts_(facts), report_(report) {}
  void find();

 private:
  void find_open();
  void find_deadlock();
  void find_unmatched();
  std::vector<std::size_t> shortest_cycle() const;
  std::vector<std::size_t> cycle_through(Rank start) const;
  void add_self(const OpenOperation& one);
  void add_unreceived(const OpenOperation& send);
  void add_unmatched(const OpenOperation& receive);
  bool add_early_exit(const OpenOperation& one);
  const OpenOperation* nearly(const OpenOperation& one) const;

  const TraceOperations& facts_;
  Report& report_;
  std::vector<OpenOperation> open_;  ///< What a rank may wait in: receives and rendezvous sends.
  std::vector<OpenOperation> unmatched_sends_;  ///< Sends that are done as far as the sender knows.
  std::map<Rank, std::vector<std::size_t>> of_rank_;  ///< Of open_.
  std::vector<bool> in_cycle_;                        ///< By open_.
};

void Waiting::find_open() {
  for (const Operation& one : facts_.operations) {
    const bool touched =
        one.matched != kNoEvent || one.completed != kNoEvent || one.partner != kNone;
    const bool alone = one.send && one.completed != kNoEvent && one.partner == kNone &&
                       one.peer >= 0 && one.peer < facts_.trace.world_size();
    if (touched && !alone) continue;
    const OpenOperation open{one.posted,
                             one.rank,
                             one.peer,
                             one.tag,
                             facts_.context(facts_.posted(one)),
                             one.send,
                             one.built_in || one.sync};
    (touched ? unmatched_sends_ : open_).push_back(open);
  }
  // By rank, not by who came first: the same fault is reported in the same words each time.
  std::ranges::stable_sort(open_, {}, &OpenOperation::rank);
  std::ranges::stable_sort(unmatched_sends_, {}, &OpenOperation::rank);
  for (std::size_t i = 0; i < open_.size(); ++i) of_rank_[open_[i].rank].push_back(i);
  in_cycle_.assign(open_.size(), false);
}

// By operations, so that each step of the circle knows its line. Breadth first: the shortest.
std::vector<std::size_t> Waiting::cycle_through(Rank start) const {
  constexpr auto kNothing = std::span<const std::size_t>();
  std::map<Rank, std::size_t> reached;  // by which operation
  std::deque<Rank> next{start};
  while (!next.empty()) {
    const Rank rank = next.front();
    next.pop_front();
    const auto waits = of_rank_.find(rank);
    for (const std::size_t i : waits == of_rank_.end() ? kNothing : std::span(waits->second)) {
      if (open_[i].peer < 0) continue;
      if (open_[i].peer == start) {
        std::vector<std::size_t> cycle{i};
        while (open_[cycle.back()].rank != start)
          cycle.push_back(reached.at(open_[cycle.back()].rank));
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (reached.try_emplace(open_[i].peer, i).second) next.push_back(open_[i].peer);
    }
  }
  return {};
}

std::vector<std::size_t> Waiting::shortest_cycle() const {
  std::vector<std::size_t> best;
  for (Rank rank = 0; rank < facts_.trace.world_size(); ++rank) {
    if (best.size() == 1 || best.size() == 2) break;  // a shorter one is no better to read
    auto cycle = cycle_through(rank);
    if (!cycle.empty() && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
  }
  return best;
}

/// What the program itself did of a step of the circle.
std::string step_text(const OpenOperation& one, const std::string& at) {
  const char* verb = one.in_call ? "waits for" : one.send ? "sends to" : "receives from";
  return fmt::format("rank {} {} rank {}{}", one.rank, verb, one.peer, at);
}

void Waiting::find_deadlock() {
  const auto cycle = shortest_cycle();
  if (cycle.empty()) return;
  for (const std::size_t i : cycle) in_cycle_[i] = true;
  if (cycle.size() == 1) return add_self(open_[cycle[0]]);
  Finding found(Kind::deadlock);
  bool sends = false, in_call = false;
  std::string steps;
  for (const std::size_t i : cycle) {
    const OpenOperation& one = open_[i];
    sends |= one.send && !one.in_call;
    in_call |= one.in_call;
    found.ranks.push_back(one.rank);
    found.events.push_back(one.event);
    if (found.ranks.size() <= 4)
      steps += (steps.empty() ? "" : ", ") + step_text(one, facts_.at(one.event));
  }
  if (cycle.size() > 4) steps += " and so on";
  found.site = facts_.site(found.events[0]);
  found.what = fmt::format("{} ranks wait for each other: {}", cycle.size(), steps);
  if (in_call) {
    found.why = "A collective ends when all ranks of its communicator have come to it.";
    found.advice =
        "Let all ranks make the same calls, in the same order, with no message between "
        "them that waits for a rank that is in the call already.";
  } else {
    found.why =
        sends ? "A rendezvous send ends when its receive has begun, and each of these ranks "
                "comes to its receive only after its send."
              : "Each of these ranks sends only after it has received, so nobody sends first.";
    found.advice = sends ? "Let one of the ranks receive first, or use isend or sendrecv."
                         : "Let one of the ranks send before it receives, or use sendrecv.";
  }
  if (report_.has(Kind::mismatched_call)) found.advice = report_.follows();
  report_.add(std::move(found));
}

void Waiting::add_self(const OpenOperation& one) {
  Finding found(Kind::self_send);
  found.ranks = {one.rank, one.rank};
  found.events = {one.event, one.event};
  found.site = facts_.site(one.event);
  const bool waits = !facts_.has_ended(one.rank) &&
                     std::ranges::count(open_, one.event, &OpenOperation::event) > 0;
  const std::string verb = one.send ? "sends to" : "receives from";
  const std::string where = facts_.at(one.event);
  found.what = waits ? fmt::format("rank {} waits for itself: it {} itself (tag {}){}", one.rank,
                                   verb, one.tag, where)
                     : fmt::format("rank {} {} itself (tag {}){}, and the other half never comes",
                                   one.rank, verb, one.tag, where);
  found.why = "A rank that waits in one of the two cannot come to the other.";
  found.advice =
      "Copy the data instead of sending them, and check how the peer is computed: "
      "(rank + 1) % size, not rank.";
  report_.add(std::move(found));
}

/// The other side as it should have been, except for its tag.
const OpenOperation* Waiting::nearly(const OpenOperation& one) const {
  const auto fits = [&](const OpenOperation& other) {
    return other.send != one.send && other.context == one.context &&
           (other.peer == one.rank || other.peer < 0) && (one.peer == other.rank || one.peer < 0) &&
           other.tag != one.tag;
  };
  for (const auto* list : {&open_, &unmatched_sends_})
    if (const auto found = std::ranges::find_if(*list, fits); found != list->end()) return &*found;
  return nullptr;
}

void Waiting::add_unreceived(const OpenOperation& send) {
  if (!report_.room(Kind::unreceived)) return report_.count(Kind::unreceived);
  if (send.peer == send.rank) return add_self(send);
  Finding found(Kind::unreceived);
  found.severity = facts_.ran_through() ? Severity::warning : Severity::error;
  found.ranks = {send.rank, send.peer};
  found.events = {send.event, kNoEvent};
  found.site = facts_.site(send.event);
  found.what =
      fmt::format("no receive matched the message from rank {} to rank {} (tag {}), sent{}",
                  send.rank, send.peer, send.tag, facts_.at(send.event));
  found.why = "Every send needs a receive with its sender, tag and communicator.";
  if (const OpenOperation* other = nearly(send)) {
    found.events[1] = other->event;
    found.advice = fmt::format("Rank {} waits for tag {}{}: give both the same tag.", other->rank,
                               other->tag, facts_.at(other->event));
  } else if (!report_.follows().empty()) {
    found.advice = report_.follows();
  } else {
    found.advice = fmt::format("Add the receive to rank {}, or leave the send out.", send.peer);
  }
  report_.add(std::move(found));
}

/// The one that it waits for has ended: what it waits for will never come.
bool Waiting::add_early_exit(const OpenOperation& one) {
  if (!facts_.has_ended(one.peer) || facts_.has_ended(one.rank)) return false;
  Finding found(Kind::early_exit);
  found.ranks = one.send ? std::vector{one.rank, one.peer} : std::vector{one.peer, one.rank};
  found.events = {one.event, one.event};
  found.events[one.send ? 1 : 0] = facts_.ended[static_cast<std::size_t>(one.peer)];
  found.site = facts_.site(one.event);
  const std::string where = facts_.at(one.event);
  found.what =
      one.send ? fmt::format("rank {} ended while rank {} still waits to send to it (tag {}){}",
                             one.peer, one.rank, one.tag, where)
               : fmt::format("rank {} ended while rank {} still waits for its message (tag {}){}",
                             one.peer, one.rank, one.tag, where);
  found.why = one.send ? "A rendezvous send ends when its receive has begun; that rank will never "
                         "post one."
                       : "A rank that has ended sends nothing any more.";
  found.advice = fmt::format(
      "Add the {} to rank {}, or leave this out; does a loop end one step "
      "too early, or a condition leave that rank out?",
      one.send ? "receive" : "send", one.peer);
  report_.add(std::move(found));
  return true;
}

void Waiting::add_unmatched(const OpenOperation& receive) {
  if (!report_.room(Kind::unmatched)) return report_.count(Kind::unmatched);
  if (receive.peer == receive.rank) return add_self(receive);
  const OpenOperation* const other = nearly(receive);
  const bool follows = !report_.follows().empty();
  if (other == nullptr && !follows && add_early_exit(receive)) return;
  Finding found(Kind::unmatched);
  found.severity = facts_.has_ended(receive.rank) ? Severity::warning : Severity::error;
  found.ranks = {receive.peer, receive.rank};
  found.events = {kNoEvent, receive.event};
  found.site = facts_.site(receive.event);
  const std::string where = facts_.at(receive.event);
  const std::string from = receive.peer < 0 ? "any rank" : fmt::format("rank {}", receive.peer);
  found.what = receive.send
                   ? fmt::format("rank {} waits with its send to {} (tag {}){}", receive.rank, from,
                                 receive.tag, where)
                   : fmt::format("no send matched the receive of rank {} from {} (tag {}){}",
                                 receive.rank, from, receive.tag, where);
  found.why = receive.send
                  ? "A rendezvous send ends when its receive has begun."
                  : "A receive waits until a message with its sender, tag and communicator "
                    "has come.";
  if (other != nullptr) {
    found.events[0] = other->event;
    found.advice = fmt::format("Rank {} has one with tag {}{}: give both the same tag.",
                               other->rank, other->tag, facts_.at(other->event));
  } else if (follows) {
    found.advice = report_.follows();
  } else {
    found.advice = fmt::format("Add the {} to {}, or leave this out.",
                               receive.send ? "receive" : "send", from);
  }
  report_.add(std::move(found));
}

// What stayed open inside of calls that do not agree says nothing more.
void Waiting::find_unmatched() {
  const bool calls_reported = report_.has(Kind::mismatched_call);
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (!in_cycle_[i] && !(calls_reported && open_[i].in_call)) add_unmatched(open_[i]);
  for (const OpenOperation& send : unmatched_sends_)
    if (!(calls_reported && send.in_call)) add_unreceived(send);
}

void Waiting::find() {
  if (facts_.status == "timeout") return;  // nobody knows what would have come
  find_open();
  if (facts_.status == "deadlock" || facts_.status.empty()) find_deadlock();
  find_unmatched();
}

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Finding lost(const TraceOperations& facts, Rank rank) {
  Finding found(Kind::lost_rank);
  found.ranks = {rank};
  std::uint64_t last = kNoEvent;
  for (std::uint64_t k = facts.trace.size(); k-- > 0 && last == kNoEvent;)
    if (facts.trace[k].rank == rank) last = k;
  found.events = {last};
  if (last != kNoEvent) found.site = facts.site(last);
  return found;
}

/// Calls `take` with each object of a list of the result that names a rank.
template <class Take>
void each_rank(const nlohmann::json& result, const char* list, Take take) {
  if (!result.is_object()) return;
  const auto all = result.find(list);
  if (all == result.end() || !all->is_array()) return;
  for (const auto& one : *all)
    if (one.is_object() && one.contains("rank") && one["rank"].is_number_integer())
      take(one, one["rank"].get<Rank>());
}

}  // namespace

void find_lost(const TraceOperations& facts, Report& report) {
  each_rank(facts.result, "failures", [&](const nlohmann::json& failure, Rank rank) {
    Finding found = lost(facts, rank);
    found.what = fmt::format("rank {} {}", rank, text_of(failure, "what"));
    if (const auto where = text_of(failure, "where"); !where.empty())
      found.what += fmt::format("; it was {}", where);
    found.why = "The other ranks need its messages, so nobody could go on.";
    found.advice = "Look at its last events, and run again: the ranks are restarted.";
    report.add(std::move(found));
  });
  if (report.has(Kind::lost_rank) || std::ranges::any_of(kFindingKinds, [&](auto& row) {
        return row.fails && report.has(row.kind);
      }))
    return;  // what they failed of was reported
  each_rank(facts.result, "ranks", [&](const nlohmann::json& outcome, Rank rank) {
    const std::string error = text_of(outcome, "error");
    const RankFault fault = fault_of(text_of(outcome, "fault"), rank, error);
    if (error.empty() || fault == RankFault::stopped) return;
    Finding found = lost(facts, rank);
    found.what = fault == RankFault::own ? fmt::format("rank {} failed: {}", rank, error) : error;
    found.why = "A rank that fails sends nothing any more, so the others could not go on.";
    found.advice = "Look at the line that failed, and at the rank's last events.";
    report.add(std::move(found));
  });
}

void find_waiting(const TraceOperations& facts, Report& report) { Waiting(facts, report).find(); }

}  // namespace rankscope::finder
