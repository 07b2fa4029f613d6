// The files of `rankscope schedule`, and its actions show, convert and from-trace.
#pragma once

#include <string>
#include <vector>

#include "cli/model/cost_options.h"
#include "cli/terminal/console.h"
#include "engine/studio/formats/schedule_file.h"

namespace rankscope::cli {

struct ScheduleOptions {
  std::vector<std::string> files;
  std::string collective, posting = "nonblocking", send_mode, output, picture, topology,
                          latency = "1us";
  int ranks = 0, root = -1, chunks = 0;
  std::uint64_t seed = 1;
  bool no_sandbox = false;
  CostOptions costs;  ///< Options of a call and a network; each action takes some of them.
};

int convert_schedule(const Console& console, const ScheduleOptions& options);
int show_schedule(const Console& console, const ScheduleOptions& options);
int schedule_from_trace(const Console& console, const ScheduleOptions& options);

/// Reads a schedule; a program in Python is run for the number of ranks that was given. Throws UserError.
ScheduleFile read_schedule_file(const std::string& path, const ScheduleOptions& options);
/// Returns the collective that --collective names. Throws UserError for an unknown word.
std::optional<Collective> collective_asked(const ScheduleOptions& options);
/// Returns the sizes of messages in files, by --bytes, --dtype and --gamma.
MessageSizes message_sizes(const ScheduleOptions& options);
/// Writes a schedule, says so, and notes what MSCCL's runtime has no room for.
int write_and_report(const Console& console, const TaskGraph& tasks, const std::string& output,
                     const ScheduleOptions& options);

}  // namespace rankscope::cli
