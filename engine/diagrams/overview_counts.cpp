#include <algorithm>

#include "engine/core/trace_file.h"
#include "engine/diagrams/overview.h"

namespace rankscope {
namespace {
// More than 4000 arrows on one page are a black rectangle, and so are lanes of less than 12 pixels.
constexpr std::uint64_t kMostArrows = 4000;
constexpr int kMostLanes = 64;
constexpr std::uint64_t kLargeFile = 2'000'000;  // events: about 250 MB in memory
}  // namespace

OverviewCounts::OverviewCounts(int ranks, std::int64_t first_ns, std::int64_t last_ns,
                               std::vector<std::int64_t> offsets)
    : ranks_(std::max(ranks, 1)),
      rows_(std::min(ranks_, kMostRows)),
      first_ns_(first_ns),
      last_ns_(std::max(last_ns, first_ns + 1)),
      offsets_(std::move(offsets)),
      cells_(static_cast<std::size_t>(rows_) * kColumns),
      flows_(static_cast<std::size_t>(kEras) * static_cast<std::size_t>(rows_ * rows_)) {}

int OverviewCounts::row_of(Rank rank) const noexcept {
  return static_cast<int>(static_cast<std::int64_t>(rank) * rows_ / ranks_);
}

int OverviewCounts::first_of_row(int row) const noexcept {
  return static_cast<int>((static_cast<std::int64_t>(row) * ranks_ + rows_ - 1) / rows_);
}

const OverviewCounts::Cell& OverviewCounts::cell(int row, int column) const noexcept {
  return cells_[static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)];
}

std::uint64_t OverviewCounts::flow(int era, int from, int to) const noexcept {
  return flows_[static_cast<std::size_t>((era * rows_ + from) * rows_ + to)];
}

void OverviewCounts::add(const StepEvent& event) noexcept {
  const auto rank = static_cast<std::size_t>(event.rank);
  add(event, event.time_ns + (event.rank >= 0 && rank < offsets_.size() ? offsets_[rank] : 0));
}

void OverviewCounts::add(const StepEvent& event, std::int64_t time_ns) noexcept {
  const bool sends = event.kind == EventKind::posted && event.verb == Verb::send;
  const bool waits = event.kind == EventKind::local && event.verb == Verb::wait;
  if ((!sends && !waits) || event.rank < 0 || event.rank >= ranks_) return;
  const double share = static_cast<double>(time_ns - first_ns_) /
                       static_cast<double>(last_ns_ - first_ns_);
  const double at = std::clamp(share, 0.0, 0.999999);
  const int row = row_of(event.rank);
  Cell& cell = cells_[static_cast<std::size_t>(row) * kColumns +
                      static_cast<std::size_t>(at * kColumns)];
  if (waits) {
    cell.blocked_ns += event.time_ns - event.begin_ns;
    return;
  }
  ++cell.messages;
  cell.bytes += event.bytes;
  ++messages_;
  bytes_ += event.bytes;
  if (event.peer < 0 || event.peer >= ranks_) return;
  const auto era = static_cast<int>(at * kEras);
  ++flows_[static_cast<std::size_t>((era * rows_ + row) * rows_ + row_of(event.peer))];
}

void OverviewCounts::add(const OverviewCounts& other) noexcept {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].messages += other.cells_[i].messages;
    cells_[i].bytes += other.cells_[i].bytes;
    cells_[i].blocked_ns += other.cells_[i].blocked_ns;
  }
  for (std::size_t i = 0; i < flows_.size(); ++i) flows_[i] += other.flows_[i];
  messages_ += other.messages_;
  bytes_ += other.bytes_;
}

// Sends are counted only as far as needed: a run of a million is not walked to its end.
bool needs_overview(const Trace& trace, const SpacetimeOptions& options) {
  const auto lanes = options.ranks.empty() ? static_cast<std::size_t>(trace.world_size())
                                           : options.ranks.size();
  if (lanes > kMostLanes) return true;
  if (!options.ranks.empty() || options.last_round > 0) return false;
  std::uint64_t sends = 0;
  for (std::uint64_t k = 0; k < trace.size() && sends <= kMostArrows; ++k)
    sends += trace[k].kind == EventKind::posted && trace[k].verb == Verb::send ? 1 : 0;
  return sends > kMostArrows;
}

Scene overview(const Trace& trace, const SpacetimeOptions& options, const Ruler& ruler) {
  const auto& offsets = trace.meta().clock_offset_ns;
  std::int64_t first = 0, last = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const auto rank = static_cast<std::size_t>(std::max(trace[k].rank, 0));
    const auto time = trace[k].time_ns + (rank < offsets.size() ? offsets[rank] : 0);
    first = k == 0 ? time : std::min(first, time);
    last = k == 0 ? time : std::max(last, time);
  }
  OverviewCounts counts(trace.world_size(), first, last, offsets);
  for (std::uint64_t k = 0; k < trace.size(); ++k) counts.add(trace[k]);
  return overview(counts, options, ruler);
}

Scene overview_of_file(const std::filesystem::path& path, SpacetimeOptions options,
                       const Ruler& ruler, TraceIssues* issues) {
  const TraceScope scope = look_at_trace(path);
  if (options.title.empty())
    options.title = (scope.meta.algorithm.empty() ? "run" : scope.meta.algorithm) + ", " +
                    std::to_string(scope.world_size) + " ranks";
  const OverviewCounts empty(scope.world_size, scope.first_ns, scope.last_ns,
                             scope.meta.clock_offset_ns);
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
