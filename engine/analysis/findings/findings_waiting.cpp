// Finds ranks that are blocked for ever, and messages and receives that stayed alone.
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/findings/loop_turns.h"
#include "engine/analysis/findings/run_situation.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/matching/diagnosis.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;
using matching::Diagnosis;
using Cause = Diagnosis::Cause;

std::string tag_text(const Operation& one) {
  return one.tag == kAnyTag ? std::string() : fmt::format(" (tag {})", one.tag);
}

class Waiting {
 public:
  Waiting(const TraceOperations& facts, Report& report)
      : facts_(facts), report_(report), situation_(facts) {}
  void find();

 private:
  void find_blocked();
  void find_alone();
  void add(const Diagnosis& diagnosis);
  void add_cycle(const Diagnosis& diagnosis);
  void add_dead_end(const Diagnosis& diagnosis, std::uint32_t root);
  void add_uncalled(const Operation& one, Finding& found) const;
  void name_send_to_others(const Operation& one, Finding& found) const;
  void name_same_branch(const Operation& one, const Operation& other, Finding& found) const;
  void add_never_called(const Diagnosis& diagnosis, const Operation& one);
  void add_self(std::uint32_t verb, const Diagnosis& diagnosis = {});
  void add_no_wait(const Diagnosis& diagnosis);
  void add_unreceived(std::uint32_t send);
  Finding unreceived(std::uint32_t send) const;
  void add_unmatched(std::uint32_t receive);
  void add_never_waited(const Operation& one);
  std::string followers_text(const Diagnosis& diagnosis) const;
  std::uint32_t other_tag(std::uint32_t one) const;

  const Operation& operation(std::uint32_t verb) const { return facts_.operations[verb]; }
  static bool untouched(const Operation& one) { return RunSituation::untouched(one); }
  /// Returns whether an earlier finding explains the operations left open inside collectives.
  bool explains_calls() const {
    return report_.has(Kind::mismatched_call) || report_.has(Kind::never_called) ||
           ranges::any_of(facts_.notes,
                          [&](std::uint64_t k) { return is_dropped_call(facts_.trace[k]); });
  }

  const TraceOperations& facts_;
  Report& report_;
  const RunSituation situation_;
  const matching::Situation& run_ = situation_.run();
  /// A cycle of waits, and the ranks of others that wait at the same lines.
  struct Cycle {
    Finding finding;
    std::vector<Rank> others;
  };
  std::vector<std::pair<std::set<std::string>, Cycle>> cycles_;  ///< By the lines of their waits.
  std::set<std::uint32_t> explained_sends_;  ///< Whose destination a finding already calls wrong.
  std::set<Rank> explained_ranks_;           ///< Blocked ranks that a finding already explains.
};

void Waiting::find_blocked() {
  for (const Diagnosis& one : matching::diagnose(run_)) add(one);
  for (auto& [lines, cycle] : cycles_) {
    if (!cycle.others.empty())
      cycle.finding.what += fmt::format("; {} likewise", rank_list(cycle.others));
    report_.add(std::move(cycle.finding));
  }
}

void Waiting::add(const Diagnosis& diagnosis) {
  if (diagnosis.roots.empty()) return;  // they wait for a rank that failed
  const bool itself = diagnosis.cause == Cause::itself;
  explained_sends_.insert(diagnosis.misdirected.begin(), diagnosis.misdirected.end());
  for (const std::uint32_t verb : diagnosis.roots) explained_ranks_.insert(operation(verb).rank);
  if (itself) return add_self(diagnosis.roots.front(), diagnosis);
  for (const std::uint32_t verb : diagnosis.followers)
    explained_ranks_.insert(operation(verb).rank);
  if (diagnosis.cause == Cause::no_wait) return add_no_wait(diagnosis);
  if (!diagnosis.cycle.empty()) return add_cycle(diagnosis);
  std::map<Rank, std::uint32_t> stands;  // by rank, its last posted operation: it is blocked there
  for (const std::uint32_t root : diagnosis.roots) stands[operation(root).rank] = root;
  for (const auto& [rank, root] : stands) add_dead_end(diagnosis, root);
}

/// "; rank 2 waits for them at worker.py:9"
std::string Waiting::followers_text(const Diagnosis& diagnosis) const {
  if (diagnosis.followers.empty()) return {};
  std::vector<Rank> ranks;
  for (const std::uint32_t verb : diagnosis.followers) ranks.push_back(operation(verb).rank);
  const bool one = ranks.size() == 1;
  return fmt::format("; {} {} for {}{}", rank_list(ranks), one ? "waits" : "wait",
                     diagnosis.roots.size() == 1 ? "it" : "these",
                     one ? facts_.at(operation(diagnosis.followers.front()).posted) : "");
}

void Waiting::add_cycle(const Diagnosis& diagnosis) {
  Finding found(Kind::deadlock);
  std::string steps;
  std::set<std::string> lines;
  for (const std::uint32_t verb : diagnosis.cycle) {
    lines.insert(facts_.site(operation(verb).posted));
    found.ranks.push_back(operation(verb).rank);
    found.events.push_back(operation(verb).posted);
    if (found.ranks.size() <= 4)
      steps += (steps.empty() ? "" : ", ") + matching::verb_text(run_, verb);
  }
  if (diagnosis.cycle.size() > 4) steps += " and so on";
  const std::uint32_t blamed = diagnosis.blamed;
  found.site =
      facts_.site(blamed == matching::kNoVerb ? found.events[0] : operation(blamed).posted);
  found.what = fmt::format("{} ranks wait for each other: {}{}", diagnosis.cycle.size(), steps,
                           followers_text(diagnosis));
  found.why = diagnosis.why;
  found.advice = diagnosis.advice;
  if (report_.has(Kind::mismatched_call)) found.advice = info(Kind::mismatched_call).follows;
  else if (diagnosis.cause == Cause::receives && diagnosis.cycle.size() == 2)
    name_same_branch(operation(diagnosis.cycle[0]), operation(diagnosis.cycle[1]), found);
  else if (diagnosis.cause == Cause::call)
    for (const std::uint32_t verb : diagnosis.cycle)
      if (!operation(verb).inside() && explain_left_loop(facts_, operation(verb), found)) break;
  const auto same = ranges::find(cycles_, lines, [](const auto& one) { return one.first; });
  if (same == cycles_.end() || diagnosis.cycle.size() != same->second.finding.ranks.size() ||
      lines.contains(""))
    cycles_.push_back({std::move(lines), {std::move(found), {}}});
  else
    same->second.others.insert(same->second.others.end(), found.ranks.begin(), found.ranks.end());
}

/// Names the condition by which two ranks that exchange with each other both come to the branch that receives first.
void Waiting::name_same_branch(const Operation& one, const Operation& other, Finding& found) const {
  const SourceText text(facts_.trace, one.site);
  const std::string peer = call_text_of(text, text.line_number(), false).peer;
  if (one.site != other.site || !text.is_cpp() || peer.empty() || !ranges::all_of(peer, in_name))
    return;
  std::size_t at = text.line_number();
  const auto is_below = [&](std::string_view begin) {
    const auto inside = indentation(text.here());
    while (at-- > 1 && (trimmed(text.line(at)).empty() || indentation(text.line(at)) >= inside)) {
    }
    return trimmed(text.line(at)).starts_with(begin);
  };
  if (!is_below("} else {")) return;
  const std::size_t otherwise = at;
  if (!is_below("if (")) return;
  const std::size_t branch = at;
  while (++at < otherwise && call_text_of(text, at, true).verb.empty())
    if (!call_text_of(text, at, false).verb.empty()) return;
  if (call_text_of(text, at, true).peer != peer) return;
  const auto condition = trimmed(text.line(branch)).substr(4);
  const auto name = first_name(condition);
  std::size_t line = condition.substr(name.size()).starts_with(')') ? branch : 0;
  while (line > 0 && text.code(line).find(fmt::format(" {} = ", name)) == std::string::npos) --line;
  found.site = text.site(line > 0 ? line : branch);
  found.why += fmt::format(
      " They exchange with each other, and both come to {}; the branch at {} "
      "sends first.",
      text.site(text.line_number()), text.site(branch));
  found.advice = fmt::format("Let the condition at {} be true on one of each two: rank < {}.",
                             found.site, peer);
}

/// Reports a rank blocked on an ended rank, or in a receive from any rank.
void Waiting::add_dead_end(const Diagnosis& diagnosis, std::uint32_t root) {
  const Operation& one = operation(root);
  if (one.inside() && explains_calls()) return;
  const bool idle = facts_.is_idle(one.peer), ended = diagnosis.cause == Cause::ended;
  if (ended && idle) return add_never_called(diagnosis, one);
  const bool other_peer = diagnosis.cause == Cause::source || diagnosis.cause == Cause::destination;
  // An actor that waits for another actor's result is not idle.
  const bool uncalled =
      idle && facts_.trace[facts_.stays[static_cast<std::size_t>(one.peer)]].peer != one.peer;
  const bool early = (ended && facts_.has_ended(one.peer)) ||
                     (other_peer && (uncalled || facts_.has_ended(one.peer)));
  const Kind kind = early                                           ? Kind::early_exit
                    : one.send && diagnosis.cause == Cause::missing ? Kind::unreceived
                                                                    : Kind::unmatched;
  report_.add_at(one.site, 0, kind, [&] {
    Finding found(kind);
    found.ranks = one.send ? std::vector{one.rank, one.peer} : std::vector{one.peer, one.rank};
    found.events = {one.posted, one.posted};
    const std::uint64_t end = early ? facts_.ended[static_cast<std::size_t>(one.peer)] : kNoEvent;
    found.events[one.send ? 1 : 0] = end;
    const std::uint32_t blamed = diagnosis.blamed;
    found.site = facts_.site(blamed == matching::kNoVerb ? one.posted : operation(blamed).posted);
    if (early)
      found.what = fmt::format("rank {} {} while rank {} still waits {}{}{}", one.peer,
                               uncalled ? "is in no call" : "ended", one.rank,
                               one.send ? "to send to it" : "for its message", tag_text(one),
                               facts_.at(one.posted));
    else
      found.what = fmt::format("{}, and no {} fits", matching::verb_text(run_, root),
                               one.send ? "receive" : "message");
    found.what += followers_text(diagnosis);
    found.why = diagnosis.why;
    found.advice = diagnosis.advice;
    const auto* const left = early ? noted_of(facts_, one.peer) : nullptr;
    if (left != nullptr) {
      found.what += "; " + left->what;
      if (!left->why.empty()) found.why = left->why;
      found.advice = left->advice;
    } else if (ended && !diagnosis.roots.empty() && root != diagnosis.roots.front()) {
      auto words = matching::ended_words(run_, root);
      found.why = std::move(words.why);
      found.advice = std::move(words.advice);
    }
    if (early && left == nullptr && explain_count(facts_, one, found)) return found;
    if (kind == Kind::unmatched && !one.send && one.peer < 0) explain_left_out(facts_, one, found);
    if (early && ended && !explain_left_loop(facts_, one, found) && !one.send)
      name_send_to_others(one, found);
    if (early && !one.send) add_uncalled(one, found);
    return found;
  });
}

/// Names the send of an ended rank whose messages the same receive takes on other ranks, but which never goes to this one.
void Waiting::name_send_to_others(const Operation& one, Finding& found) const {
  struct Goal {
    std::uint64_t last = 0;
    std::set<Rank> ranks;
    bool fits = true;  ///< All of them.
  };
  std::map<std::uint32_t, Goal> by_site;
  for (const Operation& send : facts_.operations) {
    if (send.rank != one.peer || !send.send || send.inside()) continue;
    Goal& goal = by_site[send.site];
    goal.last = send.posted;
    goal.ranks.insert(send.peer);
    goal.fits &= send.partner != kNone && operation(send.partner).site == one.site;
  }
  const Goal* last = nullptr;
  for (const auto& [site, goal] : by_site)
    if (goal.fits && !goal.ranks.contains(one.rank) && (last == nullptr || goal.last > last->last))
      last = &goal;
  if (last == nullptr) return;
  const std::string others = rank_list(std::vector<Rank>(last->ranks.begin(), last->ranks.end()));
  found.site = facts_.site(last->last);
  found.why += fmt::format(" Its send{} goes to {} only, where the receive{} takes it.",
                           facts_.at(last->last), others, facts_.at(one.posted));
  const SourceText text(facts_.trace, facts_.trace[last->last].site);
  const std::size_t loop = text.is_cpp() ? 0 : text.loop_of(text.line_number());
  found.advice = fmt::format(
      "Let the send{} go to rank {}, too: does its loop{} end too early, or a condition leave that "
      "rank out? Or leave the receive out on rank {}.",
      facts_.at(last->last), one.rank,
      loop == 0 ? "" : fmt::format(" in line {} ({})", loop, trimmed(text.code(loop))), one.rank);
}

/// Names the collective that an ended rank was the root of, and to which the rank that waits for its message has not come.
void Waiting::add_uncalled(const Operation& one, Finding& found) const {
  const auto is_of = [&](const BuiltInCall& call, Rank rank) {
    return call.rank == rank &&
           facts_.context(facts_.trace[call.begins]) == facts_.context(facts_.trace[one.posted]);
  };
  auto made = ranges::count_if(facts_.calls, [&](auto& call) { return is_of(call, one.rank); });
  for (const BuiltInCall& call : facts_.calls) {
    const StepEvent& event = facts_.trace[call.begins];
    if (!is_of(call, one.peer) || made-- > 0) continue;
    if (event.peer != one.peer) return;
    const std::string name = called_collective(facts_.trace, event);
    const std::string where = facts_.site(call.begins);
    found.why += fmt::format(" Rank {} calls {}{}, to which rank {} has not come.", one.peer, name,
                             where.empty() ? "" : " at " + where, one.rank);
    found.advice = fmt::format(
        "If this receive is for the data of that {0}, let rank {1} call {0}, too, instead of it: a "
        "collective brings nothing to a receive.{2}{3}",
        name, one.rank, found.advice.empty() ? "" : " If it is not: ", found.advice);
    return;
  }
}

/// Reports a rank blocked on an actor that nobody calls.
void Waiting::add_never_called(const Diagnosis& diagnosis, const Operation& one) {
  report_.add_at(one.site, 0, Kind::never_called, [&] {
    const auto verb = static_cast<std::uint32_t>(&one - facts_.operations.data());
    Finding found =
        never_called(facts_, one.peer, matching::verb_text(run_, verb) + followers_text(diagnosis));
    found.ranks = {one.rank, one.peer};
    found.events = {one.posted, facts_.stays[static_cast<std::size_t>(one.peer)]};
    found.site = facts_.site(one.posted);
    return found;
  });
}

/// Reports a rank blocked because an ended rank never waited for its request.
void Waiting::add_no_wait(const Diagnosis& diagnosis) {
  const Operation &waits = operation(diagnosis.roots.front()),
                  &request = operation(diagnosis.partner);
  Finding found(Kind::request_dropped);
  found.severity = Severity::error;
  found.ranks = {request.rank, waits.rank};
  found.events = {request.posted, waits.posted};
  found.site = facts_.site(request.posted);
  found.what = fmt::format("nobody waits for rank {}'s {} rank {}{}, and rank {} is blocked{}{}",
                           request.rank, request.send ? "send to" : "receive from", waits.rank,
                           facts_.at(request.posted), waits.rank, facts_.at(waits.posted),
                           followers_text(diagnosis));
  found.why = diagnosis.why;
  found.advice = diagnosis.advice;
  report_.add(std::move(found));
}

void Waiting::add_self(std::uint32_t verb, const Diagnosis& diagnosis) {
  const Operation& one = operation(verb);
  Finding found(Kind::self_send);
  found.ranks = {one.rank, one.rank};
  found.events = {one.posted, one.posted};
  found.site = facts_.site(one.posted);
  const bool waits = !facts_.has_ended(one.rank) && untouched(one);
  const std::string does = one.send ? "sends to" : "receives from";
  const std::string where = facts_.at(one.posted);
  found.what = waits
                   ? fmt::format("rank {} waits for itself: it {} itself{}{}", one.rank, does,
                                 tag_text(one), where)
                   : fmt::format("rank {} {} itself{}{}, and the matching {} never comes", one.rank,
                                 does, tag_text(one), where, one.send ? "receive" : "send");
  found.why = diagnosis.why;
  found.advice = diagnosis.advice;
  if (found.advice.empty()) matching::explain_itself(run_, verb, found.why, found.advice);
  report_.add(std::move(found));
}

/// Returns an open operation that would match if its tag were equal; kNoVerb if there is none.
std::uint32_t Waiting::other_tag(std::uint32_t one) const {
  const auto& mine = run_.verbs[one];
  for (std::uint32_t other = 0; other < run_.verbs.size(); ++other) {
    const auto& theirs = run_.verbs[other];
    if (theirs.send == mine.send || theirs.tag == mine.tag || operation(other).partner != kNone)
      continue;
    auto alike = theirs;
    alike.tag = mine.tag;
    if (mine.send ? matching::fits(mine, alike) : matching::fits(alike, mine)) return other;
  }
  return matching::kNoVerb;
}

void Waiting::add_unreceived(std::uint32_t verb) {
  const Operation& send = operation(verb);
  if (send.peer == send.rank) return add_self(verb);
  report_.add_at(send.site, 0, Kind::unreceived, [&] { return unreceived(verb); });
}

Finding Waiting::unreceived(std::uint32_t verb) const {
  const Operation& send = operation(verb);
  Finding found(Kind::unreceived);
  found.severity = facts_.ran_through() ? Severity::warning : Severity::error;
  found.ranks = {send.rank, send.peer};
  found.events = {send.posted, kNoEvent};
  found.site = facts_.site(send.posted);
  found.what =
      fmt::format("no receive matched the message from rank {} to rank {} (tag {}), sent{}",
                  send.rank, send.peer, send.tag, facts_.at(send.posted));
  found.why = "Every send needs a receive with its sender, tag and communicator.";
  if (const auto other = other_tag(verb); other != matching::kNoVerb) {
    const Operation& receive = operation(other);
    found.events[1] = receive.posted;
    found.advice = fmt::format("Rank {} waits for tag {}{}: give both the same tag.", receive.rank,
                               receive.tag, facts_.at(receive.posted));
  } else if (!report_.follows().empty()) {
    found.advice = report_.follows();
  } else {
    found.advice = fmt::format("Add the receive to rank {}, or leave the send out.", send.peer);
  }
  return found;
}

void Waiting::add_unmatched(std::uint32_t verb) {
  const Operation& one = operation(verb);
  if (!report_.room(Kind::unmatched)) return report_.count(Kind::unmatched);
  if (one.peer == one.rank) return add_self(verb);
  const auto other = other_tag(verb);
  if (other == matching::kNoVerb && report_.follows().empty() && facts_.has_ended(one.peer) &&
      !facts_.has_ended(one.rank))
    return add_dead_end({.cause = Cause::ended,
                         .why = fmt::format("Rank {} has ended: it calls nothing more.", one.peer),
                         .advice = fmt::format("Add the {} to rank {}, or leave this out.",
                                               one.send ? "receive" : "send", one.peer)},
                        verb);
  Finding found(Kind::unmatched);
  // A receive that nobody waits for is harmless, unless its message was sent with another tag.
  const bool unused = one.dropped && !one.send && other == matching::kNoVerb;
  found.severity =
      facts_.has_ended(one.rank) && (unused || !one.dropped) ? Severity::warning : Severity::error;
  found.ranks = {one.peer, one.rank};
  found.events = {kNoEvent, one.posted};
  found.site = facts_.site(one.posted);
  const std::string where = facts_.at(one.posted);
  const std::string from = rank_name(one.peer);
  found.what = one.send ? fmt::format("no receive matched the send of rank {} to {}{}{}", one.rank,
                                      from, tag_text(one), where)
                        : fmt::format("no send matched the receive of rank {} from {}{}{}",
                                      one.rank, from, tag_text(one), where);
  found.why = one.send ? "A rendezvous send ends when its receive has begun."
                       : "A receive waits until a message with its sender, tag and communicator "
                         "arrives.";
  if (other != matching::kNoVerb) {
    found.events[0] = operation(other).posted;
    found.advice =
        fmt::format("Rank {} has one with tag {}{}: give both the same tag.", operation(other).rank,
                    operation(other).tag, facts_.at(operation(other).posted));
  } else if (!report_.follows().empty()) {
    found.advice = report_.follows();
  } else {
    found.advice =
        fmt::format("Add the {} to {}, or leave this out.", one.send ? "receive" : "send", from);
  }
  if (unused && found.severity == Severity::warning) {
    found.what += ", and nobody waits for it";
    found.why =
        "Its buffer is never filled. Libraries let a rank end with such a receive open, but it "
        "would take the next matching message.";
    found.advice = fmt::format(
        "Post this receive only on ranks that are sent a message, not on rank {}.", one.rank);
  }
  report_.add(std::move(found));
}

/// Reports an operation whose partner exists, but whose request nobody waited for, so that they never matched.
void Waiting::add_never_waited(const Operation& one) {
  if ((one.dropped && one.send) || one.waited != kNoEvent) return;  // find_notes() reports it
  report_.add_at(one.site, 0, Kind::request_dropped, [&] {
    Finding found(Kind::request_dropped);
    if (one.dropped && !facts_.platform.empty()) found.severity = Severity::error;
    found.ranks = {one.rank, one.peer};
    found.events = {one.posted, kNoEvent};
    found.site = facts_.site(one.posted);
    found.what =
        fmt::format("nobody waits for rank {}'s {} rank {}{}", one.rank,
                    one.send ? "send to" : "receive from", one.peer, facts_.at(one.posted));
    found.why = "Only waiting for the request makes sure that the message is sent, or has arrived.";
    found.advice = "Keep the request, and wait for it before its memory is used or the rank ends.";
    return found;
  });
}

// Skips what other findings explain: operations inside mismatched calls, and those whose other half a blocked rank
// would have posted.
void Waiting::find_alone() {
  const bool calls_reported = explains_calls();
  const bool whole = !facts_.trace.issues().any() && facts_.trace.meta().lost_events == 0;
  const matching::Matching by_order(run_.verbs);
  std::vector<std::uint32_t> receives, sends;
  for (std::uint32_t verb = 0; verb < run_.verbs.size(); ++verb) {
    const Operation& one = operation(verb);
    const bool message = one.send && one.completed != kNoEvent && one.partner == kNone &&
                         one.peer >= 0 && one.peer < facts_.trace.world_size();
    if (!message && !untouched(one)) continue;
    if (explained_ranks_.contains(one.send ? one.peer : one.rank) ||
        (one.send && explained_ranks_.contains(one.rank)) || explained_sends_.contains(verb) ||
        (calls_reported && one.inside()))
      continue;
    // The two may have met in lost events.
    if (whole && by_order.partner(verb) != matching::kNoVerb) {
      if (!message) add_never_waited(one);  // a completed send needs no wait
    } else (message ? sends : receives).push_back(verb);
  }
  // By rank, not by time: the same fault is reported in the same words each time.
  for (auto* list : {&receives, &sends})
    ranges::stable_sort(*list, {}, [this](std::uint32_t verb) { return operation(verb).rank; });
  for (const std::uint32_t verb : receives) add_unmatched(verb);
  for (const std::uint32_t verb : sends) add_unreceived(verb);
}

void Waiting::find() {
  if (facts_.status == JobResult::Status::timeout)
    return;  // the missing half might have come later
  if (facts_.status == JobResult::Status::deadlock || !facts_.status) find_blocked();
  find_alone();
}

}  // namespace

void find_waiting(const TraceOperations& facts, Report& report) { Waiting(facts, report).find(); }

}  // namespace rankscope::finder
