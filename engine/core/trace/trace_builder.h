// Builds Traces from events, all at once or repeatedly while a job runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/trace/event_merger.h"
#include "engine/core/trace/trace_data.h"

namespace rankscope {

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
