// Finds the first message in which two runs diverge.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/analysis/diff.h"
#include "engine/analysis/events/rounds.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/spacetime/comparison.h"

namespace rankscope {
namespace {

// What a message is, whenever it was sent.
struct Sent {
  int round = 0;
  Rank from = 0, to = 0;
  std::uint64_t bytes = 0;
  std::size_t index = 0;
  auto key() const { return std::tuple(round, from, to, bytes); }
};

std::vector<Sent> sent_in(const Rounds& rounds) {
  std::vector<Sent> list;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const auto& m = rounds.messages[i];
    if (!m.sync) list.push_back({rounds.round[i], m.from, m.to, m.bytes, i});
  }
  ranges::sort(list, {},
               [](const Sent& sent) { return std::tuple_cat(sent.key(), std::tuple(sent.index)); });
  return list;
}

std::string words(const Sent& sent) {
  return fmt::format("rank {} sends {} to rank {}", sent.from, amount_text(sent.bytes), sent.to);
}

Divergence by_messages(const TraceAnalysis& a, const TraceAnalysis& b) {
  const auto left = sent_in(a.rounds()), right = sent_in(b.rounds());
  const auto same = std::ranges::mismatch(left, right, {}, &Sent::key, &Sent::key);
  const auto l = same.in1, r = same.in2;
  Divergence found;
  if (l == left.end() && r == right.end()) return found;
  if (l == left.end() || r == right.end()) {
    const bool first_ends = l == left.end();
    const Sent& next = first_ends ? *r : *l;
    (first_ends ? found.b : found.a) = next.index;
    found.text = fmt::format("Round {}: the {} run has no more messages; in the other, {}.",
                             next.round, first_ends ? "first" : "second", words(next));
    return found;
  }
  // A round that only one of them has messages left in is the other's end of that round.
  if (l->round <= r->round) found.a = l->index;
  if (r->round <= l->round) found.b = r->index;
  const int round = std::min(l->round, r->round);
  const std::string nothing = "nothing more is sent";
  found.text = fmt::format("Round {}: in the first run, {}; in the second, {}.", round,
                           found.a ? words(*l) : nothing, found.b ? words(*r) : nothing);
  return found;
}

// The first message that a rank has to do with at this event or after it.
std::optional<std::size_t> message_from(const TraceAnalysis& run,
                                        std::optional<std::uint64_t> event, Rank rank) {
  if (!event) return std::nullopt;
  std::optional<std::size_t> best;
  std::uint64_t earliest = kNoEvent;
  const auto& all = run.messages();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].sync) continue;
    const auto at = all[i].from == rank ? all[i].sent
                    : all[i].to == rank ? all[i].recv_posted
                                        : kNoEvent;
    if (at < *event || at >= earliest) continue;
    earliest = at;
    best = i;
  }
  return best;
}

std::string side(const Trace& trace, std::optional<std::uint64_t> at) {
  return at ? describe(trace, *at) : "nothing more";
}

}  // namespace

Divergence find_divergence(const TraceAnalysis& left, const TraceAnalysis& right) {
  const Trace &a = left.trace(), &b = right.trace();
  if (a.meta().algorithm != b.meta().algorithm) return by_messages(left, right);
  const auto difference = first_difference(a, b);
  if (!difference) return {};
  Divergence found;
  found.text =
      fmt::format("Rank {}, step {}: in the first run, {}; in the second, {}.", difference->rank,
                  difference->step + 1, side(a, difference->left), side(b, difference->right));
  found.a = message_from(left, difference->left, difference->rank);
  found.b = message_from(right, difference->right, difference->rank);
  return found;
}

}  // namespace rankscope
