// The profiling table of the "Ray AllReduce task", measured on a student's class Worker in boxes. Each method is checked
// before it is timed, and its results are checked while it is.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/profile/profile_record.h"
#include "lessons/coding/boxes.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// The exercises on Worker, in the order of the table's rows.
inline constexpr std::array<std::string_view, 4> kWorkerExercises = {
    "send-recv", "ray-all-reduce", "bde-all-reduce", "mst-all-reduce"};

struct WorkerProfileOptions {
  CodeBoxesOptions
      boxes;  ///< Their submission is the folder with worker.py; their limits are set here.
  int ranks = 8;
  Count count = Count{1} << 23;  ///< Elements of float32 on each rank.
  int trials = 10;
  double run_timeout_s = 60;  ///< For the trials of one method in one round.
  std::uint64_t seed = 1;     ///< For the inputs.
  std::function<void(const std::string& what)> on_progress;  ///< "bde_all_reduce, round 2 of 5"
};

/// Methods without a row for one reason.
struct WorkerFault {
  std::vector<std::string> methods;  ///< All that fail for this reason.
  std::string says;
};

struct WorkerProfile {
  std::vector<ProfileRecord> records;  ///< One a method: its algorithm is the method's name.
  std::vector<WorkerFault> faults;
  std::vector<std::string> notes;  ///< On rows that are measured, and are not what their name says.
  bool interrupted = false;
};

/// Rounds of all methods in turn, so that a slow minute of the machine meets each of them; in a round one call that is not
/// timed, then some that are. Times are the slowest rank's. Throws UserError when no box can be had.
WorkerProfile profile_worker(const std::vector<const CodingExercise*>& exercises,
                             const WorkerProfileOptions& options);

}  // namespace rankscope
