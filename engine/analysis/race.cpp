// Counts the figures of a race's runs, and words their verdict and first difference.
#include "engine/analysis/race.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// A name for people: without the collective, which all runs have in common.
std::string name_in_race(const Trace& trace) {
  const std::string& whole = trace.meta().algorithm;
  const auto* const of = traits_of(trace);
  const std::string common = of == nullptr ? std::string() : fmt::format("{}.", of->name);
  return whole.starts_with(common) ? whole.substr(common.size()) : whole;
}

/// "ring", "ring and bde", "a, b and c".
std::string listed_names(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// "1.75 D", or "28 B" where D is unknown.
std::string in_data(double bytes, std::uint64_t data) {
  if (data == 0) return amount_text(static_cast<std::uint64_t>(bytes));
  return decimal(bytes / static_cast<double>(data), 2) + " D";
}

template <class Of>
std::string each_needs(const std::vector<RaceFigures>& runs, Of of) {
  std::vector<std::string> all;
  for (const RaceFigures& run : runs) all.push_back(fmt::format("{} {}", run.name, of(run)));
  return fmt::format("{}", fmt::join(all, ", "));
}

template <class Value>
std::vector<std::size_t> fewest(const std::vector<RaceFigures>& runs, Value RaceFigures::*of) {
  Value least = runs.front().*of;
  for (const RaceFigures& run : runs) least = std::min(least, run.*of);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].*of == least) out.push_back(i);
  return out;
}

// The crossing of two lines rounds * alpha + bytes * beta: the bytes that take as long as a message's latency.
std::string advice_of(const std::vector<RaceFigures>& runs) {
  const auto quick = fewest(runs, &RaceFigures::rounds), spare = fewest(runs, &RaceFigures::bytes);
  std::vector<std::string> both;
  for (const std::size_t one : quick)
    if (ranges::find(spare, one) != spare.end()) both.push_back(runs[one].name);
  if (both.size() == runs.size()) return "Nobody needs fewer rounds or fewer bytes than another.";
  if (!both.empty())
    return fmt::format(
        "{} {} the fewest rounds and the fewest bytes: with T = rounds · α + bytes · β nothing is "
        "ahead of {}, however long the vector is.",
        listed_names(both), both.size() == 1 ? "has" : "have", both.size() == 1 ? "it" : "them");
  // Lanes that are equal in one figure are ordered by the other.
  const auto better = [&](const std::vector<std::size_t>& among, auto of) {
    return runs[*ranges::min_element(among, {}, [&](std::size_t i) { return runs[i].*of; })];
  };
  const RaceFigures few = better(quick, &RaceFigures::bytes),
                    little = better(spare, &RaceFigures::rounds);
  const double even = static_cast<double>(few.bytes - little.bytes) / (little.rounds - few.rounds);
  return fmt::format(
      "With short vectors the rounds decide, and {} is ahead; with long ones the bytes do, and {} "
      "is. With T = rounds · α + bytes · β these two are even where {} take as long to send as a "
      "message's latency α.",
      few.name, little.name, in_data(even, few.data));
}

using Sends = std::map<Rank, std::vector<std::pair<Rank, std::uint64_t>>>;

std::vector<Sends> sends_by_round(const TraceAnalysis& run) {
  const Rounds& all = run.rounds();
  std::vector<Sends> out(static_cast<std::size_t>(all.count) + 1);
  for (std::size_t i = 0; i < all.messages.size(); ++i) {
    const MessageRecord& message = all.messages[i];
    if (all.round[i] < 1 || message.sync) continue;
    out[static_cast<std::size_t>(all.round[i])][message.from].emplace_back(message.to,
                                                                           message.bytes);
  }
  for (Sends& round : out)
    for (auto& [from, sends] : round) ranges::sort(sends);
  return out;
}

/// "sends 16 B to rank 1", "sends 16 B to each of 3 ranks", "sends nothing".
std::string words_of(const std::vector<std::pair<Rank, std::uint64_t>>& sends) {
  if (sends.empty()) return "sends nothing";
  std::uint64_t all = 0;
  for (const auto& [to, bytes] : sends) all += bytes;
  if (sends.size() == 1)
    return fmt::format("sends {} to rank {}", amount_text(all), sends.front().first);
  return fmt::format("sends {} to {} ranks", amount_text(all), sends.size());
}

}  // namespace

RaceFigures race_figures(const TraceAnalysis& run) {
  const Statistics& numbers = run.statistics();
  RaceFigures out;
  out.name = name_in_race(run.trace());
  out.rounds = numbers.rounds;
  out.messages = numbers.total.messages;
  for (const RankStatistics& rank : numbers.ranks) out.bytes = std::max(out.bytes, rank.sent.bytes);
  out.duration_ns = numbers.duration_ns;
  const Pieces& pieces = run.pieces();
  for (Rank rank = 0; rank < pieces.ranks() && out.data == 0; ++rank)
    for (const Definition* one : {pieces.data(rank), pieces.in(rank)})
      if (one != nullptr)
        out.data = static_cast<std::uint64_t>(pieces.whole()) * dtype_size(one->dtype);
  return out;
}

std::string race_advice(const std::vector<RaceFigures>& runs) {
  return runs.size() < 2 ? std::string() : advice_of(runs);
}

std::string race_verdict(const std::vector<RaceFigures>& runs) {
  if (runs.size() < 2) return {};
  const auto rounds = [](const RaceFigures& run) { return fmt::format("{}", run.rounds); };
  const auto bytes = [](const RaceFigures& run) {
    return in_data(static_cast<double>(run.bytes), run.data);
  };
  const auto time = [](const RaceFigures& run) { return time_text(run.duration_ns); };
  const std::string whole =
      runs.front().data == 0 ? "" : fmt::format(" (D = {})", amount_text(runs.front().data));
  return fmt::format("Rounds: {}. Bytes sent by the busiest rank: {}{}. {} Measured here: {}.",
                     each_needs(runs, rounds), each_needs(runs, bytes), whole, advice_of(runs),
                     each_needs(runs, time));
}

std::optional<RoundDifference> first_round_difference(const TraceAnalysis& a,
                                                      const TraceAnalysis& b) {
  const auto first = sends_by_round(a), second = sends_by_round(b);
  const std::string left = name_in_race(a.trace()), right = name_in_race(b.trace());
  const int ranks = std::max(a.trace().world_size(), b.trace().world_size());
  const std::size_t rounds = std::max(first.size(), second.size());
  for (std::size_t round = 1; round < rounds; ++round) {
    if (round >= first.size() || round >= second.size()) {
      const bool left_goes_on = round < first.size();
      RoundDifference out{static_cast<int>(round), -1, false, ""};
      out.words = fmt::format("Up to round {} both send the same; then {} is done, and {} goes on.",
                              round - 1, left_goes_on ? right : left, left_goes_on ? left : right);
      return out;
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
      const auto of = [&](const Sends& sends) {
        const auto found = sends.find(rank);
        return found == sends.end() ? std::vector<std::pair<Rank, std::uint64_t>>() : found->second;
      };
      const auto one = of(first[round]), other = of(second[round]);
      if (one == other) continue;
      const bool amount = ranges::equal(one, other, {}, &std::pair<Rank, std::uint64_t>::first,
                                        &std::pair<Rank, std::uint64_t>::first);
      return RoundDifference{
          static_cast<int>(round), rank, amount,
          fmt::format("They first differ in round {}: rank {} {} in {}, and {} in {}.{}", round,
                      rank, words_of(one), left, words_of(other), right,
                      amount ? " The same peer, another amount." : "")};
    }
  }
  return std::nullopt;
}

RaceCounter::RaceCounter(const TraceAnalysis& run)
    : duration_ns_(run.statistics().duration_ns),
      ranks_(static_cast<std::size_t>(run.trace().world_size())) {
  const Rounds& all = run.rounds();
  const Trace& trace = run.trace();
  ends_ns_.assign(static_cast<std::size_t>(all.count) + 1, 0);
  for (std::size_t i = 0; i < all.messages.size(); ++i) {
    const MessageRecord& message = all.messages[i];
    if (all.round[i] < 1 || message.sync) continue;
    sent_.push_back({all.round[i], message.sent == kNoEvent ? 0 : trace.time_ns(message.sent),
                     message.from, message.bytes});
    if (message.received == kNoEvent) continue;
    auto& end = ends_ns_[static_cast<std::size_t>(all.round[i])];
    end = std::max(end, trace.time_ns(message.received));
  }
  for (std::size_t i = 1; i < ends_ns_.size(); ++i)
    ends_ns_[i] = std::max(ends_ns_[i], ends_ns_[i - 1]);
}

template <class Counts>
RaceCount RaceCounter::count(Counts counts) const {
  RaceCount out;
  std::vector<std::uint64_t> by_rank(ranks_, 0);
  for (const Sent& one : sent_) {
    if (!counts(one)) continue;
    ++out.messages;
    auto& of = by_rank[static_cast<std::size_t>(one.from)];
    out.bytes = std::max(out.bytes, of += one.bytes);
  }
  return out;
}

RaceCount RaceCounter::at_round(double moment) const {
  const int over = std::clamp(static_cast<int>(moment + 1e-9), 0, rounds());
  RaceCount out = count([&](const Sent& one) { return one.round <= over; });
  out.rounds = over;
  out.time_ns = over == rounds() ? duration_ns_ : ends_ns_[static_cast<std::size_t>(over)];
  return out;
}

RaceCount RaceCounter::at_time(double us) const {
  const auto now = static_cast<std::int64_t>(std::max(us, 0.0) * 1e3 + 0.5);
  RaceCount out = count([&](const Sent& one) { return one.time_ns <= now && now > 0; });
  while (out.rounds < rounds() && ends_ns_[static_cast<std::size_t>(out.rounds) + 1] <= now)
    ++out.rounds;
  out.time_ns = std::min(now, duration_ns_);
  return out;
}

double RaceCounter::round_at(double us) const {
  const double now = us * 1e3;
  std::size_t over = 0;
  while (over + 1 < ends_ns_.size() && static_cast<double>(ends_ns_[over + 1]) <= now) ++over;
  if (over + 1 >= ends_ns_.size()) return us >= duration_us() ? rounds() + 1.0 : rounds();
  const auto begin = static_cast<double>(ends_ns_[over]),
             end = static_cast<double>(ends_ns_[over + 1]);
  const double share = end > begin ? std::clamp((now - begin) / (end - begin), 0.0, 0.999) : 0;
  return static_cast<double>(over) + share;
}

}  // namespace rankscope
