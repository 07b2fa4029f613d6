// Facts about a run other than its events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/collective.h"
#include "engine/core/run/handed.h"
#include "engine/core/run/job.h"
#include "engine/core/run/outcome.h"

namespace rankscope {

struct TraceMeta {
  std::optional<JobSpec> job;        ///< Nothing if the trace does not describe the job.
  std::optional<JobResult> outcome;  ///< Nothing until it is known.
  std::optional<Handed> handed;      ///< A program's notes.
  std::optional<RunFaults> faults;   ///< A grader's.
  std::string record;     ///< A grader's record of the run (lessons/coding), as it wrote it.
  std::string program;    ///< The recording program: "rankscope 0.1.0"
  std::string started;    ///< UTC, ISO 8601.
  std::string algorithm;  ///< For people: a registry name, or a student's file.
  /// The collective that one of our algorithms implements; nothing for a foreign program, whatever its name.
  std::optional<Collective> collective;
  int world_size = 0;
  std::vector<std::string> hosts;             ///< By rank.
  std::vector<std::int64_t> clock_offset_ns;  ///< By rank: add to a raw time for the common clock.
  /// Source texts by file name, so that the code view works on any machine.
  std::vector<std::pair<std::string, std::string>> sources;
  std::string network;  ///< A simulated run's topology, as a topology file; empty if it has none.
  /// Messages with a tag of core/message/reducing_tree.h go to and from reducing switches, whose tree is in
  /// `network`.
  bool in_network = false;
  std::uint64_t lost_events = 0;
  bool complete = false;  ///< The recorder was closed properly.
  /// JSON from another version's or a damaged file that job and outcome cannot hold; written back unchanged.
  std::string unread_job, unread_result;

  /// Returns whether the run has ended, as far as the trace shows.
  bool has_ended() const noexcept { return complete || outcome || !unread_result.empty(); }
};

/// Returns the texts under "job" and "result" in a trace; empty if there is nothing to write.
std::string job_text(const TraceMeta& meta);
std::string result_text(const TraceMeta& meta);
/// Reads these texts, including those of older and later versions and damaged ones: keeps what it understands, and the
/// rest in `unread_job` and `unread_result`.
void read_job_text(std::string_view text, TraceMeta& meta);
void read_result_text(std::string_view text, TraceMeta& meta);

}  // namespace rankscope
