// The time-vs-rank diagram of a run too large for single arrows: ranks and time are merged into
// cells, with counts, and the busiest ways as arrows. From a trace, or from a file that is too large
// to be held in memory.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/diagrams/spacetime.h"

namespace rankscope {

/// What is counted, whatever the number of events: fixed memory.
class OverviewCounts {
 public:
  static constexpr int kMostRows = 40, kColumns = 144, kEras = 12;

  /// Times are raw clocks plus `offsets` (by rank; may be empty).
  OverviewCounts(int ranks, std::int64_t first_ns, std::int64_t last_ns,
                 std::vector<std::int64_t> offsets);
  void add(const StepEvent& event) noexcept;
  /// As if the event were of that time.
  void add(const StepEvent& event, std::int64_t time_ns) noexcept;
  void add(const OverviewCounts& other) noexcept;

  struct Cell {
    std::uint64_t messages = 0, bytes = 0;
    std::int64_t blocked_ns = 0;
  };
  int ranks() const noexcept { return ranks_; }
  int rows() const noexcept { return rows_; }
  /// Ranks [first_of_row(i), first_of_row(i + 1)).
  int first_of_row(int row) const noexcept;
  const Cell& cell(int row, int column) const noexcept;
  std::uint64_t flow(int era, int from, int to) const noexcept;
  std::uint64_t messages() const noexcept { return messages_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::int64_t first_ns() const noexcept { return first_ns_; }
  std::int64_t duration_ns() const noexcept { return last_ns_ - first_ns_; }

 private:
  int row_of(Rank rank) const noexcept;
  int ranks_, rows_;
  std::int64_t first_ns_, last_ns_;
  std::vector<std::int64_t> offsets_;
  std::vector<Cell> cells_;
  std::vector<std::uint64_t> flows_;  // eras x rows x rows
  std::uint64_t messages_ = 0, bytes_ = 0;
};

/// A part of a run's time, as Trace::time_ns() tells it.
struct TimeWindow {
  std::int64_t begin_ns = 0, end_ns = 0;
  bool operator==(const TimeWindow&) const = default;
};
/// All of it.
TimeWindow whole_time(const Trace& trace) noexcept;

/// Only the window's events are looked at, so this takes time by what it shows. The window ends before
/// what happens at its end, unless the run ends there.
OverviewCounts count_window(const Trace& trace, TimeWindow window);

/// What happens in a window, one by one.
struct SingleMessages {
  /// Of a window with more, only the counts can be told apart.
  static constexpr std::uint64_t kMost = 2000;
  /// A message that began so many events before the window (or ends so many behind it) is cut off.
  static constexpr std::uint64_t kMargin = 50'000;

  struct Message {
    Rank from = -1, to = -1;
    std::int64_t sent_ns = 0, received_ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t event = 0;  ///< Position of the send in the trace.
    bool received = false;    ///< Else `received_ns` is the end of what was looked at.
    bool operator==(const Message&) const = default;
  };
  struct Work {
    Rank rank = -1;
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t bytes = 0;
    Verb verb = Verb::wait;
  };
  std::vector<Message> messages;  ///< On their way in the window, in the order in which they were sent.
  std::vector<Work> work;
};
SingleMessages single_messages(const Trace& trace, TimeWindow window);

Scene overview(const OverviewCounts& counts, const SpacetimeOptions& options, const Ruler& ruler);
Scene overview(const Trace& trace, const SpacetimeOptions& options, const Ruler& ruler);
/// Of a window: with a clock axis (in microseconds of the run), and with single messages where the
/// window holds few enough of them. Rows are at the same places whatever the window.
Scene overview(const Trace& trace, TimeWindow window, const SpacetimeOptions& options, const Ruler& ruler);

/// The events of a file, which need not fit into memory. Throws as TraceReader::open does; `issues`,
/// if there, gets what that would report.
Scene overview_of_file(const std::filesystem::path& path, SpacetimeOptions options,
                       const Ruler& ruler, TraceIssues* issues = nullptr);
/// Is a file's trace so large that it is better drawn by overview_of_file()?
bool is_large(const std::filesystem::path& path);

}  // namespace rankscope
