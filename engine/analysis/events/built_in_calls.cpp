// Finds calls of built-in collectives in a trace and the program functions that make them.
#include "engine/analysis/events/built_in_calls.h"

#include <map>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

std::vector<Delegation::Caller> callers_of(const Trace& trace, std::uint32_t site) {
  std::vector<Delegation::Caller> callers;
  find_around(trace, Definition::Kind::site, site, [&](const Definition& one) {
    callers.push_back({one.name, short_site(trace, one.id)});
    return false;
  });
  return callers;
}

std::vector<BuiltInCall> built_in_calls(const Trace& trace) {
  std::vector<BuiltInCall> calls;
  std::map<std::pair<Rank, std::uint16_t>, std::vector<std::size_t>> open;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind != EventKind::call) continue;
    auto& stack = open[{event.rank, event.strand}];
    if (event.verb == Verb::phase_begin) {
      stack.push_back(calls.size());
      calls.push_back({k, kNoEvent, event.rank, event.strand});
    } else if (!stack.empty()) {
      // Calls that go on while others are made end in any order.
      const auto same = std::ranges::find_if(stack.rbegin(), stack.rend(), [&](std::size_t call) {
        const StepEvent& begun = trace[calls[call].begins];
        return begun.comm == event.comm && begun.tag == event.tag;
      });
      const auto ended = same == stack.rend() ? std::prev(stack.end()) : std::prev(same.base());
      calls[*ended].ends = k;
      stack.erase(ended);
    }
  }
  return calls;
}

std::string built_in_name(const Trace& trace, const StepEvent& call) {
  const auto name = definition_name(trace, Definition::Kind::phase, call.phase);
  return name.starts_with(kBuiltIn) ? name.substr(kBuiltIn.size()) : std::string();
}

std::string Delegation::text() const {
  if (callers.empty()) return fmt::format("the built-in {} is called", name);
  const auto& inner = callers.front();
  auto text = fmt::format("{} calls the built-in {}",
                          inner.function.empty() ? "the program" : inner.function, name);
  return inner.site.empty() ? text : text + " at " + inner.site;
}

std::vector<Delegation> delegations(const Trace& trace) {
  std::vector<Delegation> found;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;  // by phase, site
  for (const BuiltInCall& call : built_in_calls(trace)) {
    const StepEvent& event = trace[call.begins];
    const auto [at, added] = places.try_emplace({event.phase, event.site}, found.size());
    if (added) {
      Delegation one;
      one.name = built_in_name(trace, event);
      one.callers = callers_of(trace, event.site);
      one.first = call.begins;
      found.push_back(std::move(one));
    }
    Delegation& one = found[at->second];
    ++one.times;
    const auto place = ranges::lower_bound(one.ranks, call.rank);
    if (place == one.ranks.end() || *place != call.rank) one.ranks.insert(place, call.rank);
  }
  return found;
}

}  // namespace rankscope
