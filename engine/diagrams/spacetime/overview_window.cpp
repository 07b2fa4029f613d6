// What lies in a part of a run's time.
#include <algorithm>
#include <unordered_map>

#include "engine/account/messages.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope {
namespace {

struct Positions {
  Cursor begin = 0, end = 0;
};

Positions positions_of(const Trace& trace, TimeWindow window) {
  const TimeWindow whole = whole_time(trace);
  return {trace.at_time(window.begin_ns),
          window.end_ns >= whole.end_ns ? trace.size() : trace.at_time(window.end_ns)};
}

bool is_work(const StepEvent& event) {
  if (event.kind != EventKind::local) return false;
  switch (event.verb) {
    case Verb::wait:
    case Verb::reduce:
    case Verb::scale:
    case Verb::copy:
    case Verb::compute:
    case Verb::delay: return true;
    default: return false;
  }
}

}  // namespace

TimeWindow whole_time(const Trace& trace) noexcept {
  return {0, trace.size() == 0 ? 0 : trace.time_ns(trace.size() - 1)};
}

OverviewCounts count_window(const Trace& trace, TimeWindow window) {
  OverviewCounts counts({trace.world_size(), {}, window.begin_ns, window.end_ns, {}});
  const auto [begin, end] = positions_of(trace, window);
  for (Cursor k = begin; k < end; ++k) counts.add(trace[k], trace.time_ns(k));
  return counts;
}

SingleMessages single_messages(const Trace& trace, TimeWindow window) {
  const auto [begin, end] = positions_of(trace, window);
  const Cursor from = begin - std::min<Cursor>(begin, SingleMessages::kMargin);
  const Cursor to = std::min<Cursor>(trace.size(), end + SingleMessages::kMargin);
  SingleMessages found;
  std::unordered_map<OpId, std::size_t> by_send;
  const std::int64_t last_ns = to == trace.size() ? whole_time(trace).end_ns : trace.time_ns(to);
  for (Cursor k = from; k < to; ++k) {
    const StepEvent& event = trace[k];
    const auto time = trace.time_ns(k);
    if (event.kind == EventKind::posted && event.verb == Verb::send && k < end) {
      by_send[event.op] = found.messages.size();
      found.messages.push_back({event.rank, event.peer, time, last_ns, event.bytes, k, false});
    } else if (event.kind == EventKind::completed && is_recv(event.verb) && event.cause != 0) {
      if (const auto at = by_send.find(event.cause); at != by_send.end()) {
        found.messages[at->second].received = true;
        found.messages[at->second].received_ns = time;
      }
    } else if (is_work(event) && time >= window.begin_ns) {
      const auto began = begin_ns(trace, k);
      if (began < time && began < window.end_ns)
        found.work.push_back({event.rank, began, time, event.verb});
    }
  }
  std::erase_if(found.messages, [&](const auto& m) { return m.received_ns < window.begin_ns; });
  return found;
}

}  // namespace rankscope
