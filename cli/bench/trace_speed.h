// Measures how fast traces are recorded, opened and scrubbed on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope::cli {

struct TraceBenchResult {
  std::uint64_t events = 0;
  double recorded_per_s = 0;  ///< Batches decoded and written to a file, by one thread.
  std::uint64_t file_bytes = 0;
  double open_s = 0;
  double live_append_s = 0;                  ///< The same events into a TraceBuilder.
  double live_snapshot_worst_s = 0;          ///< One snapshot after every 20th of the events.
  double seek_mean_s = 0, seek_worst_s = 0;  ///< To positions all over the trace.
  std::uint64_t memory_bytes = 0;            ///< Memory that the open trace added to the process.
  double streamed_open_s = 0;  ///< The same file not held in memory: its headers and its summary.
  double part_worst_s = 0;     ///< Reading 200,000 events around a time, all over the trace.
  // The same file without its summary:
  double estimated_open_s = 0;  ///< Until it can be shown, by an estimate.
  double counted_s = 0;         ///< The pass over all events.
  double kept_open_s = 0;       ///< Opening it again, with the counts that were kept.
};
/// Records the made-up run of bench_trace() into a file, and measures nothing.
void record_made_up(std::uint64_t events, const std::filesystem::path& path);

/// Records a made-up ring allreduce of 8 ranks and about `events` events, with contents, into `folder`; opens it and
/// seeks in it. Takes about 250 bytes of memory per event.
TraceBenchResult bench_trace(std::uint64_t events, const std::filesystem::path& folder);
std::string to_json(const TraceBenchResult& measured);

}  // namespace rankscope::cli
