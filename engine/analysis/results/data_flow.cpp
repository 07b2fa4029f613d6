// Numbers every contribution of a run's inputs, and reads messages and results by these numbers.
#include "engine/analysis/results/data_flow.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/narration/holdings.h"
#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr int kMostTimes = 4;  // that one rank's data can be counted
constexpr int kExactBits = 52;

/// Rank r's element e is base^r (unit + e): its digit says how often it is in a sum, and which elements were added.
struct Digits {
  double base = 8, unit = 1;
  bool elements = false;
  explicit Digits(const ExerciseCase& run) {
    const auto count = static_cast<double>(std::max<Count>(run.shape.count(), 1));
    const double wide_unit = (kMostTimes + 1) * count, wide = (kMostTimes + 2) * wide_unit;
    if (run.ranks * std::log2(wide) > kExactBits) return;
    base = wide;
    unit = wide_unit;
    elements = true;
  }
};

Range kept_part(const ExerciseCase& run, Rank rank) {
  if (run.collective != Collective::reduce_scatter) return {0, run.shape.count()};
  const Count each = run.shape.count() / run.ranks;
  return {rank * each, each};
}

std::vector<ElementData> expected_data(const ExerciseCase& run, Rank rank) {
  std::vector<ElementData> out;
  if (!reduces(run.collective)) {
    for (const double value : expected_result(run, rank).values) out.push_back(data_in(run, value));
    return out;
  }
  const bool numbered = Digits(run).elements;
  const Range part = kept_part(run, rank);
  for (Count e = part.offset; e < part.end(); ++e) {
    ElementData& one = out.emplace_back();
    for (Rank r = 0; r < run.ranks; ++r) one.parts.push_back({r, 1, numbered ? e : -1});
  }
  return out;
}

std::vector<ElementData> read_numbers(const ExerciseCase& run, const std::vector<double>& values) {
  std::vector<ElementData> out;
  for (const double value : values) out.push_back(data_in(run, value));
  return out;
}

FlowFault::Kind kind_of(const ElementData& got, const ElementData& want, std::vector<Rank>& whose) {
  if (!got.known) return FlowFault::Kind::unknown;
  for (const CarriedData& one : want.parts)
    if (got.times(one.rank) == 0) whose.push_back(one.rank);
  if (!whose.empty()) return FlowFault::Kind::missing;
  for (const CarriedData& one : got.parts)
    if (one.times > want.times(one.rank)) whose.push_back(one.rank);
  if (!whose.empty()) return FlowFault::Kind::repeated;
  return FlowFault::Kind::misplaced;
}

}  // namespace

int ElementData::times(Rank rank) const noexcept {
  const auto at = ranges::find(parts, rank, &CarriedData::rank);
  return at == parts.end() ? 0 : at->times;
}

std::string ElementData::text(Count place) const {
  if (!known) return "?";
  if (parts.empty()) return "–";
  std::vector<std::string> words;
  for (const CarriedData& one : parts) {
    std::string word = one.times == 1 ? "" : fmt::format("{}·", one.times);
    word += fmt::format("r{}", one.rank);
    if (one.element >= 0 && one.element != place) word += fmt::format("[{}]", one.element);
    words.push_back(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, "+"));
}

std::vector<double> counted_input(const ExerciseCase& run, Rank rank) {
  if (!reduces(run.collective)) return traceable_input(run, rank);
  const Digits digits(run);
  std::vector<double> values;
  for (Count e = 0; e < run.shape.count(); ++e)
    values.push_back(std::pow(digits.base, rank) *
                     (digits.unit + (digits.elements ? static_cast<double>(e) : 0)));
  return values;
}

ElementData data_in(const ExerciseCase& run, double value) {
  ElementData out;
  if (!(value >= 0) || value != std::floor(value) || value > std::ldexp(1.0, 53))
    return {{}, false};
  if (value == 0) return out;
  if (!reduces(run.collective)) {
    const Count count = run.shape.count(), code = static_cast<Count>(value) - 1;
    if (count == 0 || code >= count * run.ranks) return {{}, false};
    return {{{static_cast<Rank>(code / count), 1, code % count}}, true};
  }
  const Digits digits(run);
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    const double digit = std::fmod(value, digits.base);
    value = std::floor(value / digits.base);
    if (digit == 0) continue;
    const double times = std::floor(digit / digits.unit), rest = digit - times * digits.unit;
    const auto most = static_cast<double>(std::max<Count>(run.shape.count(), 1) - 1);
    if (times < 1 || times > kMostTimes || rest > times * most) return {{}, false};
    CarriedData one{rank, static_cast<int>(times), -1};
    const double element = rest / times;
    if (digits.elements && element == std::floor(element))
      one.element = static_cast<Count>(element);
    out.parts.push_back(one);
  }
  if (value != 0) return {{}, false};
  return out;
}

bool DataFlow::reached(Rank rank, Rank contribution) const {
  return !carriers_of(*this, rank, contribution).empty();
}

DataFlow data_flow(const TraceAnalysis& trace, const ExerciseCase& run,
                   const std::vector<std::vector<std::vector<double>>>& sent,
                   const std::vector<RankResult>& results) {
  DataFlow out;
  out.run = run;
  const RuleEvidence evidence{.agent_only = true};
  const rules::ProgramMessages facts(trace, Rule{}, run, evidence);
  for (const rules::Message& message : facts.messages) {
    FlowMessage one{message.from, message.to, message.round, {}, message.sent, message.received};
    const auto from = static_cast<std::size_t>(message.from);
    const auto nth = static_cast<std::size_t>(message.nth);
    if (from < sent.size() && nth >= 1 && nth <= sent[from].size())
      one.elements = read_numbers(run, sent[from][nth - 1]);
    out.messages.push_back(std::move(one));
  }
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    out.results.push_back(r < results.size() ? read_numbers(run, results[r].values)
                                             : std::vector<ElementData>());
    out.expected.push_back(expected_data(run, rank));
  }
  return out;
}

std::optional<FlowFault> first_fault(const DataFlow& flow) {
  std::optional<FlowFault> best;
  for (std::size_t rank = 0; rank < flow.expected.size(); ++rank) {
    const auto& got = flow.results[rank];
    const auto& want = flow.expected[rank];
    if (got.size() != want.size()) continue;
    for (std::size_t e = 0; e < want.size(); ++e) {
      if (got[e] == want[e]) continue;
      FlowFault fault{FlowFault::Kind::unknown, static_cast<Rank>(rank), static_cast<Count>(e), {}};
      fault.kind = kind_of(got[e], want[e], fault.whose);
      if (!best || fault.kind < best->kind) best = std::move(fault);
    }
  }
  return best;
}

std::vector<Rank> senders_of(const DataFlow& flow, const FlowFault& fault,
                             const TraceAnalysis* right) {
  std::set<Rank> out;
  if (right != nullptr) {
    narration::Holdings holdings(*right);
    const Count place = kept_part(flow.run, fault.rank).offset + fault.element;
    for (const MessageRecord& message : right->messages()) {
      if (message.sync || message.to != fault.rank) continue;
      const Range range = right->pieces().of(message).elements;
      if (place < range.offset || place >= range.end()) continue;
      for (const Contribution& one : holdings.load(message))
        if (const Count at = place - range.offset;
            at >= one.elements.offset && at < one.elements.end() && !one.count.empty())
          for (const Rank rank : fault.whose)
            if (one.count[static_cast<std::size_t>(rank)] > 0) out.insert(message.from);
    }
    return {out.begin(), out.end()};
  }
  for (Rank rank = 0; rank < flow.run.ranks; ++rank) {
    if (rank == fault.rank) continue;
    for (const Rank whose : fault.whose)
      if (rank == whose || flow.reached(rank, whose)) out.insert(rank);
  }
  return {out.begin(), out.end()};
}

std::vector<std::size_t> carriers_of(const DataFlow& flow, Rank rank, Rank contribution) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < flow.messages.size(); ++i) {
    const FlowMessage& message = flow.messages[i];
    if (message.to == rank && message.received != kNoEvent &&
        ranges::any_of(message.elements,
                       [&](const ElementData& one) { return one.times(contribution) > 0; }))
      out.push_back(i);
  }
  return out;
}

}  // namespace rankscope
