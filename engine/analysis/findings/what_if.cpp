// Replays the blocked part of a run under changes, in rendezvous mode unless the change says otherwise.
#include "engine/analysis/findings/what_if.h"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/events/rounds.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

// ---- The calls of blocked ranks -----------------------------------------------------------------

struct Call {
  bool send = false;
  Rank peer = -1;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t site = 0;
  bool waits =
      true;  ///< The rank blocks here until its partner comes; else it waits after its last call.
  bool buffered = false;  ///< A send that completes without its receive.
  // State of the replay.
  OpId op = 0;  ///< 0: not posted.
  bool met = false;
};

/// Each rank's calls, in program order.
using Program = std::map<Rank, std::vector<Call>>;

class BlockedProgram {
 public:
  explicit BlockedProgram(const Trace& trace);

  /// Returns whether a replay is possible: ranks are blocked, each in a send or receive with a known other rank.
  bool possible() const noexcept { return possible_ && !stands_.empty(); }
  const BlockedRanks& blocked() const noexcept { return blocked_; }
  const Program& program() const noexcept { return program_; }
  /// Sites of lines that no rank reached, which the trace lacks.
  const std::vector<Definition>& sites() const noexcept { return sites_; }
  /// Lines of calls that were read from the source, not from the trace.
  const std::set<unsigned>& lines() const noexcept { return lines_; }
  /// Ranks whose next call is not known.
  const std::vector<Rank>& unknown() const noexcept { return unknown_; }
  /// Returns, for each cycle that swapping two calls could break, its first rank.
  std::vector<Rank> first_by_order() const;

 private:
  void add(const BlockedVerb& verb);
  std::optional<Call> next_of(const BlockedVerb& verb) const;
  std::uint32_t site_of_next(const BlockedVerb& verb, std::uint32_t site);

  const Trace& trace_;
  const BlockedRanks blocked_;
  std::map<Rank, BlockedVerb> stands_;
  Program program_;
  std::vector<Definition> sites_;
  std::set<unsigned> lines_;
  std::vector<Rank> unknown_;
  bool possible_ = true;
};

BlockedProgram::BlockedProgram(const Trace& trace) : trace_(trace), blocked_(blocked_ranks(trace)) {
  for (const BlockedGroup& group : blocked_.groups)
    for (const auto* verbs : {&group.roots, &group.followers})
      for (const BlockedVerb& verb : *verbs) {
        possible_ = possible_ && !verb.in_call && verb.on >= 0 && verb.on != verb.rank;
        stands_.try_emplace(verb.rank, verb);
      }
  for (const auto& [rank, verb] : stands_) add(verb);
}

std::vector<Rank> BlockedProgram::first_by_order() const {
  std::vector<Rank> first;
  for (const BlockedGroup& group : blocked_.groups)
    if (group.by_order && program_.at(group.roots.front().rank).size() > 1)
      first.push_back(group.roots.front().rank);
  return first;
}

void BlockedProgram::add(const BlockedVerb& verb) {
  auto& calls = program_[verb.rank];
  const std::uint32_t site = trace_[verb.event].site;
  calls.push_back({verb.send, verb.on, verb.tag, verb.bytes, site});
  const auto next = next_of(verb);
  if (!next) {
    unknown_.push_back(verb.rank);
    return;
  }
  lines_.insert(verb.next_line);
  calls.push_back(*next);
  calls.back().site = site_of_next(verb, site);
}

/// Returns the call after the blocked one, from the program's source. Its peer is a literal number, the same expression
/// as the blocked call's, or the only rank that waits for this one.
std::optional<Call> BlockedProgram::next_of(const BlockedVerb& verb) const {
  if (verb.next_line == 0) return std::nullopt;
  const BlockedVerb* partner = nullptr;
  int partners = 0;
  for (const auto& [rank, other] : stands_)
    if (other.on == verb.rank && other.send == verb.send) {
      partner = &other;
      ++partners;
    }
  Call call{!verb.send, -1, verb.tag, verb.bytes};
  const std::string& text = verb.next_peer_text;
  if (const auto number = as_number<int>(text)) call.peer = *number;
  else if (!text.empty() && text == verb.peer_text) call.peer = verb.on;
  else if (partners == 1) call.peer = partner->rank;
  if (call.peer < 0 || call.peer >= trace_.world_size()) return std::nullopt;
  if (partner != nullptr && partner->rank == call.peer) {
    call.tag = partner->tag;
    if (verb.send) call.bytes = partner->bytes;
  }
  return call;
}

std::uint32_t BlockedProgram::site_of_next(const BlockedVerb& verb, std::uint32_t site) {
  const auto* known = trace_.definition(Definition::Kind::site, site);
  if (known == nullptr) return 0;
  for (const Definition& one : sites_)
    if (one.line == verb.next_line && one.file == known->file) return one.id;
  Definition made = *known;
  made.id = static_cast<std::uint32_t>(trace_.definitions(Definition::Kind::site).size() +
                                       sites_.size() + 1);
  made.line = verb.next_line;
  sites_.push_back(made);
  return made.id;
}

constexpr std::int64_t kTickNs = 1000;

/// "0 → 1 → 0"; for a long circle, its beginning and its end.
std::string circle_text(const std::vector<Rank>& path) {
  constexpr std::size_t kMost = 7, kFirst = 4;
  if (path.size() <= kMost) return fmt::format("{}", fmt::join(path, " → "));
  const auto first = path.begin() + kFirst;
  return fmt::format("{} → … → {}", fmt::join(path.begin(), first, " → "), path.back());
}

// ---- The replay ------------------------------------------------------------------------------------

class Replay {
 public:
  Replay(const Trace& trace, const BlockedProgram& known, Program program)
      : real_(trace),
        program_(std::move(program)),
        batches_(static_cast<std::size_t>(trace.world_size())),
        at_(batches_.size(), 0),
        ops_(batches_.size(), 0) {
    for (std::size_t rank = 0; rank < batches_.size(); ++rank) {
      batches_[rank].rank = static_cast<Rank>(rank);
      for (const Definition& site : trace.definitions(Definition::Kind::site))
        if (site.id != 0) batches_[rank].definitions.push_back(site);
      for (const Definition& site : known.sites()) batches_[rank].definitions.push_back(site);
    }
    while (advance() || meet()) now_ += kTickNs;
    for (std::size_t rank = 0; rank < batches_.size(); ++rank)
      if (has_ended(static_cast<Rank>(rank))) put_end(static_cast<Rank>(rank));
  }

  bool ends() const {
    return ranges::all_of(program_, [&](const auto& one) { return has_ended(one.first); });
  }

  /// Returns the number of messages never received, without those to ranks whose next call is unknown.
  std::uint64_t unreceived(const std::vector<Rank>& unknown) const {
    std::uint64_t count = 0;
    for (const auto& [rank, calls] : program_)
      for (const Call& call : calls)
        if (call.send && !call.met && ranges::find(unknown, call.peer) == unknown.end()) ++count;
    return count;
  }

  /// "0 → 1 → 0", or the ranks that wait.
  std::string circle() const {
    for (const auto& [rank, calls] : program_) {
      std::vector<Rank> path{rank};
      while (true) {
        const Rank next = waits_for(path.back());
        if (next < 0) break;
        path.push_back(next);
        if (ranges::count(path, next) < 2) continue;
        path.erase(path.begin(), ranges::find(path, next));
        return circle_text(path);
      }
    }
    for (const auto& [rank, calls] : program_)
      if (const Rank on = waits_for(rank); on >= 0)
        return fmt::format("rank {} waits for rank {}", rank, on);
    return {};
  }

  Trace trace(const std::string& label) const {
    TraceMeta meta;
    meta.world_size = real_.world_size();
    meta.algorithm =
        fmt::format("{}, ghost run: {}",
                    real_.meta().algorithm.empty() ? "run" : real_.meta().algorithm, label);
    meta.program = real_.meta().program;
    meta.sources = real_.meta().sources;
    meta.outcome.emplace().status = ends() ? JobResult::Status::ok : JobResult::Status::deadlock;
    meta.complete = true;
    return make_trace(batches_, meta);
  }

 private:
  std::size_t& at(Rank rank) { return at_[static_cast<std::size_t>(rank)]; }

  bool has_ended(Rank rank) const {
    const auto calls = program_.find(rank);
    if (calls == program_.end()) return true;
    return at_[static_cast<std::size_t>(rank)] == calls->second.size() &&
           ranges::all_of(calls->second,
                          [](const Call& call) { return call.met || call.buffered; });
  }

  /// Returns the peer on which a rank is blocked; -1 if it has ended.
  Rank waits_for(Rank rank) const {
    if (has_ended(rank)) return -1;
    for (const Call& call : program_.at(rank))
      if (call.op != 0 && !call.met && !call.buffered) return call.peer;
    return -1;
  }

  /// Runs each rank until it blocks; returns whether any advanced.
  bool advance() {
    bool any = false;
    for (auto& [rank, calls] : program_)
      while (at(rank) < calls.size()) {
        Call& call = calls[at(rank)];
        if (call.op == 0) {
          post(rank, call);
          any = true;
        }
        if (call.waits && !call.met && !call.buffered) break;
        ++at(rank);
        any = true;
      }
    return any;
  }

  /// Pairs sends and receives that fit, in the order in which they were posted.
  bool meet() {
    bool any = false;
    for (auto& [to, receives] : program_)
      for (Call& receive : receives) {
        if (receive.send || receive.op == 0 || receive.met) continue;
        const auto sender = program_.find(receive.peer);
        if (sender == program_.end()) continue;
        for (Call& send : sender->second) {
          const bool fits =
              send.send && send.op != 0 && !send.met && send.peer == to && send.tag == receive.tag;
          if (!fits) continue;
          send.met = receive.met = any = true;
          finish(sender->first, send, to, receive);
          break;
        }
      }
    return any;
  }

  void post(Rank rank, Call& call) {
    call.op = make_op(rank, ++ops_[static_cast<std::size_t>(rank)]);
    put(EventKind::posted, rank, call, 0);
    if (call.send && call.buffered) put(EventKind::completed, rank, call, 0);
  }

  void finish(Rank from, const Call& send, Rank to, const Call& receive) {
    now_ += kTickNs;
    if (!send.buffered) put(EventKind::matched, from, send, receive.op);
    put(EventKind::matched, to, receive, send.op);
    put(EventKind::completed, to, receive, send.op);
    if (!send.buffered) put(EventKind::completed, from, send, 0);
  }

  void put(EventKind kind, Rank rank, const Call& call, OpId cause) {
    StepEvent event;
    event.kind = kind;
    event.verb = call.send ? Verb::send : Verb::recv;
    event.peer = call.peer;
    event.tag = call.tag;
    event.op = call.op;
    event.cause = cause;
    event.bytes = call.bytes;
    event.site = call.site;
    event.mode = call.buffered ? SendMode::buffered : SendMode::rendezvous;
    add(rank, event);
  }

  void put_end(Rank rank) {
    StepEvent event;
    event.kind = EventKind::job;
    event.verb = Verb::job_end;
    add(rank, event);
  }

  void add(Rank rank, StepEvent event) {
    EventBatch& batch = batches_[static_cast<std::size_t>(rank)];
    event.rank = rank;
    event.time_ns = event.begin_ns = now_;
    event.seq = static_cast<std::uint32_t>(batch.events.size());
    event.origin = Origin::simulator;
    batch.events.push_back(event);
  }

  const Trace& real_;
  Program program_;
  std::vector<EventBatch> batches_;
  std::vector<std::size_t> at_;
  std::vector<std::uint64_t> ops_;
  std::int64_t now_ = 0;
};

// ---- The changes -----------------------------------------------------------------------------------

void swap_first(Program& program, Rank rank) {
  auto& calls = program.at(rank);
  std::swap(calls[0], calls[1]);
}

void go_on(Program& program, bool sends) {
  for (auto& [rank, calls] : program)
    if (calls.size() > 1 && calls.front().send == sends) calls.front().waits = false;
}

void buffer_sends(Program& program) {
  for (auto& [rank, calls] : program)
    for (Call& call : calls) call.buffered = call.send;
}

/// Each receive takes the tag of the send that waits for it.
void give_same_tags(Program& program) {
  for (auto& [rank, calls] : program)
    for (Call& receive : calls) {
      const auto sender = program.find(receive.peer);
      if (receive.send || sender == program.end()) continue;
      for (const Call& send : sender->second)
        if (send.send && send.peer == rank) receive.tag = send.tag;
    }
}

class Asker {
 public:
  explicit Asker(const Trace& trace) : trace_(trace), known_(trace) {}

  std::vector<WhatIf> all() {
    if (!known_.possible()) return {};
    if (auto first = known_.first_by_order(); !first.empty()) {
      const bool send = known_.program().at(first.front()).front().send;
      // If some cycles are of sends and others of receives, only those like the first are changed.
      std::erase_if(first,
                    [&](Rank rank) { return known_.program().at(rank).front().send != send; });
      const char* const s = first.size() == 1 ? "s" : "";
      ask(send ? "receive-first" : "send-first",
          fmt::format("{} {}{} first", rank_list(first), send ? "receive" : "send", s),
          [&](Program& program) {
            for (const Rank rank : first) swap_first(program, rank);
          });
      ask(send ? "isend" : "irecv", send ? "isend instead of send" : "irecv instead of recv",
          [&](Program& program) { go_on(program, send); });
    }
    if (ranges::any_of(known_.blocked().groups, &BlockedGroup::tags_differ))
      ask("same-tags", "the tags are the same", give_same_tags);
    ask("buffered", "sends are buffered", buffer_sends);
    ask("as-written", "as written", [](Program&) {});
    return std::move(found_);
  }

 private:
  template <class Change>
  void ask(std::string_view name, std::string label, Change change) {
    Program program = known_.program();
    change(program);
    const Replay replay(trace_, known_, std::move(program));
    WhatIf one;
    one.name = name;
    one.label = std::move(label);
    const std::uint64_t alone = replay.unreceived(known_.unknown());
    const char* const how = known_.unknown().empty() ? "ends" : "goes on";
    one.ends = replay.ends() && alone == 0;
    one.run = replay.trace(one.label);
    const int steps = rounds(one.run).count;
    const std::string circle = replay.circle();
    const std::string still = name == "as-written" ? "deadlock" : "still a deadlock";
    if (replay.ends() && alone > 0)
      one.outcome = fmt::format("{}, but {} {} never received", how, counted(alone, "message"),
                                alone == 1 ? "is" : "are");
    else if (!one.ends) one.outcome = circle.empty() ? still : still + ": " + circle;
    else one.outcome = fmt::format("{} after {} step{}", how, steps, steps == 1 ? "" : "s");
    one.proviso = proviso();
    found_.push_back(std::move(one));
  }

  std::string proviso() const {
    std::string text;
    if (const bool one = known_.lines().size() == 1; !known_.lines().empty())
      text = fmt::format(
          "Begins where the ranks are blocked. No rank has reached line{} {}: {} read from the "
          "program's text, and what follows is not known.",
          one ? "" : "s", fmt::join(known_.lines(), ", "), one ? "it is" : "they are");
    if (known_.unknown().empty()) return text;
    const auto& ranks = known_.unknown();
    return text + fmt::format("{}What {} calls next is not known.", text.empty() ? "" : " ",
                              ranks.size() == 1 ? rank_list(ranks)
                                                : fmt::format("each of {} ranks", ranks.size()));
  }

  const Trace& trace_;
  const BlockedProgram known_;
  std::vector<WhatIf> found_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const Trace& trace) { return Asker(trace).all(); }

}  // namespace rankscope
