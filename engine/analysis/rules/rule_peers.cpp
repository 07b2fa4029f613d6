// Rules on senders and receivers.
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope::rules {
namespace {

std::string step(const Message& m) { return fmt::format("step {}: ", m.round); }

RuleResult check_star(const ProgramMessages& facts) {
  const Rank root = facts.asked.root;
  for (const Message& m : facts.messages)
    if (m.from != root && m.to != root)
      return facts.broken(
          m, fmt::format("{}rank {} sent to rank {}, where every message goes to rank {} "
                         "or comes from it",
                         step(m), m.from, m.to, root));
  return {};
}

RuleResult check_pairs(const ProgramMessages& facts) {
  std::set<std::pair<Rank, Rank>> seen;
  for (const Message& m : facts.messages)
    if (!seen.emplace(m.from, m.to).second)
      return facts.broken(m,
                          fmt::format("{}rank {} sent to rank {} a second time, where each pair of "
                                      "ranks was expected once",
                                      step(m), m.from, m.to));
  for (Rank from = 0; from < facts.asked.ranks; ++from)
    for (Rank to = 0; to < facts.asked.ranks; ++to)
      if (from != to && !seen.contains({from, to}))
        return facts.broken(fmt::format("rank {} never sent to rank {}", from, to));
  return {};
}

// Data goes from the root to all ranks: whether the sender had it, and the receiver had it before.
std::optional<std::string> fault_of_once(const ProgramMessages& facts, const Message& m,
                                         bool pieces) {
  if (m.to == facts.asked.root)
    return fmt::format("rank {} sent to rank {}, where the data comes from", m.from, m.to);
  const auto& own = facts.taken[static_cast<std::size_t>(m.from)];
  if (m.from != facts.asked.root && (own.empty() || !facts.before(facts.messages[own.front()], m)))
    return fmt::format("rank {} sent to rank {} before it had the data itself", m.from, m.to);
  const Message& first = facts.messages[facts.taken[static_cast<std::size_t>(m.to)].front()];
  if (first.send != m.send && !(pieces && first.from == m.from))
    return fmt::format("rank {} sent to rank {}, which already got a message from rank {}", m.from,
                       m.to, first.from);
  return std::nullopt;
}

RuleResult check_once(const ProgramMessages& facts, bool chain, bool pieces) {
  for (const Message& m : facts.messages) {
    if (chain && m.to != m.from + 1)
      return facts.broken(
          m, fmt::format("{}rank {} sent to rank {}, where each rank sends to the next one only",
                         step(m), m.from, m.to));
    if (const auto fault = fault_of_once(facts, m, pieces))
      return facts.broken(m, step(m) + *fault);
  }
  for (Rank rank = 0; rank < facts.asked.ranks; ++rank)
    if (rank != facts.asked.root && facts.taken[static_cast<std::size_t>(rank)].empty())
      return facts.broken(fmt::format("no message went to rank {}", rank));
  return {};
}

RuleResult check_participants(const ProgramMessages& facts) {
  const auto [from, to] = std::pair(facts.asked.root, facts.asked.target);
  for (const Message& m : facts.messages)
    if (m.from != from || m.to != to)
      return facts.broken(
          m, fmt::format("rank {} sent to rank {}, where only rank {} sends, to rank {}", m.from,
                         m.to, from, to));
  for (std::uint64_t k = 0; k < facts.trace.size(); ++k) {
    const StepEvent& event = facts.trace[k];
    const bool receives = event.kind == EventKind::posted &&
                          (event.verb == Verb::recv || event.verb == Verb::recv_reduce);
    if (receives && event.rank != to && facts.counts(k)) {
      RuleResult result = facts.broken(
          fmt::format("rank {} waits for a message, where only rank {} receives", event.rank, to));
      result.event = k;
      result.rank = event.rank;
      return result;
    }
  }
  // A send that does not wait for its receive has gone, whether it is received or not.
  for (const Message& m : facts.messages)
    if (m.received == kNoEvent && !facts.gaps)
      return facts.broken(
          fmt::format("rank {} does not receive what rank {} sends to it", m.to, m.from));
  return {};
}

/// The ranks that take part in an exchange, which are a power of two, and those that they stand for.
struct Folding {
  std::vector<Rank> takes_part;  // by number in the exchange
  std::vector<Rank> carries;     // by rank: the rank that it stands for, or -1
  bool fits = true;
  Rank carried_by(Rank rank) const {
    return carries.empty() ? -1 : carries[static_cast<std::size_t>(rank)];
  }
};

// A rank sits out when it only gives its data to one rank and gets an answer from it.
Folding folding_of(const ProgramMessages& facts) {
  const int n = facts.asked.ranks;
  const auto surplus = static_cast<std::size_t>(n - (1 << floor_log2(n)));
  std::vector<const Message*> gives;
  for (Rank rank = 0; surplus > 0 && rank < n; ++rank) {
    const auto& out = facts.sent[static_cast<std::size_t>(rank)];
    const auto& in = facts.taken[static_cast<std::size_t>(rank)];
    if (out.size() == 1 && in.size() == 1 &&
        facts.messages[out[0]].to == facts.messages[in[0]].from &&
        facts.before(facts.messages[out[0]], facts.messages[in[0]]))
      gives.push_back(&facts.messages[out[0]]);
  }
  // Among three ranks, the partner in the only exchange looks the same, except for the round.
  ranges::stable_sort(gives, {}, &Message::round);
  Folding folding;
  folding.fits = gives.size() >= surplus;
  if (!folding.fits) return folding;
  gives.resize(surplus);
  folding.carries.assign(static_cast<std::size_t>(n), -1);
  std::set<Rank> out;
  for (const Message* m : gives) {
    out.insert(m->from);
    folding.carries[static_cast<std::size_t>(m->to)] = m->from;
  }
  for (Rank rank = 0; rank < n; ++rank)
    if (!out.contains(rank)) folding.takes_part.push_back(rank);
  return folding;
}

void check_exchange(const ProgramMessages& facts, const Folding& folding, std::size_t number,
                    FirstFault& first) {
  const Rank rank = folding.takes_part[number];
  const int rounds = ceil_log2(static_cast<int>(folding.takes_part.size()));
  int k = 0;
  for (const std::size_t index : facts.sent[static_cast<std::size_t>(rank)]) {
    const Message& m = facts.messages[index];
    if (m.to == folding.carried_by(rank)) {
      if (k < rounds)
        return first.add(
            k + 1, m,
            fmt::format("step {}: rank {} answered rank {} before its exchange with others was "
                        "over",
                        k + 1, rank, m.to));
      continue;
    }
    if (k >= rounds) {
      first.add(k + 1, m,
                fmt::format("step {}: rank {} sent to rank {}, where {} are enough", k + 1, rank,
                            m.to, messages_text(rounds)));
      return;
    }
    const Rank partner = folding.takes_part[number ^ (std::size_t{1} << k)];
    if (m.to != partner) {
      first.add(k + 1, m,
                fmt::format("step {}: rank {} sent to rank {}, where rank {} was expected "
                            "(at distance {})",
                            k + 1, rank, m.to, partner, std::abs(partner - rank)));
      return;
    }
    ++k;
  }
  if (k < rounds)
    first.missing(fmt::format("rank {} exchanged with {} partner{}, where {} {} expected", rank, k,
                              k == 1 ? "" : "s", rounds, rounds == 1 ? "was" : "were"));
}

// In any order, and as often as the others: a rank of a tree has as many partners as children, and a parent.
void check_any_exchange(const ProgramMessages& facts, const Folding& folding, std::size_t number,
                        bool pieces, std::size_t& partners_each, FirstFault& first) {
  const Rank rank = folding.takes_part[number];
  std::set<Rank> partners;
  for (const std::size_t index : facts.sent[static_cast<std::size_t>(rank)]) {
    const Message& m = facts.messages[index];
    if (m.to == folding.carried_by(rank)) continue;
    const auto at = ranges::find(folding.takes_part, m.to);
    const auto other = static_cast<std::size_t>(at - folding.takes_part.begin());
    if (at == folding.takes_part.end() || !is_power_of_two(static_cast<int>(number ^ other)) ||
        (!partners.insert(m.to).second && !pieces))
      return first.add(m.nth, m,
                       fmt::format("step {}: rank {} sent to rank {}, where one exchange at each "
                                   "of the distances 1, 2, 4 and so on was expected",
                                   m.nth, rank, m.to));
  }
  if (number == 0) partners_each = partners.size();
  if (partners.size() != partners_each)
    first.missing(fmt::format(
        "rank {} sent to {} rank{}, rank {} to {}: in an exchange all ranks send as often", rank,
        partners.size(), partners.size() == 1 ? "" : "s", folding.takes_part.front(),
        partners_each));
}

bool all_go(const ProgramMessages& facts, int shift) {
  return ranges::all_of(facts.messages, [&](const Message& m) {
    return m.to == wrap(m.from + shift, facts.asked.ranks);
  });
}

}  // namespace

RuleResult check_peers(const ProgramMessages& facts, const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::star: return check_star(facts);
    case Rule::Kind::pairs: return check_pairs(facts);
    case Rule::Kind::once: return check_once(facts, false, rule.pieces);
    case Rule::Kind::chain: return check_once(facts, true, rule.pieces);
    default: return check_participants(facts);
  }
}

RuleResult check_xor(const ProgramMessages& facts, const Rule& rule) {
  const int n = facts.asked.ranks, surplus = n - (1 << floor_log2(n));
  const Folding folding = folding_of(facts);
  if (!folding.fits)
    return facts.broken(
        fmt::format("{} ranks are no power of two: before the exchange {} of them {} to "
                    "hand {} data to a partner, and to wait for the result",
                    n, surplus, surplus == 1 ? "has" : "have", surplus == 1 ? "its" : "their"));
  FirstFault first(facts);
  std::size_t partners_each = 0;
  for (std::size_t number = 0; number < folding.takes_part.size(); ++number)
    if (rule.any_order)
      check_any_exchange(facts, folding, number, rule.pieces, partners_each, first);
    else check_exchange(facts, folding, number, first);
  return first.result();
}

RuleResult check_ring(const ProgramMessages& facts, const Rule& rule) {
  const int n = facts.asked.ranks;
  using enum Rule::Direction;
  auto direction = rule.direction;
  if (direction == either && all_go(facts, 1)) direction = right;
  if (direction == either && all_go(facts, -1)) direction = left;
  for (const Message* m : facts.by_place()) {
    const Rank to_left = wrap(m->from - 1, n), to_right = wrap(m->from + 1, n);
    // For `either`, the side is that of the first message to a neighbour.
    if (direction == either && m->to == to_right) direction = right;
    if (direction == either && m->to == to_left) direction = left;
    const Rank wanted = direction == left ? to_left : to_right;
    if (m->to == wanted) continue;
    const bool neighbour = m->to == to_left || m->to == to_right;
    if (!neighbour)
      return facts.broken(
          *m, fmt::format("step {}: rank {} sent to rank {}, which is no neighbour in a "
                          "ring of {}",
                          m->nth, m->from, m->to, n));
    return facts.broken(
        *m, fmt::format(
                "step {}: rank {} sent to rank {}, its {} neighbour, where rank {} was expected",
                m->nth, m->from, m->to, m->to == to_left ? "left" : "right", wanted));
  }
  return check_sends(facts, rule);
}

}  // namespace rankscope::rules
