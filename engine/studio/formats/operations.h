// Schedules as plain sends, receives and computations of each rank, as simulators take them (GOAL, Chakra).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// A send, a receive or a computation.
struct ScheduleOperation {
  enum Kind : std::uint8_t { send, receive, compute };
  Kind kind = compute;
  Rank peer = -1;
  std::uint64_t bytes = 0;
  int tag = 0;
  std::uint64_t time_ns = 0;      ///< Duration of a computation.
  std::string label;              ///< In our files, names the task and its part.
  std::vector<int> after = {};    ///< Operations of the rank that end before.
  std::vector<int> started = {};  ///< Operations that need only begin before (GOAL's irequires).
  int line = 0;                   ///< In the file; 0 if unknown.
};

/// Further facts in files of ours: "collective" "allreduce", ...
using FileFacts = std::vector<std::pair<std::string, std::string>>;

struct RankOperations {
  FileFacts facts;
  std::vector<ScheduleOperation> operations;
};
struct OperationFile {
  std::string name;
  FileFacts facts;
  std::vector<RankOperations> ranks;
};

/// Sizes of the vector whose parts messages carry.
struct MessageSizes {
  std::uint64_t bytes = std::uint64_t{1} << 20;  ///< Passed in by one rank.
  std::uint64_t element = 4;
  double gamma = 0;  ///< Seconds for each byte reduced.
};
/// The size of a task's message or sum.
std::uint64_t bytes_of(const TaskGraph& graph, const ScheduleTask& task, const MessageSizes& sizes);

/// Turns each task into a receive, a computation (a sum, a copy) and a send, as far as it has them. Messages between two
/// ranks get different tags, so that their order does not matter.
OperationFile operations_of(const TaskGraph& graph, const MessageSizes& sizes);
/// The tasks, with chunks where all labels and facts are ours; other files become tasks without data.
/// Errors call it `file`. Throws FormatError.
TaskGraph tasks_of(const OperationFile& in, const std::string& file);

}  // namespace rankscope
