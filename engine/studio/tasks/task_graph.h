// A schedule as the field's formats have it: each rank's tasks, which receive, combine, store and send chunks, and wait
// for each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/account/fault.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/types.h"

namespace rankscope {

/// The memory in which a chunk lies; `none` if the file does not say it.
enum class ChunkMemory : std::uint8_t { none, input, output, scratch };

/// The first of some consecutive chunks of one rank.
struct ChunkPlace {
  ChunkMemory memory = ChunkMemory::none;
  int chunk = 0;
  bool operator==(const ChunkPlace&) const = default;
};

/// A task: it receives (or else reads `source`), combines that with what lies in `source` (after a receive) or in `target`
/// (after a read), stores the result in `target`, and sends it, in this order. Each part may be left out.
struct ScheduleTask {
  enum Part : std::uint8_t { receives = 1, reduces = 2, stores = 4, sends = 8, computes = 16 };

  std::uint8_t parts = 0;
  Rank from = -1, to = -1;
  int tag = 0;  ///< Messages of one sender, receiver and tag arrive in order.
  ChunkPlace source = {}, target = {};
  int chunks = 0;             ///< Consecutive ones, in source, target and message; 0 if unknown.
  std::uint64_t bytes = 0;    ///< Size of the message, or of the sum; 0 where chunks say it.
  std::uint64_t time_ns = 0;  ///< Duration of a task that computes.
  int strand =
      -1;        ///< A thread block, whose tasks follow each other; -1 where only `after` counts.
  int step = 0;  ///< The schedule's step; 0 if unknown.
  std::vector<int> after = {};  ///< Tasks of the same rank that have ended before, by index.

  bool does(Part part) const noexcept { return (parts & part) != 0; }
  bool operator==(const ScheduleTask&) const = default;
};

struct TaskGraph {
  /// Chunks of a rank's memory.
  struct Room {
    int input = 0, output = 0, scratch = 0;
    bool operator==(const Room&) const = default;
  };

  std::string name = "schedule";
  std::optional<Collective> collective;
  Rank root = 0;
  int chunks = 0;  ///< The larger of a rank's input and output.
  /// The smaller of input and output lies in the larger one, at its rank's chunks.
  bool in_place = true;
  std::string protocol = "Simple";  ///< MSCCL's.
  std::vector<Room> rooms;          ///< By rank.
  std::vector<std::vector<ScheduleTask>> tasks;

  int ranks() const noexcept { return static_cast<int>(tasks.size()); }
  const ScheduleTask& operator[](TaskId id) const {
    return tasks[static_cast<std::size_t>(id.rank)][static_cast<std::size_t>(id.task)];
  }
  std::size_t size() const noexcept;
  /// Returns whether every message says where its data lies, so that contributions can be followed.
  bool knows_data() const noexcept;
  /// Chunks of the whole that are one rank's own; 0 where the ranks do not divide it.
  int own_chunks() const noexcept { return chunks % ranks() == 0 ? chunks / ranks() : 0; }
  bool operator==(const TaskGraph&) const = default;
};

/// "sends chunk 3 to rank 1 in step 2", "receives chunks 0-3 from rank 2", as part of a sentence on its rank.
std::string words_of(const ScheduleTask& task);
/// "chunk 3", "chunks 0-3", "its data" if unknown.
std::string chunks_text(int first, int count);

/// Checks that all ranks and peers exist, places lie in their rooms, and tasks come after tasks of their rank. Throws
/// UserError that names rank and task.
void check_tasks(const TaskGraph& graph);

}  // namespace rankscope
