// Builds Traces from events, all at once or repeatedly while a job runs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/trace/trace_data.h"

namespace rankscope {

/// The order keeps each rank's own order, sorts ranks against each other by corrected time, and never places a match or
/// completion before the post of its cause: such an event is moved in time to the cause, together with its rank's later
/// events. Incremental: late events roll the order back to where they belong.
class EventMerger {
 public:
  /// Called for every event that is placed (or placed again), in order.
  using Placed = std::function<void(const StepEvent& event, std::uint64_t position)>;
  /// Called when the order is cut back to its first `size` events.
  using Cut = std::function<void(std::uint64_t size)>;

  EventMerger(Placed placed, Cut cut) : placed_(std::move(placed)), cut_(std::move(cut)) {}

  /// By rank, the offset to add to a raw time. Applies to all events, including those already placed.
  void set_clock_offsets(std::vector<std::int64_t> offsets_ns);
  /// Adds the next events of `rank`; they must outlive the merger and all snapshots of its order.
  void append(Rank rank, std::span<const StepEvent> events);
  /// Places all events that it can. An event whose cause has not come (yet) waits, and so do its rank's later events,
  /// unless `final`.
  void merge(bool final);

  const EventOrder& order() const noexcept { return order_; }
  std::vector<std::pair<Rank, std::uint64_t>> gaps() const;
  /// Returns 1 + the highest rank seen.
  int ranks() const noexcept { return static_cast<int>(streams_.size()); }

 private:
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kPending = kAbsent + 1;

  struct Stream {
    Rank rank = -1;
    std::int64_t offset_ns = 0;
    std::vector<std::span<const StepEvent>> runs;
    std::size_t run = 0, in_run = 0;      ///< The next event to place: runs[run][in_run].
    std::size_t scanned = 0;              ///< Runs whose posted operations are known.
    std::int64_t last_ns = kPending + 1;  ///< The time of the last placed event.
    std::int64_t head_ns = 0;
    std::uint64_t next_seq = 0, missing = 0, events = 0;
    /// Operations by counter: kAbsent, kPending (posted, but not yet placed) or the time of posting.
    std::vector<std::int64_t> posted;
    std::unordered_map<OpId, std::int64_t> far_posted;  ///< Counters too large for the vector.

    bool exhausted() const noexcept { return run == runs.size(); }
    const StepEvent& head() const noexcept { return runs[run][in_run]; }
    void advance() noexcept;
    void step_back() noexcept;
    void scan();
    std::int64_t* find_posted(OpId op) noexcept;
  };
  struct Ready {
    std::int64_t time_ns;
    Rank rank;
    Stream* stream;
    bool operator>(const Ready& other) const noexcept {
      return time_ns != other.time_ns ? time_ns > other.time_ns : rank > other.rank;
    }
  };

  Stream& stream_of(Rank rank);
  template <class Visitor>
  void each_stream(Visitor&& visit) {
    for (auto& stream : streams_)
      if (stream) visit(*stream);
  }
  std::int64_t* cause_of(const Stream& stream, const StepEvent& event) noexcept;
  std::int64_t rollback_time(bool final);
  void roll_back(std::int64_t time_ns);
  void scan_streams();
  bool prepare(Stream& stream, bool final);
  void place(Stream& stream);
  void wake(OpId op);
  void push(Stream& stream);
  bool release_one_blocked();
  void open_page();

  Placed placed_;
  Cut cut_;
  std::vector<std::int64_t> offsets_ns_;
  std::vector<std::unique_ptr<Stream>> streams_;  // by rank; null if it has no events yet
  EventOrder order_;
  std::vector<Ready> ready_;  // a heap
  std::unordered_map<OpId, std::vector<Stream*>> waiting_;
  bool recompute_all_ = false;
  bool was_final_ = false;
};

/// Thread-safe: one thread may deliver events while another takes snapshots. Holds one job: batches
/// of another epoch than the first batch's (or the given one) are dropped and counted.
class TraceBuilder : public EventSink {
 public:
  /// Ranks lie below this number; any other is damage.
  static constexpr Rank kMostRanks = 1 << 16;

  explicit TraceBuilder(TraceMeta meta = {}, std::uint32_t epoch = 0);

  /// Throws FormatError for a batch that no recorder makes.
  void deliver(EventBatch&& batch) override;
  /// Clock offsets may come late; they apply to all events.
  void set_meta(TraceMeta meta);
  /// Returns a trace of the events so far, without events whose cause has not arrived. The cost grows with the events
  /// since the last snapshot, not with the size of the trace.
  Trace snapshot();
  /// Returns a trace of all events, also of matches of lost sends, once no more will come.
  Trace finish();
  std::uint64_t dropped() const;
  /// Returns a trace of the same events with other facts.
  static Trace with_meta(const Trace& trace, TraceMeta meta);

  // ---- For the reader of trace files: definitions and events with trace-wide numbers ----
  void put_definition(Definition definition);
  /// `runs` are the chunk's events in order, cut so that each run is of one rank.
  void adopt(std::shared_ptr<EventChunk> chunk, std::span<const std::span<const StepEvent>> runs);
  void set_issues(TraceIssues issues);
  /// The events cover only a part of the run's time, so events missing between them are not known.
  void set_part(const TracePart& part);

 private:
  Trace build_locked(bool final);
  void replay(const StepEvent& event, std::uint64_t position);
  void sort_chunks();

  mutable std::mutex mutex_;
  TraceMeta meta_;
  TraceIssues issues_;
  std::optional<TracePart> part_;
  std::uint32_t epoch_;
  std::uint64_t dropped_ = 0;
  DefinitionTable table_;
  std::shared_ptr<const DefinitionTable::Lists> shared_table_;  // null after a change
  ChunkList new_chunks_;
  std::shared_ptr<const ChunkList> chunks_ = std::make_shared<ChunkList>();
  BufferReplay replay_;
  EventMerger merger_;
};

/// Returns a trace of batches, for tests and for runs inside this process.
Trace make_trace(std::vector<EventBatch> batches, TraceMeta meta = {});

}  // namespace rankscope
