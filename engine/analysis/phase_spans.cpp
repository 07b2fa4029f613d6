// Tells the visits of a phase apart by the number of times that each rank has entered it.
#include "engine/analysis/phase_spans.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/analysis/statistics.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostVisits = 6;  // of a phase, drawn one by one

using Entries = std::map<std::pair<Rank, std::uint32_t>, std::size_t>;

bool enters(const StepEvent& event) {
  return event.kind == EventKind::phase && event.verb == Verb::phase_begin;
}

/// By message, the number of its phase's visit on the rank that sent it.
std::vector<std::size_t> visits_of(const Trace& trace, const Rounds& rounds) {
  std::vector<std::size_t> out(rounds.messages.size(), 0);
  Entries entered;
  bool again = false;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (const StepEvent& event = trace[k]; enters(event))
      again = ++entered[{event.rank, event.phase}] > 1 || again;
  if (!again) return out;
  std::unordered_map<std::uint64_t, std::size_t> message_of;  // by the event of its send
  for (std::size_t i = 0; i < rounds.messages.size(); ++i)
    if (rounds.messages[i].sent != kNoEvent) message_of.emplace(rounds.messages[i].sent, i);
  entered.clear();
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (enters(event)) ++entered[{event.rank, event.phase}];
    if (const auto at = message_of.find(k); at != message_of.end() && event.phase != 0)
      out[at->second] = entered[{event.rank, event.phase}];
  }
  return out;
}

void widen(PhaseSpan& span, double begin, double end) {
  span.begin = std::min(span.begin, begin);
  span.end = std::max(span.end, end);
}

/// Joins visits with nothing of another phase between them.
std::vector<PhaseSpan> joined(const std::vector<PhaseSpan>& spans) {
  std::vector<PhaseSpan> out;
  for (const PhaseSpan& span : spans) {
    const auto before = std::find_if(
        out.rbegin(), out.rend(), [&](const PhaseSpan& other) { return other.name == span.name; });
    const bool apart =
        before != out.rend() && before->end < span.begin &&
        ranges::any_of(spans, [&](const PhaseSpan& other) {
          return other.name != span.name && other.begin < span.begin && other.end > before->end;
        });
    if (before == out.rend() || apart) out.push_back(span);
    else widen(*before, span.begin, span.end);
  }
  return out;
}

}  // namespace

std::vector<PhaseSpan> phase_spans(
    const Trace& trace, const Rounds& rounds,
    const std::function<std::optional<std::pair<double, double>>(std::size_t)>& when) {
  struct Part {
    std::uint32_t phase = 0;
    std::size_t visit = 0;
    std::pair<double, double> time;
  };
  const std::vector<std::size_t> visits = visits_of(trace, rounds);
  std::vector<Part> parts;
  std::map<std::uint32_t, std::string> names;
  std::map<std::string, std::set<std::size_t>> known;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const auto sent = rounds.messages[i].sent;
    if (sent == kNoEvent || trace[sent].phase == 0) continue;
    const auto time = when(i);
    if (!time) continue;
    const std::uint32_t phase = trace[sent].phase;
    if (!names.contains(phase)) names[phase] = phase_path(trace, phase);
    known[names[phase]].insert(visits[i]);
    parts.push_back({phase, visits[i], *time});
  }
  std::map<std::pair<std::string, std::size_t>, PhaseSpan> found;
  for (const Part& part : parts) {
    const std::string& name = names[part.phase];
    const std::size_t visit = known[name].size() > kMostVisits ? 0 : part.visit;
    const auto [begin, end] = part.time;
    const auto [at, fresh] = found.try_emplace({name, visit}, PhaseSpan{name, begin, end});
    if (!fresh) widen(at->second, begin, end);
  }
  std::vector<PhaseSpan> spans;
  for (auto& [key, span] : found) spans.push_back(std::move(span));
  ranges::stable_sort(spans, {}, &PhaseSpan::begin);
  return joined(spans);
}

}  // namespace rankscope
