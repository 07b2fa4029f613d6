// Decides from the ranks' reports whether all are asleep with nothing under way to them, and describes which rank waits
// for which.
#include "engine/run/conductor/deadlock.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/matching/diagnosis.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

using nlohmann::json;

FrameCount Standstill::with(Rank peer) const noexcept {
  const auto index = static_cast<std::size_t>(peer);
  return index < traffic.size() ? traffic[index] : FrameCount{};
}

bool Standstill::unchanged_since(const Standstill& earlier) const noexcept {
  return epoch == earlier.epoch && asleep == earlier.asleep && moves == earlier.moves &&
         traffic == earlier.traffic;
}

json json_of(const std::vector<FrameCount>& traffic) {
  json list = json::array();
  for (const FrameCount& with : traffic) list.push_back({with.sent, with.arrived});
  return list;
}

std::vector<FrameCount> traffic_of(const json& list, int world_size) {
  if (list.size() > static_cast<std::size_t>(world_size))
    throw FormatError("traffic with ranks that do not exist");
  std::vector<FrameCount> traffic;
  for (const auto& with : list)
    traffic.push_back({with.at(0).get<std::uint64_t>(), with.at(1).get<std::uint64_t>()});
  return traffic;
}

// Strands fall asleep and wake up under the progress engine's lock, so the gate's state, read under it, fits. The
// counts differ if a strand is listed as blocked but has left its wait.
json standstill_json(RankContext& rank, const StepGate& gate) {
  // If a rank waits in no verb, none of its threads receives what has arrived, so poll once.
  if (const StrandPlaces now = gate.look().places;
      ranges::all_of(now, [](const auto& known) { return known.second.awaits != 0; }))
    rank.progress().probe(~ContextId{0}, kAnyRank, kAnyTag);
  StrandsLook strands;
  const Progress::Look look = rank.progress().look([&] { strands = gate.look(); });
  std::size_t in_verbs = 0;
  bool all = true;
  for (const auto& [strand, place] : strands.places) {
    all &= place.state == StrandPlace::State::blocked;
    in_verbs += place.awaits == 0 ? 1 : 0;
  }
  json body = json_of(strands.places, {}, {}, rank.recorder());
  body["epoch"] = look.epoch;
  body["asleep"] = all && look.stuck && in_verbs == look.asleep;
  body["moves"] = strands.moves;
  body["traffic"] = json_of(look.traffic);
  json unreceived = json::array();
  for (const auto& [context, source, tag, bytes] : look.unreceived)
    unreceived.push_back({context, source, tag, bytes});
  body["unreceived"] = std::move(unreceived);
  return body;
}

Standstill standstill_of(const json& body, Rank rank, int world_size) {
  Standstill known;
  known.rank = rank;
  known.epoch = body.at("epoch").get<std::uint32_t>();
  known.asleep = body.at("asleep").get<bool>();
  known.moves = body.at("moves").get<std::uint64_t>();
  known.traffic = traffic_of(body.at("traffic"), world_size);
  known.views = step_report_of(body, rank, world_size).views;
  for (const auto& message : body.at("unreceived"))
    known.unreceived.push_back({message.at(0).get<ContextId>(), message.at(1).get<Rank>(),
                                message.at(2).get<Tag>(), message.at(3).get<std::uint64_t>()});
  return known;
}

DeadlockWatch::DeadlockWatch(int world_size, std::string platform)
    : platform_(std::move(platform)), rank_reports_(static_cast<std::size_t>(world_size)) {}

void DeadlockWatch::ended(Rank rank, std::vector<FrameCount> traffic) {
  RankStatusReport& rank_report = rank_reports_[static_cast<std::size_t>(rank)];
  rank_report.ended = true;
  rank_report.report.traffic = std::move(traffic);
  asking_ = false;  // this rank was not blocked for ever, so the question is void
  ask_if_suspected();
}

void DeadlockWatch::add_report(Standstill report, std::uint64_t round) {
  RankStatusReport& rank_report = rank_reports_[static_cast<std::size_t>(report.rank)];
  if (rank_report.ended) return;
  const bool same = report.asleep && report.unchanged_since(rank_report.report);
  if (round != 0 && (!asking_ || round != round_)) return;  // it answers an older question
  rank_report.report = std::move(report);
  if (!same) asking_ = false;
  else if (round != 0) rank_report.confirmed = true;
  if (!asking_) ask_if_suspected();
}

// A message that an ended rank has sent can still wake a rank; a message sent to an ended rank wakes none.
bool DeadlockWatch::may_be_deadlocked() const {
  const auto sleeps = [](const RankStatusReport& rank_report) {
    return rank_report.ended || rank_report.report.asleep;
  };
  if (!ranges::all_of(rank_reports_, sleeps)) return false;
  if (ranges::all_of(rank_reports_, &RankStatusReport::ended)) return false;
  for (std::size_t to = 0; to < rank_reports_.size(); ++to) {
    if (rank_reports_[to].ended) continue;
    for (std::size_t from = 0; from < rank_reports_.size(); ++from) {
      const auto sent = rank_reports_[from].report.with(static_cast<Rank>(to)).sent;
      if (from != to && sent != rank_reports_[to].report.with(static_cast<Rank>(from)).arrived)
        return false;
    }
  }
  return true;
}

void DeadlockWatch::ask_if_suspected() {
  questions_.clear();
  if (!may_be_deadlocked()) return;
  asking_ = true;
  ++round_;
  for (std::size_t i = 0; i < rank_reports_.size(); ++i) {
    rank_reports_[i].confirmed = false;
    if (!rank_reports_[i].ended) questions_.push_back(static_cast<Rank>(i));
  }
}

std::vector<Rank> DeadlockWatch::take_questions() { return std::exchange(questions_, {}); }

std::optional<Deadlock> DeadlockWatch::verdict() const {
  const auto settled = [](const RankStatusReport& rank_report) {
    return rank_report.ended || rank_report.confirmed;
  };
  if (!asking_ || !ranges::all_of(rank_reports_, settled)) return std::nullopt;
  std::vector<std::optional<Standstill>> reports;
  for (const RankStatusReport& rank_report : rank_reports_)
    reports.push_back(rank_report.ended ? std::nullopt : std::optional(rank_report.report));
  return explain_deadlock(reports, platform_);
}

namespace {

constexpr std::size_t kMostNamed = 4;

class Explainer {
 public:
  Explainer(const std::vector<std::optional<Standstill>>& reports, std::string_view platform)
      : reports_(reports), found_(matching::diagnose(situation(platform))) {}
  Deadlock explain() const;

 private:
  static bool sleeps_in_verb(const RankView& view) {
    return view.state == RankView::State::blocked && view.awaits == 0;
  }
  bool ended(Rank rank) const { return !reports_[static_cast<std::size_t>(rank)]; }
  /// Returns the view of a rank in no verb, which waits for its next call or another rank's result; null for others.
  const RankView* idle(Rank rank) const {
    if (ended(rank)) return nullptr;
    const auto& views = reports_[static_cast<std::size_t>(rank)]->views;
    const bool none = ranges::none_of(views, [](auto& one) { return one.awaits == 0; });
    return none && !views.empty() ? &views.front() : nullptr;
  }
  bool calls_nothing(Rank rank) const { return ended(rank) || idle(rank) != nullptr; }
  int size() const { return static_cast<int>(reports_.size()); }
  /// Returns the wait that a verb of the diagnosis stands for; for a message, its sender's first wait.
  const RankView& view_of(std::uint32_t verb) const {
    return verb < senders_.size() ? *first_wait(senders_[verb]) : *blocked_[verb - senders_.size()];
  }
  std::vector<const RankView*> shortest_cycle() const;
  std::string phrase(Rank rank, const RankView& view) const;
  std::string phrase(Rank rank) const;
  const RankView* first_wait(Rank rank) const;
  static std::string where(const RankView* wait, const std::vector<RankView>& views);
  static std::string name_cycle(const std::vector<Rank>& cycle);
  std::string describe_cycle(const std::vector<const RankView*>& cycle) const;
  void describe_dead_end(DeadlockText& text) const;
  static bool is_inside(const RankView& view);
  static std::string place(const RankView& view);
  static std::string idle_text(const RankView& view);
  matching::Situation situation(std::string_view platform);
  std::string advice() const;

  const std::vector<std::optional<Standstill>>& reports_;
  // The situation's verbs are first the messages, then the waits.
  std::vector<Rank> senders_;             ///< By message.
  std::vector<const RankView*> blocked_;  ///< The waits.
  const std::vector<matching::Diagnosis> found_;
};

/// Returns the waits of the shortest cycle, each for the next one's rank; empty if there is none.
std::vector<const RankView*> Explainer::shortest_cycle() const {
  const std::vector<std::uint32_t>* best = nullptr;
  for (const auto& one : found_)
    if (!one.cycle.empty() && (best == nullptr || one.cycle.size() < best->size()))
      best = &one.cycle;
  std::vector<const RankView*> cycle;
  if (best != nullptr)
    for (const std::uint32_t verb : *best) cycle.push_back(&view_of(verb));
  return cycle;
}

const RankView* Explainer::first_wait(Rank rank) const {
  const auto& views = reports_[static_cast<std::size_t>(rank)]->views;
  const auto found = ranges::find_if(views, sleeps_in_verb);
  return found == views.end() ? nullptr : &*found;
}

/// Returns whether the verb belongs to the inside of a built-in collective, or of a split.
bool Explainer::is_inside(const RankView& view) {
  return view.phase.starts_with(kBuiltIn) || view.verb == Verb::sync ||
         view.verb == Verb::sync_recv;
}

std::string Explainer::phrase(Rank rank, const RankView& view) const {
  if (is_inside(view)) {
    const bool internal = view.verb == Verb::sync || view.verb == Verb::sync_recv;
    std::string call = view.phase.empty() ? "split" : view.phase;
    if (call.starts_with(kBuiltIn))
      call = internal ? call.substr(kBuiltIn.size()) : "the " + call;  // "new_group"
    return fmt::format("rank {} waits for {} in {}{}", rank, rank_name(view.peer), call,
                       place(view));
  }
  std::string text = fmt::format("rank {} {} ", rank, is_send(view.verb) ? "sends" : "receives");
  text += is_send(view.verb) ? "to " : "from ";
  text += rank_name(view.peer);
  if (view.tag > 0) text += fmt::format(" with tag {}", view.tag);
  return text + place(view);
}

std::string Explainer::place(const RankView& view) {
  const std::string_view file = view.file;  // without its folder, to keep the text short
  if (view.line == 0) return {};
  return fmt::format(" at {}:{}", file.substr(file.rfind('/') + 1), view.line);
}

std::string Explainer::idle_text(const RankView& view) {
  if (view.peer == view.rank) return "waits for another actor" + place(view);
  const std::string where = place(view);
  return "waits for its next call" + (where.empty() ? "" : ", and the driver waits" + where);
}

std::string Explainer::phrase(Rank rank) const {
  const RankView* const wait = first_wait(rank);
  if (const RankView* const view = idle(rank))
    return fmt::format("rank {} {}", rank, idle_text(*view));
  return wait == nullptr ? fmt::format("rank {} waits for itself", rank) : phrase(rank, *wait);
}

std::string Explainer::name_cycle(const std::vector<Rank>& cycle) {
  if (cycle.size() == 1) return fmt::format("rank {} waits for itself", cycle[0]);
  if (cycle.size() == 2)
    return fmt::format("ranks {} and {} wait for each other", std::min(cycle[0], cycle[1]),
                       std::max(cycle[0], cycle[1]));
  const std::size_t shown = std::min(cycle.size(), 4 * kMostNamed);
  return fmt::format("{} ranks wait for each other in a circle ({}{})", cycle.size(),
                     fmt::join(cycle.begin(), cycle.begin() + static_cast<long>(shown), " -> "),
                     shown < cycle.size() ? " -> ..." : fmt::format(" -> {}", cycle[0]));
}

std::string Explainer::describe_cycle(const std::vector<const RankView*>& cycle) const {
  std::string text;
  const std::size_t named = std::min(cycle.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i)
    text += (i > 0 ? ", " : "") + phrase(cycle[i]->rank, *cycle[i]);
  if (named < cycle.size()) text += " and so on";
  return text;
}

// There is no cycle, so some rank waits for one that has ended, or for a message from any rank that nobody sends.
void Explainer::describe_dead_end(DeadlockText& text) const {
  Rank first = found_.empty() || found_[0].roots.empty() ? -1 : view_of(found_[0].roots[0]).rank;
  for (Rank rank = 0; rank < size() && first < 0; ++rank)
    if (!calls_nothing(rank)) first = rank;
  for (Rank rank = 0; rank < size() && first < 0; ++rank)
    if (!ended(rank)) first = rank;
  const RankView* const wait = first_wait(first);
  const bool of_any = wait == nullptr || wait->peer < 0;
  if (const RankView* const view = of_any ? nullptr : idle(wait->peer)) {
    text.headline =
        fmt::format("deadlock: rank {} waits for rank {}, which is not called", first, wait->peer);
    text.what = fmt::format("{}: {}, and rank {} {}", text.headline, phrase(first), wait->peer,
                            idle_text(*view));
    return;
  }
  text.headline = of_any ? fmt::format("deadlock: rank {} is blocked for ever", first)
                         : fmt::format("deadlock: rank {} waits for rank {}, which has ended",
                                       first, wait->peer);
  text.what = fmt::format("{}: {}{}", text.headline, phrase(first),
                          of_any ? ", but nobody is left who could send" : "");
}

// Returns the blocked operations and the messages that have arrived for them; the run's history is not known here.
matching::Situation Explainer::situation(std::string_view platform) {
  matching::Situation known;
  known.platform = platform;
  for (Rank rank = 0; rank < size(); ++rank) known.ended.push_back(calls_nothing(rank));
  for (const auto& report : reports_)
    if (report)
      for (const RankView& view : report->views)
        if (sleeps_in_verb(view)) blocked_.push_back(&view);
  // A send that waits for its receive has announced itself; this is not a second message.
  const auto is_blocked_send = [&](const Endpoint::Unreceived& message, Rank to) {
    return ranges::any_of(blocked_, [&](const RankView* view) {
      return is_send(view->verb) && view->rank == message.source && view->peer == to &&
             view->tag == message.tag && view->context == message.context;
    });
  };
  for (const auto& report : reports_) {
    if (!report) continue;
    for (const auto& message : report->unreceived)
      if (!is_blocked_send(message, report->rank)) {
        senders_.push_back(message.source);
        known.verbs.push_back({.rank = message.source,
                               .peer = report->rank,
                               .tag = message.tag,
                               .context = message.context,
                               .send = true,
                               .buffered = true});
      }
  }
  for (const RankView* view : blocked_)
    known.verbs.push_back({.rank = view->rank,
                           .peer = view->peer,
                           .tag = view->tag,
                           .context = view->context,
                           .send = is_send(view->verb),
                           .open = true,
                           .in_call = is_inside(*view)});
  known.at = [this](std::uint32_t verb) {
    return verb < senders_.size() ? std::string() : place(view_of(verb));
  };
  return known;
}

// Returns only advice that holds whatever the ranks did before; other advice needs the trace.
std::string Explainer::advice() const {
  using Cause = matching::Diagnosis::Cause;
  if (found_.empty()) return {};
  switch (found_.front().cause) {
    case Cause::itself:
    case Cause::call:
    case Cause::communicator:
    case Cause::tag:
    case Cause::sends:
    case Cause::receives: return found_.front().why + " " + found_.front().advice;
    default: return {};
  }
}

// Returns, as on a status page, "blocked in recv from rank 3 (4096 B) at allreduce_ring.cpp:21".
std::string Explainer::where(const RankView* wait, const std::vector<RankView>& views) {
  if (wait == nullptr) return views.empty() ? "blocked" : describe(views.front());
  std::string text =
      is_inside(*wait)
          ? fmt::format("blocked in {}",
                        wait->phase.starts_with(kBuiltIn) ? "the " + wait->phase : wait->phase)
          : fmt::format("blocked in {} {} {} ({} B)", to_string(wait->verb),
                        is_send(wait->verb) ? "to" : "from", rank_name(wait->peer), wait->bytes);
  if (wait->line != 0) text += fmt::format(" at {}:{}", wait->file, wait->line);
  return text;
}

Deadlock Explainer::explain() const {
  Deadlock deadlock;
  const auto cycle = shortest_cycle();
  for (const RankView* const wait : cycle) deadlock.cycle.push_back(wait->rank);
  DeadlockText& text = deadlock.text;
  if (deadlock.cycle.empty()) {
    describe_dead_end(text);
  } else {
    text.headline = "deadlock: " + name_cycle(deadlock.cycle);
    text.what = text.headline + ": " + describe_cycle(cycle);
  }
  std::vector<Rank> others;
  for (Rank rank = 0; rank < size(); ++rank) {
    if (ended(rank)) continue;
    const RankView* const wait = first_wait(rank);
    const auto& views = reports_[static_cast<std::size_t>(rank)]->views;
    const RankView* const view = idle(rank);
    deadlock.failures.push_back(
        {rank, "waits for ever", view == nullptr ? where(wait, views) : idle_text(*view), 0});
    if (ranges::find(deadlock.cycle, rank) == deadlock.cycle.end()) others.push_back(rank);
  }
  if (!deadlock.cycle.empty() && !others.empty())
    text.what += fmt::format("; {} more {} for these", others.size(),
                             others.size() == 1 ? "rank waits" : "ranks wait");
  text.advice = advice();
  return deadlock;
}

}  // namespace

Deadlock explain_deadlock(const std::vector<std::optional<Standstill>>& reports,
                          std::string_view platform) {
  return Explainer(reports, platform).explain();
}

}  // namespace rankscope
