// Finds ranks that had not ended when the run did: the verb in which each of them was, ranks that computed without end,
// and ranks that waited for their next call.
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

/// The time after which a rank in no verb is not just between two of them.
constexpr double kLongWork = 1.0;

class Unfinished {
 public:
  Unfinished(const TraceOperations& facts, Report& report) : facts_(facts), report_(report) {
    severity_ = facts.status == JobResult::Status::timeout ? Severity::error : Severity::warning;
  }
  void find();

 private:
  /// The work that a rank was at, and the event that says so.
  struct Place {
    std::string what;
    std::uint64_t event;
  };
  std::optional<Place> verb_of(Rank rank) const;
  void add_work(const std::vector<Rank>& working);
  void explain_probe(Rank rank, Finding& found) const;
  std::string other_messages(Rank rank) const;
  bool explain_message(Finding& found) const;
  bool explain_all_wait(Finding& found) const;
  void explain_repeated(const Place& place, Finding& found) const;
  void add_verbs();

  const TraceOperations& facts_;
  Report& report_;
  Severity severity_;
  bool endless_ = false;
};

/// The call that has not returned, or the newest verb that has not ended.
std::optional<Unfinished::Place> Unfinished::verb_of(Rank rank) const {
  for (const BuiltInCall& call : facts_.calls)
    if (call.rank == rank && call.ends == kNoEvent)
      return Place{built_in_name(facts_.trace, facts_.trace[call.begins]), call.begins};
  for (auto one = facts_.operations.rbegin(); one != facts_.operations.rend(); ++one) {
    if (one->rank != rank || one->completed != kNoEvent) continue;
    const std::string_view line = SourceText(facts_.trace, one->site).here();
    const bool begun = line.find(one->send ? "isend(" : "irecv(") != std::string_view::npos;
    return Place{fmt::format("{}{} {} {}", begun ? "i" : "", one->send ? "send" : "recv",
                             one->send ? "to" : "from", rank_name(one->peer)),
                 one->posted};
  }
  return std::nullopt;
}

void Unfinished::add_work(const std::vector<Rank>& working) {
  for (const Rank rank : working) {
    const std::uint64_t k = facts_.stays[static_cast<std::size_t>(rank)];
    const StepEvent& work = facts_.trace[k];
    report_.add_at(work.site, 0, Kind::endless_work, [&] {
      Finding found(Kind::endless_work);
      found.severity = severity_;
      found.ranks = {rank};
      found.events = {k};
      found.site = facts_.site(k);
      const auto* definition = facts_.trace.definition(Definition::Kind::site, work.site);
      const bool in_function =
          definition != nullptr && !definition->name.empty() && definition->name[0] != '<';
      found.what = fmt::format(
          "rank {} was in its own code, without any message or collective, for the last {:.1f} s "
          "of the "
          "run, at {}{}",
          rank, static_cast<double>(work.time_ns - work.begin_ns) * 1e-9, found.site,
          in_function ? " in " + definition->name : "");
      found.why = "A rank that stays in its own code sends nothing.";
      found.advice = fmt::format(
          "Look at the loop at {}: which condition ends it? If it is only slow, give it more time "
          "with --timeout.",
          found.site);
      if (const std::string text(SourceText(facts_.trace, work.site).here());
          text.find("Probe(") != std::string::npos || text.find(".probe(") != std::string::npos)
        explain_probe(rank, found);
      return found;
    });
  }
}

/// A probing rank is in no verb: it polls for a message that never comes.
void Unfinished::explain_probe(Rank rank, Finding& found) const {
  const std::string others = other_messages(rank);
  found.what =
      fmt::format("rank {} probes at {} for a message that does not come", rank, found.site);
  found.why =
      others.empty()
          ? "No other message has come for it, either."
          : "Another message has come for it, which the probe does not name: " + others + ".";
  found.advice = others.empty()
                     ? "Look which rank should send it, or probe for any rank and any tag."
                     : "Probe for the rank and the tag that the message has, or send it with those "
                       "that the probe names.";
  for (const Operation& one : facts_.operations) {
    const bool waits = !one.send && !one.sync && !one.built_in && one.completed == kNoEvent &&
                       one.partner == kNone && one.peer == rank && one.rank != rank;
    if (!waits || !others.empty()) continue;
    found.why = fmt::format(
        "Rank {} waits for a message from rank {}{}. If what is probed for comes from it only "
        "afterwards, each waits for the other.",
        one.rank, rank, facts_.at(one.posted));
    found.advice =
        fmt::format("Let rank {} send before it receives{}, or rank {} before it probes.", one.rank,
                    facts_.at(one.posted), rank);
    return;
  }
}

/// The messages to a rank that no receive took.
std::string Unfinished::other_messages(Rank rank) const {
  std::string others;
  int named = 0;
  for (const Operation& one : facts_.operations)
    if (one.send && !one.sync && !one.built_in && one.peer == rank && one.partner == kNone &&
        ++named <= 3)
      others += fmt::format("{}from rank {} with tag {} (sent{})", others.empty() ? "" : ", ",
                            one.rank, one.tag, facts_.at(one.posted));
  return others;
}

/// Explains a receive that has not ended by a message of its sender with another tag. Returns false if there is none.
bool Unfinished::explain_message(Finding& found) const {
  for (std::size_t r = 0; r < found.ranks.size(); ++r)
    for (const Operation& receive : facts_.operations) {
      if (receive.send || receive.posted != found.events[r] || receive.tag == kAnyTag) continue;
      for (const Operation& send : facts_.operations) {
        const bool could_be = send.send && !send.sync && !send.built_in && send.partner == kNone &&
                              send.peer == receive.rank && send.tag != receive.tag &&
                              (receive.peer < 0 || receive.peer == send.rank);
        if (!could_be) continue;
        found.why = fmt::format(
            "A message from rank {} to rank {} has tag {} (sent{}), and the receive{} takes tag {} "
            "only.",
            send.rank, receive.rank, send.tag, facts_.at(send.posted), facts_.at(receive.posted),
            receive.tag);
        found.advice = "If that message is the one that is waited for, give both the same tag.";
        return true;
      }
    }
  return false;
}

/// Says that every rank waits for a message, and that none has been sent to it. Returns false if that is not so.
bool Unfinished::explain_all_wait(Finding& found) const {
  if (std::ssize(found.ranks) != facts_.trace.world_size()) return false;
  std::size_t waiting = 0;
  for (const Operation& one : facts_.operations) {
    if (one.partner != kNone || one.inside()) continue;
    if (one.send) return false;
    waiting += ranges::find(found.events, one.posted) != found.events.end() ? 1 : 0;
  }
  if (waiting != found.ranks.size()) return false;
  found.why = "Every rank waits there for a message, and every message that was sent has come.";
  const bool threads =
      ranges::any_of(found.ranks, [&](Rank rank) { return facts_.has_threads(rank); });
  found.advice =
      fmt::format("Let one of each two ranks send before it receives{}, or use sendrecv.",
                  threads ? ", in each thread" : "");
  return true;
}

/// Says how often the ranks called a collective, if they did nothing but repeat it.
void Unfinished::explain_repeated(const Place& place, Finding& found) const {
  constexpr std::uint64_t kMany = 100;
  const StepEvent& last = facts_.trace[place.event];
  std::uint64_t times = 0;
  for (const BuiltInCall& call : facts_.calls) {
    const StepEvent& one = facts_.trace[call.begins];
    times += call.rank == last.rank && one.site == last.site && one.comm == last.comm ? 1 : 0;
  }
  if (times < kMany || std::ssize(found.ranks) != facts_.trace.world_size()) return;
  found.what = fmt::format("all ranks call {}{} again and again: {} times until the run was ended",
                           place.what, found.site.empty() ? "" : " at " + found.site, times);
  found.why = "No rank waits for another one: the loop around this call has not come to its end.";
  found.advice =
      "Which condition ends that loop, and can it become true? A comparison with nan never does. "
      "If the loop is only long, give it more time with --timeout.";
}

/// One finding for each place, with all ranks that were there.
void Unfinished::add_verbs() {
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<Rank, Place>>> at;
  for (Rank rank = 0; rank < facts_.trace.world_size(); ++rank) {
    if (facts_.has_ended(rank) || facts_.stays[static_cast<std::size_t>(rank)] != kNoEvent)
      continue;
    if (auto place = verb_of(rank)) {
      const auto verb = place->what.substr(0, place->what.find(' '));
      at[{facts_.site(place->event), verb}].emplace_back(rank, std::move(*place));
    }
  }
  for (const auto& [key, ranks] : at) {
    Finding found(Kind::unfinished);
    found.severity = severity_;
    found.site = key.first;
    const bool alike = ranges::all_of(
        ranks, [&](const auto& one) { return one.second.what == ranks.front().second.what; });
    for (const auto& [rank, place] : ranks) {
      found.ranks.push_back(rank);
      found.events.push_back(place.event);
    }
    const bool begun = key.second.starts_with('i');
    found.what =
        fmt::format("{} {} {}{} when the run was ended", rank_list(found.ranks),
                    begun ? (ranks.size() == 1 ? "had not ended its" : "had not ended their")
                    : ranks.size() == 1 ? "was in"
                                        : "were in",
                    alike ? ranks.front().second.what : key.second,
                    key.first.empty() ? "" : " at " + key.first);
    if (endless_) found.advice = info(Kind::endless_work).follows;
    else if (facts_.status == JobResult::Status::timeout)
      found.advice =
          "If the run is only slow, give it more time with --timeout; otherwise find out "
          "which rank it waits for.";
    if (!endless_ && !explain_message(found) && !explain_all_wait(found))
      explain_repeated(ranks.front().second, found);
    report_.add(std::move(found));
  }
}

void Unfinished::find() {
  std::vector<Rank> working;
  for (Rank rank = 0; rank < facts_.trace.world_size(); ++rank) {
    const std::uint64_t k = facts_.stays[static_cast<std::size_t>(rank)];
    if (k == kNoEvent || facts_.trace[k].verb != Verb::compute) continue;
    if (static_cast<double>(facts_.trace[k].time_ns - facts_.trace[k].begin_ns) * 1e-9 >= kLongWork)
      working.push_back(rank);
  }
  endless_ = !working.empty();
  add_work(working);
  add_verbs();
}

}  // namespace

std::string idle_text(const TraceOperations& facts, Rank rank) {
  const std::uint64_t k = facts.stays[static_cast<std::size_t>(rank)];
  const std::string where = facts.site(k);
  if (facts.trace[k].peer == rank)
    return fmt::format("rank {} waits in ray.get{} for another actor's result", rank,
                       where.empty() ? "" : " at " + where);
  return fmt::format("rank {} waits for its next call{}", rank,
                     where.empty() ? "" : ", and the driver waits for another one at " + where);
}

Finding never_called(const TraceOperations& facts, Rank rank, const std::string& waiting) {
  Finding found(Kind::never_called);
  const bool own = facts.trace[facts.stays[static_cast<std::size_t>(rank)]].peer == rank;
  found.what = fmt::format("{}; {}", waiting, idle_text(facts, rank));
  found.why = own ? "Each waits for the other: ray.get returns when that call has ended, and that "
                    "call waits for this rank."
                  : "The driver calls nothing more before its ray.get returns, and that waits for "
                    "this rank, too.";
  found.advice = own ? "Communicate first, and ask for the other actor's result afterwards."
                     : "Start the calls of all ranks that take part first, and only then ray.get "
                       "their results together.";
  return found;
}

void find_unfinished(const TraceOperations& facts, Report& report) {
  Unfinished(facts, report).find();
}

}  // namespace rankscope::finder
