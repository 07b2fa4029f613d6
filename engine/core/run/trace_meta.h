// Facts about a run that are not events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/collective.h"
#include "engine/core/run/handed.h"
#include "engine/core/run/job.h"
#include "engine/core/run/outcome.h"

namespace rankscope {

struct TraceMeta {
  std::optional<JobSpec> job;        ///< Nothing where the trace does not say what was to be run.
  std::optional<JobResult> outcome;  ///< Nothing until it is known.
  std::optional<Handed> handed;      ///< A program's notes.
  std::optional<RunFaults> faults;   ///< A grader's.
  std::string record;     ///< A grader's record of the run (lessons/coding), as it wrote it.
  std::string program;    ///< The recorder: "rankscope 0.1.0"
  std::string started;    ///< UTC, ISO 8601.
  std::string algorithm;  ///< Registry name, or a student's file: for people.
  /// An algorithm of ours is of one; nothing for a program of somebody else's, whatever it is called.
  std::optional<Collective> collective;
  int world_size = 0;
  std::vector<std::string> hosts;             ///< By rank.
  std::vector<std::int64_t> clock_offset_ns;  ///< By rank: add to a raw time for the common clock.
  /// Source texts by file name, so that the code view works anywhere.
  std::vector<std::pair<std::string, std::string>> sources;
  std::string network;  ///< A simulated run's topology, as a topology file; empty when it has none.
  /// Its messages with a tag of core/message/reducing_tree.h go to and from switches that add, of which `network` has the tree.
  bool in_network = false;
  std::uint64_t lost_events = 0;
  bool complete = false;  ///< The recorder was closed properly.
  /// JSON in a file of another version, or a damaged one, that job and outcome cannot hold; written again as it is.
  std::string unread_job, unread_result;

  /// Whether the run has ended, as far as the trace says.
  bool has_ended() const noexcept { return complete || outcome || !unread_result.empty(); }
};

}  // namespace rankscope
