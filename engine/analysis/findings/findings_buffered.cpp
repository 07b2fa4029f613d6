// Finds code that is right only as long as sends are buffered: replays each rank's steps in program order, with every
// blocking send held until its receive is posted.

#include <fmt/format.h>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

/// Tells by the source texts in the trace which sends block, where waits are not recorded.
class Sources {
 public:
  explicit Sources(const Trace& trace)
      : trace_(trace), known_(trace.definitions(Definition::Kind::site).size() + 1, kUnknown) {}

  bool blocks(std::uint32_t site) {
    if (site >= known_.size()) return false;
    if (known_[site] == kUnknown) known_[site] = only_sends(SourceText(trace_, site)) ? 1 : 0;
    return known_[site] == 1;
  }

 private:
  /// Returns whether the site's line calls send, and no other verb that sends.
  static bool only_sends(const SourceText& text) {
    bool sends = false, others = false;
    each_call(text, text.line_number(), [&](std::string_view name, std::string_view) {
      sends |= name == "send";
      others |= name == "isend" || name == "sendrecv";
      return others;
    });
    return sends && !others;
  }

  const Trace& trace_;
  static constexpr std::int8_t kUnknown = -1;
  std::vector<std::int8_t> known_;  // by site
};

/// A strand of a rank: its posts and waits, in order.
struct Strand {
  struct Step {
    std::uint32_t operation;
    bool waits;
  };
  std::vector<Step> steps;
  std::size_t next = 0;
};

class Replay {
 public:
  Replay(const TraceOperations& facts, Report& report)
      : facts_(facts), report_(report), sources_(facts.trace), posted_(facts.operations.size()) {}

  void find() {
    if (!facts_.ran_through() || !any_blocks() || !collect()) return;
    waiting_.assign(facts_.operations.size(), kNone);
    for (std::uint32_t s = 0; s < strands_.size(); ++s) go_on(s);
    std::map<Rank, std::uint32_t> stuck;  // what each rank stands in
    for (const Strand& strand : strands_)
      if (strand.next < strand.steps.size()) {
        const auto i = strand.steps[strand.next].operation;
        stuck.try_emplace(facts_.operations[i].rank, i);
      }
    // Senders that were held up would have met a receive from any rank in another order.
    const auto wild = [&](const auto& at) { return facts_.operations[at.second].peer < 0; };
    if (!stuck.empty() && ranges::none_of(stuck, wild)) report_stuck(stuck);
  }

 private:
  bool any_blocks() {
    return facts_.every_wait || ranges::any_of(facts_.operations, [&](const Operation& one) {
             return one.send && !one.sync && !one.built_in && sources_.blocks(one.site);
           });
  }

  bool collect() {
    std::map<std::pair<Rank, std::uint16_t>, std::uint32_t> by_name;
    bool any = false;
    for (const auto& [event, i, number, what] : facts_.moments) {
      if (i == kNone || what == Moment::What::completed) continue;
      const Operation& one = facts_.operations[i];
      if (one.partner == kNone || one.sync) continue;
      const bool posts = what == Moment::What::posted;
      // A wait for a blocking send that was held up, at its own line, is the send itself.
      if (!posts && one.send && (one.built_in || !waits_count(event))) continue;
      const auto [at, fresh] =
          by_name.try_emplace({one.rank, number}, static_cast<std::uint32_t>(strands_.size()));
      if (fresh) strands_.emplace_back();
      auto& steps = strands_[at->second].steps;
      const bool waits = !posts || (one.waited == kNoEvent && blocks(one));
      if (posts) steps.push_back({i, false});
      if (waits) steps.push_back({i, true});
      any |= waits && one.send;
    }
    return any;
  }

  /// Unless every wait is recorded, waits for sends are in the trace only by chance.
  bool waits_count(std::uint64_t wait) {
    return facts_.every_wait || sources_.blocks(facts_.trace[wait].site);
  }
  bool blocks(const Operation& one) {
    if (one.dropped || (one.send && one.built_in)) return false;
    if (!one.send) return true;
    return facts_.every_wait || sources_.blocks(one.site);
  }

  // A stack of strands instead of recursion: one may wake the next, over the whole run.
  void go_on(std::uint32_t first) {
    ready_.push_back(first);
    while (!ready_.empty()) {
      const auto s = ready_.back();
      ready_.pop_back();
      Strand& strand = strands_[s];
      for (; strand.next < strand.steps.size(); ++strand.next) {
        const auto [i, waits] = strand.steps[strand.next];
        const auto partner = facts_.operations[i].partner;
        if (!waits) {
          posted_[i] = true;
          if (const auto other = waiting_[i]; other != kNone) {
            waiting_[i] = kNone;
            ready_.push_back(other);
          }
        } else if (!posted_[partner]) {
          waiting_[partner] = s;
          break;
        }
      }
    }
  }

  void report_stuck(const std::map<Rank, std::uint32_t>& stuck) {
    // Each stuck rank waits for one other: followed until one comes twice.
    std::vector<std::uint32_t> path;
    std::map<Rank, std::size_t> place;
    Rank rank = stuck.begin()->first;
    std::size_t begin = 0;
    for (;;) {
      const auto at = stuck.find(rank);
      if (at == stuck.end()) break;  // it waits for a strand that went on: no circle
      if (const auto [known, fresh] = place.try_emplace(rank, path.size()); !fresh) {
        begin = known->second;
        break;
      }
      path.push_back(at->second);
      rank = facts_.operations[facts_.operations[at->second].partner].rank;
    }
    path.erase(path.begin(), path.begin() + std::ptrdiff_t(begin));
    report_.add(cycle_finding(path));
  }

  Finding cycle_finding(const std::vector<std::uint32_t>& cycle) const {
    Finding found(Kind::needs_buffering);
    std::string steps;
    for (const auto i : cycle) {
      const Operation& one = facts_.operations[i];
      const Rank peer = facts_.operations[one.partner].rank;
      found.ranks.push_back(one.rank);
      found.events.push_back(one.posted);
      if (found.ranks.size() <= 4)
        steps += fmt::format("{}rank {} {} rank {}{}", steps.empty() ? "" : ", ", one.rank,
                             one.built_in ? "waits for"
                             : one.send   ? "sends to"
                                          : "receives from",
                             peer, facts_.at(one.posted));
    }
    if (cycle.size() > 4) steps += " and so on";
    found.site = facts_.site(found.events[0]);
    found.what = fmt::format(
        "this works only as long as sends are buffered; otherwise {} would "
        "wait for {}: {}",
        found.ranks.size() > 4 ? fmt::format("{} ranks", found.ranks.size())
                               : rank_list(found.ranks),
        found.ranks.size() == 1 ? "itself" : "each other", steps);
    found.why =
        "A blocking send may wait until its receive has begun: torch.distributed always "
        "does, MPI for messages above a limit. Then everybody sends and nobody receives.";
    if (found.ranks.size() == 1) {
      found.why =
          "A blocking send of a larger message waits until its receive has begun, and this "
          "rank begins that receive only after the send.";
      found.advice = fmt::format(
          "Keep rank {}'s own value instead of sending it: send on the other ranks only, and let "
          "rank {} receive from these.",
          found.ranks.front(), found.ranks.front());
      return found;
    }
    if (found.ranks.size() <= 4 && explain_behind(cycle, found)) return found;
    found.advice = fmt::format(
        "Let one of the ranks receive first (even ranks send first, odd ones receive first){}. A "
        "run with rendezvous sends shows it.",
        platform_of(facts_.platform).both);
    return found;
  }

  /// Explains receivers that begin the receive only after a collective or another receive; returns whether there is one.
  bool explain_behind(const std::vector<std::uint32_t>& cycle, Finding& found) const {
    std::string words, places;
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const Operation& send = facts_.operations[cycle[k]];
      const Operation& then = facts_.operations[cycle[(k + 1) % cycle.size()]];
      if (!send.send || send.built_in || (then.send && !then.built_in)) continue;
      const std::string here = facts_.at(facts_.operations[send.partner].posted);
      const std::string there = facts_.at(then.posted);
      words += fmt::format(" Rank {} receives{} only after {}{}, and that needs rank {}.",
                           then.rank, here, then.built_in ? "it was" : "its receive", there,
                           facts_.operations[then.partner].rank);
      places +=
          fmt::format("{} rank {} receive{} before {}{}", places.empty() ? "Let" : ", and let",
                      then.rank, here, then.built_in ? "it is" : "its receive", there);
    }
    if (words.empty()) return false;
    found.why =
        "A blocking send may wait until its receive has begun: torch.distributed always "
        "does, MPI for messages above a limit." +
        words;
    found.advice = places + ". A run with rendezvous sends shows it.";
    return true;
  }

  const TraceOperations& facts_;
  Report& report_;
  Sources sources_;
  std::vector<Strand> strands_;
  std::vector<bool> posted_;
  std::vector<std::uint32_t> waiting_;  // by operation: the strand that waits until it is posted
  std::vector<std::uint32_t> ready_;
};

}  // namespace

// A run that ended with rendezvous sends has shown that it needs no buffered ones.
// Which send holds up which receive cannot be known where several threads of a rank make calls.
void find_buffered_only(const TraceOperations& facts, Report& report) {
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank)
    if (facts.has_threads(rank)) return;
  // A receive that was given up took no message: in a replay it would take that of a later receive.
  if (ranges::any_of(facts.operations,
                     [](const Operation& one) { return !one.send && one.dropped; }))
    return;
  if (facts.rendezvous &&
      (facts.status == JobResult::Status::ok || facts.status == JobResult::Status::wrong_result))
    return;
  Replay(facts, report).find();
}

}  // namespace rankscope::finder
