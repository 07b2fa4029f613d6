// What was otherwise in a run than in another one of the same program, in words.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/explore/explore.h"

namespace rankscope::explore {
namespace {

using finder::TraceOperations;
using Kind = Deviation::Kind;

/// A send by its place in its rank's program: the same in every run that goes the same way until there.
struct SendName {
  Rank from = -1, to = -1;
  std::uint32_t number = 0;
  bool operator==(const SendName&) const = default;
};

/// What each rank's receives got, in the order in which they were posted.
struct Matches {
  struct Receive {
    std::uint32_t operation = 0;
    std::optional<SendName> got;
    bool from_any = false;
  };
  explicit Matches(const Trace& trace) : facts(trace) {
    std::map<std::pair<Rank, Rank>, std::uint32_t> sent;
    for (std::uint32_t k = 0; k < facts.operations.size(); ++k) {
      const finder::Operation& one = facts.operations[k];
      if (one.send) {
        names[k] = {one.rank, one.peer, sent[{one.rank, one.peer}]++};
        by_name[{one.rank, one.peer, names[k].number}] = k;
      }
    }
    for (std::uint32_t k = 0; k < facts.operations.size(); ++k) {
      const finder::Operation& one = facts.operations[k];
      if (one.send || one.sync) continue;
      Receive receive{k, std::nullopt, one.peer == kAnyRank};
      if (const auto name = names.find(one.partner); name != names.end())
        receive.got = name->second;
      by_rank[one.rank].push_back(receive);
    }
  }
  std::string line(std::uint32_t operation) const {
    const auto site = facts.site(facts.operations[operation].posted);
    return site.empty() ? site : fmt::format(" ({})", site);
  }
  std::string line(const SendName& name) const {
    const auto at = by_name.find({name.from, name.to, name.number});
    return at == by_name.end() ? std::string() : line(at->second);
  }

  TraceOperations facts;
  std::map<std::uint32_t, SendName> names;
  std::map<std::tuple<Rank, Rank, std::uint32_t>, std::uint32_t> by_name;
  std::map<Rank, std::vector<Receive>> by_rank;
};

// The first receive from anybody that got another message: what follows from it is no news.
std::vector<std::string> other_matches(const Matches& usual, const Matches& run) {
  struct Other {
    std::uint64_t event;
    std::string words;
  };
  std::optional<Other> first;
  for (const auto& [rank, receives] : run.by_rank) {
    const auto before = usual.by_rank.find(rank);
    if (before == usual.by_rank.end()) continue;
    for (std::size_t k = 0; k < std::min(receives.size(), before->second.size()); ++k) {
      const auto& now = receives[k];
      const auto& then = before->second[k];
      if (!now.got || !then.got || *now.got == *then.got) continue;
      const auto at = run.facts.operations[now.operation].matched;
      if (first && first->event < at) break;
      const std::string late =
          run.line(*then.got).empty() ? usual.line(*then.got) : run.line(*then.got);
      const bool same_rank = now.got->from == then.got->from;
      first = Other{
          at,
          fmt::format(
              "rank {}'s message to rank {}{} arrives before {}{}: the receive{} gets it",
              now.got->from, rank, run.line(*now.got),
              same_rank ? std::string("its other one") : fmt::format("rank {}'s", then.got->from),
              late, run.line(now.operation))};
      break;
    }
  }
  return first ? std::vector{first->words} : std::vector<std::string>();
}

// Sends that may wait are those up to the limit; the program's own ones.
std::string site_of_wait(const TraceOperations& facts, const Deviation& one) {
  const auto& job = facts.trace.meta().job;
  if (!job) return {};
  const bool buffered = job->mode == SendMode::buffered;
  std::uint32_t number = 0;
  for (const finder::Operation& send : facts.operations) {
    if (!send.send || send.sync || send.built_in || send.rank != one.rank || send.peer != one.to)
      continue;
    if (!buffered && send.bytes > job->eager_limit) continue;
    if (number++ == one.number) return facts.at(send.posted);
  }
  return {};
}

std::string words_of(const TraceOperations& facts, const TakenChoice& taken) {
  const Deviation& one = taken.deviation;
  const auto at = [&] {
    const std::uint32_t known = facts.find(taken.op);
    return known == finder::kNone ? std::string() : facts.at(facts.operations[known].posted);
  };
  switch (one.kind) {
    case Kind::wait:
      return fmt::format(
          "rank {}'s send to rank {}{} waits until the receive is posted, as MPI may do with any "
          "send",
          one.rank, one.to, site_of_wait(facts, one));
    case Kind::late:
      return fmt::format("rank {}'s message to rank {} (sent{}) is late", one.rank, one.to, at());
    case Kind::slow: break;
  }
  return fmt::format("rank {} is slow{}: the others go on first", one.rank, at());
}

}  // namespace

std::vector<std::string> order_words(const Trace& by_default, const Trace& run,
                                     const std::vector<TakenChoice>& taken) {
  const Matches now(run);
  auto out = other_matches(Matches(by_default), now);
  // When a message was matched otherwise, that says it all except for sends that wait.
  const bool matched = !out.empty();
  for (const TakenChoice& one : taken)
    if (!matched || one.deviation.kind == Kind::wait) out.push_back(words_of(now.facts, one));
  return out;
}

}  // namespace rankscope::explore
