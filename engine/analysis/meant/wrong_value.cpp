// Follows an element's shares from round to round and from message to message.
#include "engine/analysis/meant/wrong_value.h"

#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "engine/account/fault.h"
#include "engine/account/numbers.h"
#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::meant {
namespace {

using account::Shares;

constexpr int kMostWithHistory = 64;

// A rank's own output, as an index of the data as a whole.
Count of_whole(const TraceAnalysis& analysis, Rank rank, Count index) {
  const auto* collective = analysis.pieces().collective();
  if (collective == nullptr || collective->out != Extent::chunk) return index;
  return Partition(analysis.pieces().whole(), analysis.trace().world_size())[rank].offset + index;
}

/// Returns whether each rank's part should be in it once.
bool is_sum_of_all(const TraceAnalysis& analysis) {
  const auto& meta = analysis.trace().meta();
  if (!meta.collective) return analysis.contributions().explains_sums();
  return *meta.collective == Collective::allreduce || *meta.collective == Collective::reduce ||
         *meta.collective == Collective::reduce_scatter;
}

class History {
 public:
  History(const TraceAnalysis& analysis, WrongValue& value)
      : analysis_(analysis), trace_(analysis.trace()), pieces_(analysis.pieces()), value_(value) {}

  void follow() {
    const int world = trace_.world_size();
    for (Rank rank = 0; rank < world; ++rank) {
      WrongValue::Place place;
      for (int round = last(); round >= 0; --round) {
        const Shares now = held(rank, round);
        if (round == last()) place.held = now;
        if (!now.complete(world)) break;
        place.right_since = round;
      }
      value_.places.push_back(std::move(place));
    }
    const Shares& wrong = value_.places[static_cast<std::size_t>(value_.result.rank)].held;
    if (!wrong.known()) return value_.places.clear();
    for (Rank rank = 0; rank < world; ++rank) {
      if (wrong.times(rank) == 0) value_.missing.push_back(rank);
      if (wrong.times(rank) > 1) value_.doubled.push_back(rank);
    }
    find_hops();
    find_inputs();
    // The array that is followed may not be the one of the program's result.
    if (!trace_.meta().collective && value_.inputs.empty()) {
      value_.places.clear();
      value_.hops.clear();
      value_.missing.clear();
      value_.doubled.clear();
      return;
    }
    explain();
  }

 private:
  int last() const { return analysis_.rounds().count + (analysis_.cuts().ends_differ ? 1 : 0); }
  Cursor cut(Rank rank, int round) const {
    return analysis_.cuts().cut[static_cast<std::size_t>(rank)][static_cast<std::size_t>(round)];
  }
  const Definition* buffer(Rank rank, int round) const {
    const auto *in = pieces_.in(rank), *work = pieces_.work(rank), *data = pieces_.data(rank);
    if (in != nullptr && (round == 0 || data == nullptr)) return in;
    return work != nullptr && round <= analysis_.rounds().count ? work : data;
  }
  /// The element's index in a buffer; -1 if it is not there.
  Count index_in(const Definition* of) const {
    const auto base = pieces_.base_of(of);
    const Count at = base ? value_.result.element - *base : -1;
    return of != nullptr && at < count_of(*of) ? at : -1;
  }
  Shares held(Rank rank, int round) const {
    const Definition* const of = buffer(rank, round);
    const Count at = index_in(of);
    const auto* const noted = result_in(of, rank);
    return at < 0 ? Shares() : in_memory(noted ? noted->buffer : of->id, at, cut(rank, round));
  }
  const account::NotedResult* result_in(const Definition* of, Rank rank) const {
    return of == pieces_.data(rank) ? analysis_.contributions().result_of(rank) : nullptr;
  }
  Shares in_memory(std::uint32_t buffer, Count element, Cursor cursor) const {
    const auto contents = analysis_.contributions().of(buffer, cursor);
    const Shares* const shares = account::shares_at(contents, element);
    return shares == nullptr ? Shares::unknown() : account::without_elements(*shares);
  }

  void find_hops() {
    const auto& messages = analysis_.messages();
    const Count element = value_.result.element;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const MessageRecord& message = messages[i];
      const Piece piece = pieces_.of(message);
      if (message.sync || message.received == kNoEvent || piece.elements.offset < 0 ||
          element < piece.elements.offset || element >= piece.elements.end())
        continue;
      WrongValue::Hop hop;
      hop.message = i;
      hop.round = analysis_.rounds().round[i];
      hop.from = message.from;
      hop.to = message.to;
      const StepEvent& sent = trace_[message.sent];
      const auto* const from = trace_.definition(Definition::Kind::buffer, sent.in_buffer);
      if (from == nullptr || hop.round < 1) continue;
      hop.carried = in_memory(sent.in_buffer,
                              elements_at(*from, sent.in_offset, message.bytes).offset + element -
                                  piece.elements.offset,
                              message.sent + 1);
      hop.before = held(hop.to, hop.round - 1);
      hop.adds = held(hop.to, hop.round) ==
                 account::without_elements(account::sum(hop.before, hop.carried));
      value_.hops.push_back(std::move(hop));
    }
    ranges::stable_sort(value_.hops, {}, &WrongValue::Hop::round);
    mark_fault();
  }

  // Marks the first message with which a part is lost or counted twice. Of several in one round, the culprit is unknown.
  void mark_fault() {
    for (auto& hop : value_.hops) {
      const auto together = ranges::count_if(
          value_.hops, [&](const auto& one) { return one.round == hop.round && one.to == hop.to; });
      const Shares after = held(hop.to, hop.round);
      if (together != 1 || !hop.before.known() || !hop.carried.known() || !after.known()) continue;
      const bool loses = ranges::any_of(
          hop.before, [&](const account::Share& one) { return after.times(one.rank) == 0; });
      const bool repeats = ranges::any_of(hop.before, [&](const account::Share& one) {
        return hop.carried.times(one.rank) > 0 && after.times(one.rank) > one.times;
      });
      const bool ignores = after == hop.before && ranges::any_of(hop.carried, [&](const auto& one) {
                             return hop.before.times(one.rank) == 0;
                           });
      if (!loses && !repeats && !ignores) continue;
      hop.at_fault = true;
      const std::string of = fmt::format("In step {} rank {}", hop.round, hop.to);
      if (repeats)
        cause_ = fmt::format("{} adds what rank {} sends, which holds a part that it has already.",
                             of, hop.from);
      else if (loses)
        cause_ = fmt::format("{} stores what rank {} sends, and loses a part that it had.", of,
                             hop.from);
      else cause_ = fmt::format("{} does not use what rank {} sends.", of, hop.from);
      return;
    }
  }

  // Only where their sums are the values that were found and expected: another operator has other numbers.
  void find_inputs() {
    for (Rank rank = 0; rank < trace_.world_size(); ++rank) {
      const Definition* const of = buffer(rank, 0);
      const Count at = index_in(of);
      if (at < 0 || Sampling(count_of(*of)).size() != count_of(*of)) break;
      if (const auto* const noted = result_in(of, rank)) {
        const auto& begin = noted->values.front().second;
        if (at < std::ssize(begin)) value_.inputs.push_back(begin[static_cast<std::size_t>(at)]);
        continue;
      }
      for (const double value : account::known_values(trace_, *of, {at, 1}, cut(rank, 0)))
        value_.inputs.push_back(value);
    }
    const auto differs = [&](const Shares& shares, const std::string& text) {
      const double number = std::strtod(text.c_str(), nullptr);
      return std::abs(value_.value_of(shares) - number) > 1e-5 * std::max(1.0, std::abs(number));
    };
    if (value_.inputs.size() != value_.places.size() ||
        differs(Shares::of_all(trace_.world_size()), value_.result.expected) ||
        differs(value_.places[static_cast<std::size_t>(value_.result.rank)].held,
                value_.result.got))
      value_.inputs.clear();
  }

  void explain() {
    const auto parts = [](const std::vector<Rank>& ranks) {
      return ranks.size() == 1 ? fmt::format("Rank {}'s part is", ranks.front())
                               : fmt::format("The parts of {} are", rank_list(ranks));
    };
    if (!value_.missing.empty()) value_.why = parts(value_.missing) + " missing.";
    if (!value_.doubled.empty())
      value_.why += fmt::format("{}{} in it more than once.", value_.why.empty() ? "" : " ",
                                parts(value_.doubled));
    if (value_.why.empty()) return;
    if (!cause_.empty()) return void(value_.why += " " + cause_);
    std::vector<Rank> right;
    for (Rank rank = 0; rank < trace_.world_size(); ++rank)
      if (value_.places[static_cast<std::size_t>(rank)].right_since >= 0) right.push_back(rank);
    if (right.empty()) return;
    find_keeper();
    if (value_.keeper < 0)
      value_.why += fmt::format(" {} {} the right sum.", capitalized(rank_list(right)),
                                right.size() == 1 ? "holds" : "hold");
    else
      value_.why += fmt::format(
          " Rank {} holds the right sum after step {} and never sends it to rank {}.",
          value_.keeper, value_.places[static_cast<std::size_t>(value_.keeper)].right_since,
          value_.result.rank);
  }

  // Finds the only rank that sends to the wrong one, if it has the right value and does not send it.
  void find_keeper() {
    std::set<Rank> senders;
    for (const MessageRecord& message : analysis_.messages())
      if (!message.sync && message.to == value_.result.rank) senders.insert(message.from);
    if (senders.size() != 1) return;
    const int since = value_.places[static_cast<std::size_t>(*senders.begin())].right_since;
    const bool sends = ranges::any_of(value_.hops, [&](const auto& hop) {
      return hop.from == *senders.begin() && hop.to == value_.result.rank && hop.round > since;
    });
    if (since >= 0 && !sends) value_.keeper = *senders.begin();
  }

  const TraceAnalysis& analysis_;
  const Trace& trace_;
  const Pieces& pieces_;
  WrongValue& value_;
  std::string cause_;
};

}  // namespace

std::vector<WrongResult> wrong_results(const TraceAnalysis& analysis) {
  std::vector<WrongResult> all;
  const int world = analysis.trace().world_size();
  const std::optional<JobResult>& outcome = analysis.trace().meta().outcome;
  for (const RankOutcome& rank : outcome ? outcome->ranks : std::vector<RankOutcome>())
    if (!rank.mismatch.ok() && rank.rank < world)
      all.push_back({rank.rank, of_whole(analysis, rank.rank, rank.mismatch.index),
                     rank.mismatch.got, rank.mismatch.expected});
  if (!all.empty()) return all;
  if (const auto verdict = judge(analysis.trace().meta()))
    for (const WrongElement& one : verdict->wrong)
      if (one.rank >= 0 && one.rank < world)
        all.push_back({one.rank, one.index, fmt::format("{:.7g}", one.got),
                       fmt::format("{:.7g}", one.expected)});
  return all;
}

double WrongValue::value_of(const Shares& shares) const {
  double sum = 0;
  for (const account::Share& one : shares)
    sum += one.times * inputs.at(static_cast<std::size_t>(one.rank));
  return sum;
}

std::optional<WrongValue> find_wrong_value(const TraceAnalysis& analysis) {
  const auto all = wrong_results(analysis);
  if (all.empty()) return std::nullopt;
  WrongValue value;
  value.result = all.front();
  const Count whole = analysis.pieces().whole();
  const int world = analysis.trace().world_size();
  const bool chunked = ranges::any_of(analysis.messages(), [&](const MessageRecord& message) {
    return !message.sync && message.bytes > 0 && !analysis.pieces().of(message).whole;
  });
  if (chunked && value.result.element < whole)
    value.chunk = Partition(whole, world).chunk_of(value.result.element);
  value.what = fmt::format("Rank {} has {} in element {}{}; it should have {}", value.result.rank,
                           value.result.got, value.result.element,
                           value.chunk < 0 ? "" : fmt::format(" (chunk {})", value.chunk),
                           value.result.expected);
  if (whole > 0 && value.result.element < whole && world <= kMostWithHistory &&
      analysis.trace().part() == nullptr && is_sum_of_all(analysis))
    History(analysis, value).follow();
  for (const WrongResult& one : all)
    if (!value.places.empty() &&
        (value.chunk < 0 || Partition(whole, world).chunk_of(one.element) == value.chunk))
      value.places[static_cast<std::size_t>(one.rank)].wrong = true;
  if (!value.why.empty()) return value;
  if (const auto verdict = judge(analysis.trace().meta()); verdict && !verdict->findings.empty())
    value.why = verdict->findings.front().what;
  return value;
}

}  // namespace rankscope::meant
