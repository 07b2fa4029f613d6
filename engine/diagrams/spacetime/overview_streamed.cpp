// Fills an overview's cells from a file's summary, or from the blocks of a window.
#include "engine/diagrams/spacetime/overview_streamed.h"

#include <algorithm>
#include <array>

#include "engine/core/trace/trace_file.h"

namespace rankscope {
namespace {

/// Read within half a second or so.
constexpr double kMostRead = 8e6;
/// Merged, and drawn one by one where they are few messages, within a tenth of one.
constexpr double kMostMerged = 100'000;

using Traffic = OverviewCounts::Traffic;

/// What a curve says of each of `parts` equal parts of a window, of which the sums are exact.
template <class Visit>
void divide(const TrafficCurve& curve, std::int64_t shift, TimeWindow window, int parts,
            const StreamedTrace& run, const Visit& visit) {
  if (curve.buckets().empty()) return;
  // Of the first bucket and the last one nothing lies beyond the run.
  const auto before_time = [&](std::int64_t time) {
    if (time <= 0) return TrafficCurve::Bucket{};
    return time >= run.duration_ns() ? curve.total() : curve.until(time - shift);
  };
  const auto length = static_cast<double>(window.end_ns - window.begin_ns);
  TrafficCurve::Bucket before = before_time(window.begin_ns);
  for (int i = 0; i < parts; ++i) {
    const auto end = i + 1 == parts
                         ? window.end_ns
                         : window.begin_ns + static_cast<std::int64_t>(length * (i + 1) / parts);
    const TrafficCurve::Bucket until = before_time(end);
    if (until.messages > before.messages)
      visit(i, Traffic{until.messages - before.messages, until.bytes - before.bytes});
    before = until;
  }
}

OverviewCounts counts_of_summary(const StreamedTrace& run, TimeWindow window) {
  static_assert(OverviewCounts::kMostRows == TraceSummary::kMostGroups);
  OverviewCounts counts({run.world_size(), {}, window.begin_ns, window.end_ns, {}});
  counts.set_counted_share(run.counted_share());
  const TraceSummary& summary = run.summary();
  for (int from = 0; from < summary.groups(); ++from) {
    const auto shift = run.shift_of_group(from);
    divide(summary.sent(from), shift, window, OverviewCounts::kColumns, run,
           [&](int column, Traffic sent) { counts.add_to_cell(from, column, sent); });
    for (int to = 0; to < summary.groups(); ++to)
      divide(summary.flow(from, to), shift, window, OverviewCounts::kEras, run,
             [&](int era, Traffic sent) { counts.add_to_flow(era, from, to, sent); });
  }
  return counts;
}

}  // namespace

OverviewCounts count_window(const StreamedTrace& run, TimeWindow window) {
  const double most = std::min(kMostRead, static_cast<double>(most_events_held()) / 2);
  if (run.events_in(window.begin_ns, window.end_ns) > most) return counts_of_summary(run, window);
  const OverviewCounts empty({run.world_size(), {}, window.begin_ns, window.end_ns, {}});
  std::array<OverviewCounts, 2> counts{empty, empty};
  const auto end = window.end_ns >= run.duration_ns() ? window.end_ns + 1 : window.end_ns;
  run.visit({window.begin_ns, end}, [&](int thread, const StreamedTrace::Piece& piece) {
    auto& mine = counts[static_cast<std::size_t>(thread)];
    for (const auto events : piece.runs) {
      const auto shift = run.shift_of(events.front().rank);
      for (const StepEvent& event : events)
        if (const auto time = event.time_ns + shift; time >= window.begin_ns && time < end)
          mine.add(event, time);
    }
  });
  counts[0].add(counts[1]);
  return counts[0];
}

Scene overview(const StreamedTrace& run, TimeWindow window, const SpacetimeOptions& options,
               const Ruler& ruler) {
  // Of messages that began before it, or end behind it, a window's neighbours know.
  const auto length = window.end_ns - window.begin_ns;
  const StreamedTrace::Span beside{std::max<std::int64_t>(window.begin_ns - length, 0),
                                   std::min(window.end_ns + length, run.duration_ns() + 1)};
  if (run.events_in(beside.begin_ns, beside.end_ns) <= kMostMerged) try {
      return overview(run.part(beside), window, options, ruler);
    } catch (const UserError&) {  // closer together than the summary says
    }
  return overview(run.meta(), count_window(run, window), options, ruler);
}

}  // namespace rankscope
