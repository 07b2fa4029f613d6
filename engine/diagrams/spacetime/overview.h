// The time-vs-rank diagram of a run too large for single arrows: ranks and time are merged into
// cells, with counts, and the busiest ways as arrows. From a trace, or from a file that is too large
// to be held in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/trace/streamed_trace.h"
#include "engine/diagrams/spacetime/spacetime.h"

namespace rankscope {

/// The ranks and the time that are counted. Times are on the corrected clock: raw ones plus the offsets.
struct OverviewScope {
  int world = 0;
  std::vector<Rank> ranks;  ///< In this order; empty for all. Messages of others do not count.
  std::int64_t first_ns = 0, last_ns = 0;
  std::vector<std::int64_t> offsets;  ///< By rank; may be empty.
};

/// Counts in a fixed number of cells, so that memory does not grow with the run.
class OverviewCounts {
 public:
  static constexpr int kMostRows = 40, kColumns = 144, kEras = 12;

  explicit OverviewCounts(OverviewScope scope);
  void add(const StepEvent& event) noexcept;
  /// Counts the event at this time instead of its own.
  void add(const StepEvent& event, std::int64_t time_ns) noexcept;
  void add(const OverviewCounts& other) noexcept;

  struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
  };
  int ranks() const noexcept { return ranks_; }
  int rows() const noexcept { return rows_; }
  /// Places [first_of_row(i), first_of_row(i + 1)) of the ranks shown.
  int first_of_row(int row) const noexcept;
  /// Ranks of a row: "rank 3", "ranks 4–7", and of chosen ones that do not follow each other
  /// "ranks 4 … 9".
  std::string row_name(int row) const;
  const Traffic& cell(int row, int column) const noexcept;
  const Traffic& flow(int era, int from, int to) const noexcept;
  const Traffic& all() const noexcept { return all_; }
  /// Adds messages that were counted elsewhere: to the row that sends, and to the flow between two rows.
  void add_to_cell(int row, int column, const Traffic& sent) noexcept;
  void add_to_flow(int era, int from, int to, const Traffic& sent) noexcept;
  /// If it is less than 1, all counts are estimates from this share of the events.
  void set_counted_share(double share) noexcept { counted_share_ = share; }
  double counted_share() const noexcept { return counted_share_; }
  std::int64_t first_ns() const noexcept { return scope_.first_ns; }
  std::int64_t duration_ns() const noexcept { return duration_ns_; }

 private:
  int place_of(Rank rank) const noexcept;
  int row_of(int place) const noexcept;
  Rank rank_at(int place) const noexcept;
  double share_of(std::int64_t time_ns) const noexcept;

  OverviewScope scope_;
  int ranks_, rows_;
  std::int64_t duration_ns_;
  std::vector<int> places_;  // by rank; empty for all ranks in their order
  std::vector<Traffic> cells_;
  std::vector<Traffic> flows_;  // eras x rows x rows
  Traffic all_;
  double counted_share_ = 1;
};

/// A part of a run's time, in the times of Trace::time_ns().
struct TimeWindow {
  std::int64_t begin_ns = 0, end_ns = 0;
  bool operator==(const TimeWindow&) const = default;
};
TimeWindow whole_time(const Trace& trace) noexcept;

/// Looks at the window's events only, so that short windows are quick. Events at the very end of the window count only if
/// the run ends there.
OverviewCounts count_window(const Trace& trace, TimeWindow window);

/// The messages and the work in a window, one by one.
struct SingleMessages {
  /// The most messages of a window that can still be told apart.
  static constexpr std::uint64_t kMost = 2000;
  /// So many events before and behind the window are searched. A message whose send is further away is left out; one
  /// whose receive is further away has no end.
  static constexpr std::uint64_t kMargin = 50'000;

  struct Message {
    Rank from = -1, to = -1;
    std::int64_t sent_ns = 0, received_ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t event = 0;  ///< Position of the send in the trace.
    bool received = false;    ///< If not, `received_ns` is the end of the searched events.
    bool operator==(const Message&) const = default;
  };
  struct Work {
    Rank rank = -1;
    std::int64_t begin_ns = 0, end_ns = 0;
    Verb verb = Verb::wait;
  };
  std::vector<Message>
      messages;  ///< On their way in the window, in the order in which they were sent.
  std::vector<Work> work;
};
SingleMessages single_messages(const Trace& trace, TimeWindow window);

/// All throw UserError for what an overview lacks (portrait, critical path), for ranks and steps that the run lacks, and
/// for pages that are too small.
Scene overview(const OverviewCounts& counts, const SpacetimeOptions& options, const Ruler& ruler);
Scene overview(const TraceAnalysis& analysis, const SpacetimeOptions& options, const Ruler& ruler);
/// Draws a window: with a clock axis (in microseconds of the run), and with single messages where the
/// window holds few enough of them. Rows are at the same places whatever the window.
Scene overview(const Trace& trace, TimeWindow window, const SpacetimeOptions& options,
               const Ruler& ruler);
/// Draws a window that was counted elsewhere.
Scene overview(const TraceMeta& meta, const OverviewCounts& window, const SpacetimeOptions& options,
               const Ruler& ruler);

/// The events of a file, which need not fit into memory. Throws as TraceReader::open does, and
/// UserError for steps: they are not known without the whole trace. `issues`, if there, gets what
/// the reader would report.
Scene overview_of_file(const std::filesystem::path& path, SpacetimeOptions options,
                       const Ruler& ruler, TraceIssues* issues = nullptr);
/// Returns whether a file's trace is so large that overview_of_file() should draw it.
bool is_large(const std::filesystem::path& path);

/// Reads and counts the events of a short window; for a longer one the file's summary says
/// how many messages there were, and its sums are divided among the cells.
OverviewCounts count_window(const StreamedTrace& run, TimeWindow window);

/// As overview() of a trace and a window; in a short window with single messages.
Scene overview(const StreamedTrace& run, TimeWindow window, const SpacetimeOptions& options,
               const Ruler& ruler);

}  // namespace rankscope
