// Finds receives from any rank that could as well have got another rank's message: two sends to the same receive, neither
// of which comes after the other's receive by the order that messages make (vector clocks; events of one rank are
// ordered, also across its strands).
#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

/// The most clock entries (4 bytes each); larger runs are not judged.
constexpr std::size_t kMostClocks = std::size_t{64} << 20;

/// For each send, the number of receives before it, of each rank that receives from any rank.
class Clocks {
 public:
  explicit Clocks(const TraceOperations& facts)
      : facts_(facts), column_(static_cast<std::size_t>(facts.trace.world_size()), kNone) {
    for (const Operation& one : facts.operations)
      if (!one.send && one.peer < 0 && in_world(one.rank) && column_[at(one.rank)] == kNone)
        column_[at(one.rank)] = columns_++;
    known_.assign(column_.size(), std::vector<std::uint32_t>(columns_, 0));
  }

  bool compute() {
    if (facts_.operations.size() * columns_ > kMostClocks) return false;
    at_send_.assign(facts_.operations.size() * columns_, 0);
    learned_.assign(facts_.operations.size(), 0);
    for (const Moment& moment : facts_.moments)
      if (moment.operation != kNone) visit(moment);
    return true;
  }
  /// Returns whether the sender could know, when it posted the send, that the receive was over.
  bool after(std::uint32_t send, std::uint32_t receive) const {
    const auto column = column_[at(facts_.operations[receive].rank)];
    return learned_[receive] != 0 &&
           at_send_[std::size_t{send} * columns_ + column] >= learned_[receive];
  }

 private:
  static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }
  bool in_world(Rank rank) const { return rank >= 0 && at(rank) < column_.size(); }

  // A receive is known to the code when the wait for it ends, or when it completes.
  void visit(const Moment& moment) {
    const auto i = moment.operation;
    const Operation& one = facts_.operations[i];
    if (!in_world(one.rank)) return;
    auto& mine = known_[at(one.rank)];
    if (one.send) {
      if (moment.what == Moment::What::posted)
        ranges::copy(mine, at_send_.begin() + std::ptrdiff_t(std::size_t{i} * columns_));
      return;
    }
    if (moment.event != (one.waited != kNoEvent ? one.waited : one.completed)) return;
    if (one.partner != kNone)
      for (std::size_t c = 0; c < columns_; ++c)
        mine[c] = std::max(mine[c], at_send_[std::size_t{one.partner} * columns_ + c]);
    if (const auto column = column_[at(one.rank)]; column != kNone) learned_[i] = ++mine[column];
  }

  const TraceOperations& facts_;
  std::vector<std::uint32_t> column_;  // by rank
  std::uint32_t columns_ = 0;
  std::vector<std::vector<std::uint32_t>> known_;  // by rank
  std::vector<std::uint32_t> at_send_, learned_;
};

class Races {
 public:
  Races(const TraceOperations& facts, Report& report)
      : facts_(facts), report_(report), clocks_(facts) {}

  void find() {
    for (std::uint32_t i = 0; i < facts_.operations.size(); ++i)
      if (is_wild(facts_.operations[i])) wild_.push_back(i);
    if (wild_.empty() || !clocks_.compute()) return;
    collect();
    for (const auto i : wild_) look_for_cut_off(i);  // first: these are errors
    for (auto& [key, lanes] : lanes_)
      for (auto& [from, lane] : lanes) lane.next = 0;
    for (const auto i : wild_) look_at(i);
  }

 private:
  /// Messages to one rank with one context and tag, by sender, as they were sent.
  struct Lane {
    std::vector<std::uint32_t> sends;
    std::size_t next = 0;  ///< Earlier ones are received before any receive that is still to come.
  };
  using Key = std::pair<Rank, ContextId>;

  static bool is_wild(const Operation& one) {
    return !one.send && one.peer < 0 && one.partner != kNone && !one.sync && !one.built_in;
  }

  void collect() {
    for (std::uint32_t i = 0; i < facts_.operations.size(); ++i) {
      const Operation& one = facts_.operations[i];
      if (!one.send || one.inside()) continue;
      lanes_[{one.peer, facts_.context(facts_.posted(one))}][{one.rank, one.tag}].sends.push_back(
          i);
    }
  }

  /// Returns, for each other sender and tag, the first message that the receive could get: no earlier receive took it.
  std::vector<std::uint32_t> others(const Operation& wild) {
    std::vector<std::uint32_t> found;
    const Rank got = facts_.operations[wild.partner].rank;
    for (auto& [from, lane] : lanes_[{wild.rank, facts_.context(facts_.posted(wild))}]) {
      if (from.first == got || (wild.tag != kAnyTag && wild.tag != from.second)) continue;
      while (lane.next < lane.sends.size() && received_before(lane.sends[lane.next], wild))
        ++lane.next;
      if (lane.next < lane.sends.size()) found.push_back(lane.sends[lane.next]);
    }
    return found;
  }

  // Each sender's first message, whatever its tag: whether it is too long.
  void look_for_cut_off(std::uint32_t i) {
    const Operation& wild = facts_.operations[i];
    std::map<Rank, std::uint32_t> first;
    for (const std::uint32_t other : others(wild)) {
      const auto [at, fresh] = first.try_emplace(facts_.operations[other].rank, other);
      if (!fresh) at->second = std::min(at->second, other);
    }
    for (const auto& [rank, other] : first)
      if (cut_off(wild, facts_.operations[other]) && !clocks_.after(other, i))
        return report_race(wild, facts_.operations[other]);
  }

  void look_at(std::uint32_t i) {
    for (const std::uint32_t other : others(facts_.operations[i]))
      if (!clocks_.after(other, i))
        return report_race(facts_.operations[i], facts_.operations[other]);
  }

  bool received_before(std::uint32_t send, const Operation& wild) const {
    const auto by = facts_.operations[send].partner;
    return by != kNone && facts_.operations[by].posted < wild.posted;
  }

  void report_race(const Operation& wild, const Operation& other) {
    const Operation& got = facts_.operations[wild.partner];
    const Operation* const later =
        other.partner == kNone ? nullptr : &facts_.operations[other.partner];
    // A line that several callers lead to is one place.
    const auto line = places_.try_emplace(facts_.site(wild.posted), wild.site).first->second;
    report_.add_at(line, cut_off(wild, other) ? line : 0, Kind::wildcard, [&] {
      Finding found(Kind::wildcard);
      // Code that takes the first message can be right: it is not blamed in a right run, and never where both messages go
      // the same way.
      const bool right =
          facts_.status == JobResult::Status::ok || !facts_.status || alike(wild, later);
      if (right) found.severity = Finding::Severity::hint;
      if (cut_off(wild, other)) found.severity = Finding::Severity::error;
      found.ranks = {got.rank, wild.rank, other.rank};
      found.events = {got.posted, wild.posted, other.posted};
      found.site = facts_.site(wild.posted);
      found.what = fmt::format(
          "rank {} receives from any rank{}: it got rank {}'s message (sent{}), and could have "
          "got rank {}'s instead (sent{})",
          wild.rank, facts_.at(wild.posted), got.rank, facts_.at(got.posted), other.rank,
          facts_.at(other.posted));
      found.why = cut_off(wild, other) ? too_long(wild, other) : why(wild, later);
      found.advice =
          cut_off(wild, other)
              ? fmt::format(
                    "Receive from the rank and the tag that {}, or give each receive room "
                    "for the longest message.",
                    platform_of(facts_.platform).mpi
                        ? "the status of the probe names (Get_source(), Get_tag())"
                        : "the probe returns (its source and tag)")
              : "Receive from a named rank, give the messages different tags, or store each "
                "message by its sender, which the receive returns.";
      return found;
    });
  }

  /// Returns whether the other message does not fit into the receive's memory, which would fail.
  static bool cut_off(const Operation& wild, const Operation& other) {
    return wild.bytes > 0 && other.bytes > wild.bytes;
  }

  static std::string too_long(const Operation& wild, const Operation& other) {
    return fmt::format(
        "Which of the two comes first is a matter of timing; the message of rank {} has {}, and "
        "this receive has room for {} only: it would fail.",
        other.rank, counted(other.bytes, "byte"), wild.bytes);
  }

  static bool alike(const Operation& wild, const Operation* later) {
    return later != nullptr && later->peer < 0 && wild.buffer == later->buffer &&
           wild.offset == later->offset;
  }

  std::string why(const Operation& wild, const Operation* later) const {
    if (later == nullptr)
      return "Which of the two comes first is a matter of timing, and the other one is never "
             "received.";
    if (later->peer >= 0)
      return fmt::format(
          "Which of the two comes first is a matter of timing, and then the receive "
          "from rank {}{} would block for ever, unless it receives from any rank that is left.",
          later->peer, facts_.at(later->posted));
    if (!alike(wild, later))
      return "Which of the two comes first is a matter of timing, and each receive puts what it "
             "gets at a place of its own: the order of the ranks' data differs from run to run.";
    return "Which of the two comes first is a matter of timing. That is right where the order does "
           "not matter; sums of floats differ in their last bits.";
  }

  const TraceOperations& facts_;
  Report& report_;
  Clocks clocks_;
  std::vector<std::uint32_t> wild_;
  std::map<std::string, std::uint32_t> places_;  ///< A site for each line.
  std::map<Key, std::map<std::pair<Rank, Tag>, Lane>> lanes_;
};

}  // namespace

void find_races(const TraceOperations& facts, Report& report) { Races(facts, report).find(); }

}  // namespace rankscope::finder
