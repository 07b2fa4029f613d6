// Counts events and messages per cell and flow, from a trace or straight from its file.
#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/account/messages.h"
#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/streamed_blocks.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope {
namespace {
// More than 4000 arrows on one page are a black rectangle, and so are lanes of less than 12 pixels.
constexpr std::uint64_t kMostArrows = 4000;
constexpr int kMostLanes = 64;
constexpr std::uint64_t kLargeFile = 2'000'000;  // events: about 250 MB in memory

std::int64_t corrected(const StepEvent& event, const std::vector<std::int64_t>& offsets) noexcept {
  const auto rank = static_cast<std::size_t>(std::max(event.rank, 0));
  return rank < offsets.size() ? wrapped_sum(event.time_ns, offsets[rank]) : event.time_ns;
}
// Clocks of a damaged file may say anything: the difference wraps, without overflow.
std::int64_t length(std::int64_t first, std::int64_t last) noexcept {
  const auto ns = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return last > first ? static_cast<std::int64_t>(std::min(ns, kLongest)) : 1;
}

/// The first and the last of the times added.
struct TimeExtent {
  std::int64_t first = 0, last = 0;
  bool any = false;
  void add(std::int64_t time) noexcept {
    first = any ? std::min(first, time) : time;
    last = any ? std::max(last, time) : time;
    any = true;
  }
  void add(const TimeExtent& other) noexcept {
    if (!other.any) return;
    add(other.first);
    add(other.last);
  }
};
}  // namespace

OverviewCounts::OverviewCounts(OverviewScope scope)
    : scope_(std::move(scope)),
      ranks_(
          std::max(scope_.ranks.empty() ? scope_.world : static_cast<int>(scope_.ranks.size()), 1)),
      rows_(std::min(ranks_, kMostRows)),
      duration_ns_(length(scope_.first_ns, scope_.last_ns)),
      cells_(static_cast<std::size_t>(rows_) * kColumns),
      flows_(static_cast<std::size_t>(kEras) * static_cast<std::size_t>(rows_ * rows_)) {
  check_ranks(scope_.ranks, scope_.world);
  if (!scope_.ranks.empty()) places_.assign(static_cast<std::size_t>(scope_.world), -1);
  for (std::size_t i = 0; i < scope_.ranks.size(); ++i)
    places_[static_cast<std::size_t>(scope_.ranks[i])] = static_cast<int>(i);
}

int OverviewCounts::place_of(Rank rank) const noexcept {
  if (rank < 0 || rank >= scope_.world) return -1;
  return places_.empty() ? rank : places_[static_cast<std::size_t>(rank)];
}

Rank OverviewCounts::rank_at(int place) const noexcept {
  return scope_.ranks.empty() ? place : scope_.ranks[static_cast<std::size_t>(place)];
}

int OverviewCounts::row_of(int place) const noexcept {
  return static_cast<int>(static_cast<std::int64_t>(place) * rows_ / ranks_);
}

int OverviewCounts::first_of_row(int row) const noexcept {
  return static_cast<int>((static_cast<std::int64_t>(row) * ranks_ + rows_ - 1) / rows_);
}

std::string OverviewCounts::row_name(int row) const {
  const int from = first_of_row(row), to = first_of_row(row + 1) - 1;
  const Rank first = rank_at(from), last = rank_at(to);
  if (from == to) return fmt::format("rank {}", first);
  bool consecutive = true;
  for (int place = from; place <= to; ++place)
    consecutive = consecutive && rank_at(place) == first + place - from;
  return fmt::format("ranks {}{}{}", first, consecutive ? "–" : " … ", last);
}

const OverviewCounts::Traffic& OverviewCounts::cell(int row, int column) const noexcept {
  return cells_[static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)];
}

const OverviewCounts::Traffic& OverviewCounts::flow(int era, int from, int to) const noexcept {
  return flows_[static_cast<std::size_t>((era * rows_ + from) * rows_ + to)];
}

double OverviewCounts::share_of(std::int64_t time) const noexcept {
  if (time <= scope_.first_ns) return 0;
  const auto since = length(scope_.first_ns, time);
  return std::min(static_cast<double>(since) / static_cast<double>(duration_ns_), 0.999999);
}

void OverviewCounts::add(const StepEvent& event) noexcept {
  add(event, corrected(event, scope_.offsets));
}

void OverviewCounts::add(const StepEvent& event, std::int64_t time_ns) noexcept {
  if (event.kind != EventKind::posted || event.verb != Verb::send) return;
  const int from = place_of(event.rank), to = place_of(event.peer);
  if (from < 0 || to < 0) return;
  const double at = share_of(time_ns);
  const int row = row_of(from), era = static_cast<int>(at * kEras);
  const auto cell =
      static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(at * kColumns);
  const auto flow = static_cast<std::size_t>((era * rows_ + row) * rows_ + row_of(to));
  for (Traffic* counted : {&cells_[cell], &flows_[flow], &all_}) {
    ++counted->messages;
    counted->bytes += event.bytes;
  }
}

void OverviewCounts::add_to_cell(int row, int column, const Traffic& sent) noexcept {
  const auto cell = static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column);
  for (Traffic* counted : {&cells_[cell], &all_}) {
    counted->messages += sent.messages;
    counted->bytes += sent.bytes;
  }
}

void OverviewCounts::add_to_flow(int era, int from, int to, const Traffic& sent) noexcept {
  Traffic& counted = flows_[static_cast<std::size_t>((era * rows_ + from) * rows_ + to)];
  counted.messages += sent.messages;
  counted.bytes += sent.bytes;
}

void OverviewCounts::add(const OverviewCounts& other) noexcept {
  const auto take = [](Traffic& to, const Traffic& from) {
    to.messages += from.messages;
    to.bytes += from.bytes;
  };
  for (std::size_t i = 0; i < cells_.size(); ++i) take(cells_[i], other.cells_[i]);
  for (std::size_t i = 0; i < flows_.size(); ++i) take(flows_[i], other.flows_[i]);
  take(all_, other.all_);
}

namespace {

bool all_steps(const SpacetimeOptions& options) noexcept {
  return options.first_round == 1 && options.last_round == 0;
}

// Visits the messages of the chosen steps, of all ranks.
template <class Visit>
void visit_shown(const TraceAnalysis& analysis, const SpacetimeOptions& options,
                 const Visit& visit) {
  const Rounds& all = analysis.rounds();
  const auto [first, last] = chosen_rounds(options.first_round, options.last_round, all.count);
  for (std::size_t i = 0; i < all.messages.size(); ++i)
    if (!all.messages[i].sync && all.round[i] >= first && all.round[i] <= last)
      visit(all.messages[i]);
}

}  // namespace

// The shown part decides, not the whole run. Rounds are found only where steps are chosen and
// all of them would be too many.
bool needs_overview(const TraceAnalysis& analysis, const SpacetimeOptions& options) {
  const Trace& trace = analysis.trace();
  auto ranks = options.ranks;
  ranges::sort(ranks);
  const auto lanes = ranks.empty() ? static_cast<std::size_t>(trace.world_size()) : ranks.size();
  if (lanes > kMostLanes) return true;
  const auto shown = [&](Rank from, Rank to) {
    return ranks.empty() ||
           (std::ranges::binary_search(ranks, from) && std::ranges::binary_search(ranks, to));
  };
  std::uint64_t sends = 0;
  for (std::uint64_t k = 0; k < trace.size() && sends <= kMostArrows; ++k) {
    const StepEvent& event = trace[k];
    sends +=
        event.kind == EventKind::posted && event.verb == Verb::send && shown(event.rank, event.peer)
            ? 1
            : 0;
  }
  if (sends <= kMostArrows || all_steps(options)) return sends > kMostArrows;
  sends = 0;
  visit_shown(analysis, options,
              [&](const MessageRecord& m) { sends += shown(m.from, m.to) ? 1 : 0; });
  return sends > kMostArrows;
}

Scene overview(const TraceAnalysis& analysis, const SpacetimeOptions& options, const Ruler& ruler) {
  const Trace& trace = analysis.trace();
  const auto& offsets = trace.meta().clock_offset_ns;
  std::vector<std::uint64_t> sends;  // of the steps
  TimeExtent extent;
  if (all_steps(options)) {
    for (std::uint64_t k = 0; k < trace.size(); ++k) extent.add(corrected(trace[k], offsets));
  } else {
    visit_shown(analysis, options, [&](const MessageRecord& m) {
      sends.push_back(m.sent);
      extent.add(corrected(trace[m.sent], offsets));
      if (m.received != kNoEvent) extent.add(corrected(trace[m.received], offsets));
    });
  }
  OverviewCounts counts({trace.world_size(), options.ranks, extent.first, extent.last, offsets});
  if (all_steps(options))
    for (std::uint64_t k = 0; k < trace.size(); ++k) counts.add(trace[k]);
  for (const auto k : sends) counts.add(trace[k]);
  return overview(counts, options, ruler);
}

Scene overview_of_file(const std::filesystem::path& path, SpacetimeOptions options,
                       const Ruler& ruler, TraceIssues* issues) {
  if (!all_steps(options))
    throw UserError("steps are known only of a trace that fits into memory: leave out --steps");
  const TraceScope scope = look_at_trace(path);
  const auto& offsets = scope.meta.clock_offset_ns;
  if (options.title.empty()) options.title = run_title(scope.meta, scope.world_size);
  TimeExtent extent;
  extent.add(scope.first_ns);
  extent.add(scope.last_ns);
  // The file's headers know the ranks' own clocks; if these differ, the events must be read.
  if (ranges::any_of(offsets, [](std::int64_t offset) { return offset != 0; })) {
    std::array<TimeExtent, 2> extents;
    scan_trace(path, [&](int thread, std::span<const StepEvent> run) {
      for (const StepEvent& event : run)
        extents[static_cast<std::size_t>(thread)].add(corrected(event, offsets));
    });
    extent = extents[0];
    extent.add(extents[1]);
  }
  const OverviewCounts empty({scope.world_size, options.ranks, extent.first, extent.last, offsets});
  std::array<OverviewCounts, 2> counts{empty, empty};
  const auto found = scan_trace(path, [&](int thread, std::span<const StepEvent> run) {
    for (const StepEvent& event : run) counts[static_cast<std::size_t>(thread)].add(event);
  });
  if (issues != nullptr) *issues = found;
  counts[0].add(counts[1]);
  return overview(counts[0], options, ruler);
}

bool is_large(const std::filesystem::path& path) { return look_at_trace(path).events > kLargeFile; }

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

namespace {

/// Read within half a second or so.
constexpr double kMostRead = 8e6;
/// Merged, and drawn one by one if they are few messages, within a tenth of a second.
constexpr double kMostMerged = 100'000;

using Traffic = OverviewCounts::Traffic;

/// Divides a curve over a window into `parts` equal parts whose sums are exact.
template <class Visit>
void divide(const TrafficCurve& curve, std::int64_t shift, TimeWindow window, int parts,
            const StreamedTrace& run, const Visit& visit) {
  if (curve.buckets().empty()) return;
  // The first and the last bucket do not reach beyond the run.
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
  // The events beside a window tell which messages began before it or end behind it.
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
