// Counts events and messages per cell and flow, from a trace or straight from its file.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/choice.h"
#include "engine/diagrams/run_outcome.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope {
namespace {
// More than 4000 arrows on one page are a black rectangle, and so are lanes of less than 12 pixels.
constexpr std::uint64_t kMostArrows = 4000;
constexpr int kMostLanes = 64;
constexpr std::uint64_t kLargeFile = 2'000'000;  // events: about 250 MB in memory

// Clocks of a damaged file may say anything: sums and differences wrap, without overflow.
std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t corrected(const StepEvent& event, const std::vector<std::int64_t>& offsets) noexcept {
  const auto rank = static_cast<std::size_t>(std::max(event.rank, 0));
  return rank < offsets.size() ? sum(event.time_ns, offsets[rank]) : event.time_ns;
}
std::int64_t length(std::int64_t first, std::int64_t last) noexcept {
  const auto ns = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return last > first ? static_cast<std::int64_t>(std::min(ns, kLongest)) : 1;
}

/// The first and the last moment of what was added.
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

// Messages of the steps between these ranks.
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

// What would be shown decides, not what the run has. Rounds are found only where steps are chosen and
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
  // The file's headers know the ranks' own clocks; where these differ, events have to be looked at.
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

}  // namespace rankscope
