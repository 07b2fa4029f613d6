#include "engine/analysis/findings.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/messages.h"
#include "engine/analysis/op_table.h"

namespace rankscope {
namespace {

using Kind = Finding::Kind;
using nlohmann::json;

/// A send or a receive that was still open at the end.
struct OpenOperation {
  std::uint64_t event = 0;  ///< At which it was posted.
  Rank rank = -1, peer = -1;
  Tag tag = 0;
  ContextId context = 0;
  bool send = false;
};

std::string text_of(const json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

constexpr std::string_view kFollows = "This follows from the deadlock: resolve that first.";

class Finder {
 public:
  Finder(const Trace& trace, std::size_t most) : trace_(trace), most_(most) {}
  std::vector<Finding> find();

 private:
  void find_open();
  void find_lost(const json& result);
  void find_deadlock();
  void find_alone();
  std::vector<std::size_t> shortest_circle() const;
  std::vector<std::size_t> circle_through(Rank start) const;
  void add_unreceived(const OpenOperation& send);
  void add_unmatched(const OpenOperation& receive);
  const OpenOperation* nearly(const OpenOperation& one) const;
  void add(Finding finding);
  /// There is a circle, and all else that stayed open may come of it.
  bool follows() const { return !found_.empty() && found_.front().kind == Kind::deadlock; }
  std::string site_of(std::uint64_t event) const;
  std::string at(std::uint64_t event) const;
  ContextId context_of(const StepEvent& event) const;

  const Trace& trace_;
  const std::size_t most_;
  std::vector<OpenOperation> open_;   ///< What a rank may wait in: receives and rendezvous sends.
  std::vector<OpenOperation> alone_;  ///< Sends that are done as far as the sender knows.
  std::map<Rank, std::vector<std::size_t>> of_rank_;  ///< Of open_.
  std::vector<bool> in_circle_;                       ///< By open_.
  std::vector<Finding> found_;
  std::map<Kind, std::size_t> more_;
};

std::string Finder::site_of(std::uint64_t event) const {
  const auto* site = trace_.definition(Definition::Kind::site, trace_[event].site);
  if (site == nullptr || site->line == 0) return {};
  const std::string_view file = site->file;  // its name alone: a circle is long enough
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), site->line);
}

std::string Finder::at(std::uint64_t event) const {
  const std::string site = site_of(event);
  return site.empty() ? "" : " at " + site;
}

// Messages match within a context; communicators of one context share it.
ContextId Finder::context_of(const StepEvent& event) const {
  const auto* comm = trace_.definition(Definition::Kind::comm, event.comm);
  const ContextId context = comm == nullptr ? ContextId{event.comm} : comm->context;
  return event.verb == Verb::sync || event.verb == Verb::sync_recv ? ~context : context;
}

void Finder::find_open() {
  OpTable<char> touched(0);  // operations that were matched or completed
  for (std::uint64_t k = 0; k < trace_.size(); ++k) {
    const StepEvent& event = trace_[k];
    if (event.kind == EventKind::matched || event.kind == EventKind::completed)
      touched[event.op] = 1;
    if (event.kind == EventKind::matched && event.cause != 0) touched[event.cause] = 1;
  }
  for (std::uint64_t k = 0; k < trace_.size(); ++k) {
    const StepEvent& event = trace_[k];
    if (event.kind != EventKind::posted) continue;
    const bool send = is_send(event.verb);
    const OpenOperation one{k, event.rank, event.peer, event.tag, context_of(event), send};
    if (touched.find(event.op) != 0) continue;
    of_rank_[event.rank].push_back(open_.size());
    open_.push_back(one);
  }
  for (const MessageRecord& message : messages(trace_)) {
    if (message.sent == kNoEvent || message.send_done == kNoEvent || message.matched != kNoEvent)
      continue;
    alone_.push_back({message.sent, message.from, message.to, message.tag,
                      context_of(trace_[message.sent]), true});
  }
  in_circle_.assign(open_.size(), false);
}

void Finder::find_lost(const json& result) {
  const auto failures = result.find("failures");
  if (failures == result.end() || !failures->is_array()) return;
  for (const auto& failure : *failures) {
    if (!failure.is_object() || !failure.contains("rank") || !failure["rank"].is_number_integer())
      continue;
    Finding lost;
    lost.kind = Kind::lost_rank;
    lost.ranks = {failure["rank"].get<Rank>()};
    std::uint64_t last = kNoEvent;
    for (std::uint64_t k = trace_.size(); k-- > 0 && last == kNoEvent;)
      if (trace_[k].rank == lost.ranks[0]) last = k;
    lost.events = {last};
    if (last != kNoEvent) lost.site = site_of(last);
    lost.what = fmt::format("rank {} {}", lost.ranks[0], text_of(failure, "what"));
    if (const auto where = text_of(failure, "where"); !where.empty())
      lost.what += fmt::format("; it was {}", where);
    lost.why = "The other ranks need its messages, so nobody could go on.";
    lost.advice = "Look at its last events, and run again: the ranks are started anew.";
    add(std::move(lost));
  }
}

// By operations, so that each step of the circle knows its line. Breadth first: the shortest.
std::vector<std::size_t> Finder::circle_through(Rank start) const {
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
        std::vector<std::size_t> circle{i};
        while (open_[circle.back()].rank != start)
          circle.push_back(reached.at(open_[circle.back()].rank));
        std::ranges::reverse(circle);
        return circle;
      }
      if (reached.try_emplace(open_[i].peer, i).second) next.push_back(open_[i].peer);
    }
  }
  return {};
}

std::vector<std::size_t> Finder::shortest_circle() const {
  std::vector<std::size_t> best;
  for (Rank rank = 0; rank < trace_.world_size(); ++rank) {
    if (best.size() == 1 || best.size() == 2) break;  // a shorter one is no better to read
    auto circle = circle_through(rank);
    if (!circle.empty() && (best.empty() || circle.size() < best.size())) best = std::move(circle);
  }
  return best;
}

void Finder::find_deadlock() {
  const auto circle = shortest_circle();
  if (circle.empty()) return;
  Finding found;
  bool sends = false;
  std::string steps;
  for (const std::size_t i : circle) {
    const OpenOperation& one = open_[i];
    in_circle_[i] = true;
    sends |= one.send;
    found.ranks.push_back(one.rank);
    found.events.push_back(one.event);
    if (found.ranks.size() <= 4)
      steps += fmt::format("{}rank {} {} rank {}{}", steps.empty() ? "" : ", ", one.rank,
                           one.send ? "sends to" : "receives from", one.peer, at(one.event));
  }
  if (circle.size() > 4) steps += " and so on";
  found.site = site_of(found.events[0]);
  found.what = circle.size() == 1
                   ? fmt::format("rank {} waits for itself: {}", found.ranks[0], steps)
                   : fmt::format("{} ranks wait for each other: {}", circle.size(), steps);
  found.why = sends
                  ? "A rendezvous send ends when its receive has begun, and each of these ranks "
                    "comes to its receive only after its send."
                  : "Each of these ranks sends only after it has received, so nobody sends first.";
  found.advice = sends ? "Let one of the ranks receive first, or use isend or sendrecv."
                       : "Let one of the ranks send before it receives, or use sendrecv.";
  add(std::move(found));
}

/// The other side as it should have been, but for its tag.
const OpenOperation* Finder::nearly(const OpenOperation& one) const {
  const auto fits = [&](const OpenOperation& other) {
    return other.send != one.send && other.context == one.context &&
           (other.peer == one.rank || other.peer < 0) && (one.peer == other.rank || one.peer < 0) &&
           other.tag != one.tag;
  };
  for (const auto* list : {&open_, &alone_})
    if (const auto found = std::ranges::find_if(*list, fits); found != list->end()) return &*found;
  return nullptr;
}

void Finder::add_unreceived(const OpenOperation& send) {
  Finding found;
  found.kind = Kind::unreceived;
  found.ranks = {send.rank, send.peer};
  found.events = {send.event, kNoEvent};
  found.site = site_of(send.event);
  found.what =
      fmt::format("no receive matched the message from rank {} to rank {} (tag {}), sent{}",
                  send.rank, send.peer, send.tag, at(send.event));
  found.why = "Every send needs a receive with its sender, tag and communicator.";
  if (const OpenOperation* other = nearly(send)) {
    found.events[1] = other->event;
    found.advice = fmt::format("Rank {} waits for tag {}{}: give both the same tag.", other->rank,
                               other->tag, at(other->event));
  } else if (follows()) {
    found.advice = std::string(kFollows);
  } else {
    found.advice = fmt::format("Add the receive to rank {}, or leave the send out.", send.peer);
  }
  add(std::move(found));
}

void Finder::add_unmatched(const OpenOperation& receive) {
  Finding found;
  found.kind = Kind::unmatched;
  found.ranks = {receive.peer, receive.rank};
  found.events = {kNoEvent, receive.event};
  found.site = site_of(receive.event);
  const std::string from = receive.peer < 0 ? "any rank" : fmt::format("rank {}", receive.peer);
  found.what = receive.send
                   ? fmt::format("rank {} waits with its send to {} (tag {}){}", receive.rank, from,
                                 receive.tag, at(receive.event))
                   : fmt::format("no send matched the receive of rank {} from {} (tag {}){}",
                                 receive.rank, from, receive.tag, at(receive.event));
  found.why = receive.send
                  ? "A rendezvous send ends when its receive has begun."
                  : "A receive waits until a message with its sender, tag and communicator "
                    "has come.";
  const OpenOperation* const other = nearly(receive);
  if (other != nullptr) {
    found.events[0] = other->event;
    found.advice = fmt::format("Rank {} has one with tag {}{}: give both the same tag.",
                               other->rank, other->tag, at(other->event));
  } else if (follows()) {
    found.advice = std::string(kFollows);
  } else {
    found.advice = fmt::format("Add the {} to {}, or leave this out.",
                               receive.send ? "receive" : "send", from);
  }
  add(std::move(found));
}

void Finder::find_alone() {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (in_circle_[i]) continue;
    add_unmatched(open_[i]);
  }
  for (const OpenOperation& send : alone_) add_unreceived(send);
}

void Finder::add(Finding finding) {
  const auto same = std::ranges::count(found_, finding.kind, &Finding::kind);
  if (static_cast<std::size_t>(same) < most_) found_.push_back(std::move(finding));
  else ++more_[finding.kind];
}

std::vector<Finding> Finder::find() {
  if (!trace_.meta().complete) return {};
  const json result = json::parse(trace_.meta().result_json, nullptr, false);
  const std::string status = result.is_object() ? text_of(result, "status") : "";
  if (status == "failed") find_lost(result);
  if (status == "failed" || status == "interrupted") return found_;
  find_open();
  if (status == "deadlock" || status.empty()) find_deadlock();
  // Of a run that took too long nobody knows what would have come.
  if (status != "timeout") find_alone();
  for (const auto& [kind, count] : more_) {
    Finding rest;
    rest.kind = kind;
    rest.what = fmt::format("and {} more of this kind", count);
    found_.push_back(std::move(rest));
  }
  std::ranges::stable_sort(found_, {}, &Finding::kind);
  return found_;
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
  switch (kind) {
    case Kind::deadlock: return "deadlock";
    case Kind::lost_rank: return "lost rank";
    case Kind::unreceived: return "unreceived message";
    case Kind::unmatched: return "unmatched receive";
  }
  return "unknown";
}

std::string circle_text(const Finding& deadlock) {
  std::string text;
  constexpr std::size_t kMost = 16;
  for (std::size_t i = 0; i < std::min(deadlock.ranks.size(), kMost); ++i)
    text += fmt::format("{} → ", deadlock.ranks[i]);
  if (deadlock.ranks.size() > kMost) text += "… → ";
  return deadlock.ranks.empty() ? text : text + fmt::to_string(deadlock.ranks.front());
}

std::vector<Finding> findings(const Trace& trace, std::size_t most) {
  return Finder(trace, most).find();
}

}  // namespace rankscope
