// A trace file too large to be held in memory: its summary, and the events of parts of its time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/trace/trace.h"
#include "engine/core/trace/trace_summary.h"

namespace rankscope {

class SummaryCache;

/// Immutable; may be used from several threads. The file is read again for each part, so it must not change; blocks
/// that have since been damaged are left out.
class StreamedTrace {
 public:
  /// Called with the share of a pass over all events that is done, from 0 to 1; returning false stops the pass.
  using Progress = std::function<bool(double share)>;
  /// A part with more events than this takes too long to merge and show interactively.
  static constexpr std::uint64_t kMostInPart = 2'000'000;

  /// Reads the headers of the file's blocks, and the summary left by its writer or kept in `kept`. If no summary fits
  /// the blocks (an older version, or a recorder that was killed), it is made in one pass over all events, with
  /// `progress`. Throws as TraceReader::open does, except for the file's size, and UserError if it was stopped.
  static std::shared_ptr<const StreamedTrace> open(const std::filesystem::path& path,
                                                   const Progress& progress = {},
                                                   const SummaryCache* kept = nullptr);
  /// Opens as open(), but without a pass if some blocks suffice to estimate the sums: see is_estimated().
  static std::shared_ptr<const StreamedTrace> open_soon(const std::filesystem::path& path,
                                                        const Progress& progress = {},
                                                        const SummaryCache* kept = nullptr);
  /// Replaces an estimate: returns the same run after a pass over all events. `better` gets estimates from more and
  /// more of them. Throws UserError if it was stopped.
  using Better = std::function<void(std::shared_ptr<const StreamedTrace> run)>;
  std::shared_ptr<const StreamedTrace> counted(const Progress& progress, const Better& better = {},
                                               const SummaryCache* kept = nullptr) const;
  ~StreamedTrace();

  const TraceMeta& meta() const noexcept { return meta_; }
  int world_size() const noexcept { return summary_.world(); }
  std::uint64_t events() const noexcept { return events_; }
  /// Issues found in the headers or in the pass; damage in blocks not read by a pass is not known.
  const TraceIssues& issues() const noexcept { return issues_; }
  /// A number that differs for each file that this process has opened.
  std::uint64_t number() const noexcept { return number_; }
  /// Returns whether a pass made the summary.
  bool rebuilt() const noexcept { return rebuilt_; }
  /// Returns whether messages and bytes were counted in only some blocks and extrapolated to the others. Times, parts
  /// and numbers of events are exact all the same.
  bool is_estimated() const noexcept { return samples_ != nullptr; }
  /// The share of the events that was counted; 1 means all.
  double counted_share() const noexcept { return counted_share_; }

  // All times are relative to the run's first event, on the corrected clock, as in Trace::time_ns().
  std::int64_t duration_ns() const noexcept { return duration_ns_; }
  const TraceSummary& summary() const noexcept { return summary_; }
  /// The offset to add to the summary's times of a group.
  std::int64_t shift_of_group(int group) const noexcept;
  /// The offset to add to an event's own time.
  std::int64_t shift_of(Rank rank) const noexcept;

  /// Estimates the number of events in [begin, end).
  double events_in(std::int64_t begin_ns, std::int64_t end_ns) const noexcept;
  /// The interval [begin, end).
  struct Span {
    std::int64_t begin_ns = 0, end_ns = 0;
  };
  /// Returns the longest interval around a time that holds about this many events; at least 1 us.
  Span span_around(std::int64_t time_ns, std::uint64_t events) const;
  /// Returns the longest such interval from a time on.
  Span span_from(std::int64_t time_ns, std::uint64_t events) const;
  /// Returns the events in the interval. Ignores causes outside of it, so events that they would have moved keep their
  /// times. Throws UserError for more than `most` events.
  Trace part(Span span, std::uint64_t most = kMostInPart) const;
  /// Returns the events around `time_ns`, about twice as many as requested at most: the interval is shortened if they
  /// lie closer together than in the summary.
  Trace part_around(std::int64_t time_ns, std::uint64_t events) const;
  /// The contents of a block.
  struct Piece {
    std::span<const Definition> definitions;
    std::span<const std::span<const StepEvent>> runs;  ///< Each of one rank, in that rank's order.
  };
  /// Visits all events of every block that has events in the span, from two threads (numbers 0 and 1), in order only
  /// within a block. Returns the issues that are known then. Throws what `visit` throws, and UserError if `progress`
  /// stops it.
  TraceIssues visit(Span span, const std::function<void(int thread, const Piece& piece)>& visit,
                    const Progress& progress = {}) const;
  /// Returns an interval with all events.
  Span whole() const noexcept { return {0, duration_ns_ + 1}; }

 private:
  struct File;
  struct Slice {
    std::int64_t begin_ns = 0, end_ns = 0;  ///< First and last event.
    std::uint32_t events = 0;
    std::uint32_t block = 0;
  };
  struct Samples;
  StreamedTrace();
  StreamedTrace(const StreamedTrace&);
  static std::shared_ptr<StreamedTrace> look_at(const std::filesystem::path& path,
                                                const SummaryCache* kept, bool& found);
  bool take_summary();
  bool take_kept(const SummaryCache* kept);
  using SoFar = std::function<void(const TraceSummary& counted, double share)>;
  void make_summary(const Progress& progress, const SoFar& so_far, const SummaryCache* kept);
  bool estimate();
  void fill_in(TraceSummary counted, double share);
  void find_slices();
  std::vector<std::uint32_t> blocks_in(Span span) const;
  template <class SpanOf>
  Span longest(const SpanOf& span_of, std::uint64_t events) const;

  std::shared_ptr<const File> file_;
  std::shared_ptr<const Samples> samples_;
  double counted_share_ = 1;
  TraceMeta meta_;
  TraceIssues issues_;
  std::uint64_t events_ = 0;
  TraceSummary summary_;
  bool rebuilt_ = false;
  std::uint64_t number_ = 0;
  std::int64_t origin_ns_ = 0, duration_ns_ = 0;
  std::vector<Slice> slices_;
};

}  // namespace rankscope
