// The trace file (*.rankscope): written block by block as a job runs, readable at any moment.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "engine/core/base/fd.h"
#include "engine/core/trace/definition_table.h"
#include "engine/core/trace/trace.h"
#include "engine/core/trace/trace_summary.h"

namespace rankscope {

/// A file locked against other writers of traces while this lives; created if missing, otherwise left as it is.
class ReservedTrace {
 public:
  /// Throws UserError if it cannot be written, or if another run is writing it.
  explicit ReservedTrace(const std::filesystem::path& path);
  Fd take() noexcept { return std::move(file_); }

 private:
  Fd file_;
};

/// Appends self-contained, checksummed blocks: a killed recorder loses at most the events of the block not yet written.
/// Thread-safe. A file holds one job: batches of another epoch than the first batch's (or the given one) are dropped
/// and counted.
class TraceWriter : public EventSink {
 public:
  /// Creates or replaces the file and writes the known facts about the job. All functions that write throw UserError if
  /// the file cannot be written (once: later events are dropped and counted).
  TraceWriter(const std::filesystem::path& path, TraceMeta meta, std::uint32_t epoch = 0);
  TraceWriter(std::filesystem::path path, ReservedTrace reserved, TraceMeta meta,
              std::uint32_t epoch = 0);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  /// Without close(), the events are written but the trace stays marked as unfinished.
  ~TraceWriter() override;

  void deliver(EventBatch&& batch) override;
  /// Writes the gathered events as a block. Called by a timer, so that little is lost in a crash.
  void flush() override;
  /// Writes the final facts and the end mark.
  void close(TraceMeta meta);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t events() const;
  std::uint64_t dropped() const;
  std::uint64_t bytes_written() const;

 private:
  void take_locked(EventBatch&& batch);
  void flush_locked();
  void write_locked(const Bytes& block);
  void write_meta_locked();
  void encode_events_locked(Bytes& raw, std::int64_t& min_ns, std::int64_t& max_ns);
  void encode_used_definitions_locked(ByteWriter& out);
  void mark_used_locked(const StepEvent& event);
  void mark_locked(Definition::Kind kind, std::uint32_t id);
  Bytes end_block_locked() const;

  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  TraceMeta meta_;
  std::uint32_t epoch_;
  Fd file_;
  bool failed_ = false, closed_ = false;
  std::uint32_t next_block_ = 0;
  std::uint64_t events_ = 0, dropped_ = 0, written_ = 0;
  DefinitionTable table_;
  std::map<Rank, std::vector<StepEvent>> pending_;
  std::size_t pending_events_ = 0;
  Bytes blobs_;
  TraceSummary summary_;
  std::size_t event_blocks_ = 0;
  std::uint64_t summarised_from_ = 0;  ///< Smaller files need no summary.
  // The definitions that the block's events use: stamped with the block's number + 1.
  std::array<std::vector<std::uint32_t>, kDefinitionKinds> used_stamp_;
  std::array<std::vector<std::uint32_t>, kDefinitionKinds> used_;
  Bytes raw_;  // kept to reuse its memory
};

/// The number of events above which a trace is not held whole in memory if a part suffices. From the environment
/// variable RANKSCOPE_STREAM_EVENTS; otherwise 16 million, which take about 2 GiB. Throws UserError if it is not a
/// number.
std::uint64_t most_events_held();

class TraceReader {
 public:
  /// Reads all that can be read; Trace::issues() lists the rest. Throws UserError if the file cannot be opened or is
  /// too large for this machine, FormatError if it is not a trace file, is of a newer version, or has nothing readable.
  static Trace open(const std::filesystem::path& path);
};

/// The facts in a file's headers, without reading its events.
struct TraceScope {
  std::uint64_t events = 0;
  std::int64_t first_ns = 0, last_ns = 0;  ///< On the ranks' own clocks, uncorrected.
  TraceMeta meta;                          ///< The last one in the file.
  /// From the meta block; if that was lost, from the events themselves (which are then read).
  int world_size = 0;
};
TraceScope look_at_trace(const std::filesystem::path& path);

/// For traces too large to be held in memory: passes over the events once, from two threads, in order only within each
/// block. `visit` gets its thread's number (0 or 1) and consecutive events of one rank. Skips damaged and repeated
/// blocks; returns the issues that TraceReader::open finds in the file, and throws as it does.
TraceIssues scan_trace(const std::filesystem::path& path,
                       const std::function<void(int thread, std::span<const StepEvent>)>& visit);

}  // namespace rankscope
