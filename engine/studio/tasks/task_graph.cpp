// Texts and checks of task graphs.
#include "engine/studio/tasks/task_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

int room_for(const TaskGraph& graph, Rank rank, ChunkMemory memory) {
  const auto& room = graph.rooms[static_cast<std::size_t>(rank)];
  switch (memory) {  // in place, a file may declare one of them only
    case ChunkMemory::input: return graph.in_place ? std::max(room.input, room.output) : room.input;
    case ChunkMemory::output:
      return graph.in_place ? std::max(room.input, room.output) : room.output;
    case ChunkMemory::scratch: return room.scratch;
    case ChunkMemory::none: break;
  }
  return 0;
}

bool reads_source(const ScheduleTask& task) {
  if (task.does(ScheduleTask::computes)) return false;
  return task.does(ScheduleTask::receives)
             ? task.does(ScheduleTask::reduces)
             : task.does(ScheduleTask::sends) || task.does(ScheduleTask::stores);
}

class TaskCheck {
 public:
  TaskCheck(const TaskGraph& graph, Rank rank, int index)
      : graph_(graph), rank_(rank), index_(index), task_(graph[{rank, index}]) {}

  void run() const {
    if (task_.does(ScheduleTask::receives)) peer(task_.from);
    if (task_.does(ScheduleTask::sends)) peer(task_.to);
    if (reads_source(task_)) place(task_.source, "reads");
    if (task_.does(ScheduleTask::stores)) place(task_.target, "writes");
    for (const int other : task_.after)
      if (other < 0 ||
          other >= static_cast<int>(graph_.tasks[static_cast<std::size_t>(rank_)].size()) ||
          other == index_)
        fail(fmt::format("waits for task {}, which is none of its rank's others", other));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: task {} of rank {} {}", graph_.name, index_, rank_, what));
  }
  void peer(Rank other) const {
    if (other < 0 || other >= graph_.ranks())
      fail(fmt::format("has a message with rank {}; there are ranks 0 to {}", other,
                       graph_.ranks() - 1));
    if (other == rank_) fail("sends to its own rank: use a copy instead");
  }
  void place(const ChunkPlace& at, std::string_view verb) const {
    if (at.memory == ChunkMemory::none) return;
    const int room = room_for(graph_, rank_, at.memory);
    if (at.chunk < 0 || task_.chunks < 1 || at.chunk > room - task_.chunks)
      fail(fmt::format("{} {} of a memory that has {}", verb, chunks_text(at.chunk, task_.chunks),
                       room));
  }

  const TaskGraph& graph_;
  const Rank rank_;
  const int index_;
  const ScheduleTask& task_;
};

}  // namespace

std::size_t TaskGraph::size() const noexcept {
  std::size_t out = 0;
  for (const auto& of_rank : tasks) out += of_rank.size();
  return out;
}

bool TaskGraph::knows_data() const noexcept {
  bool any = false;
  for (const auto& of_rank : tasks)
    for (const ScheduleTask& task : of_rank) {
      if (!task.does(ScheduleTask::receives) && !task.does(ScheduleTask::sends)) continue;
      any = true;
      if (reads_source(task) && task.source.memory == ChunkMemory::none) return false;
      if (task.does(ScheduleTask::stores) && task.target.memory == ChunkMemory::none) return false;
      if (!task.does(ScheduleTask::stores) && !task.does(ScheduleTask::sends)) return false;
    }
  return any;
}

std::string chunks_text(int first, int count) {
  if (count < 1) return "its data";
  return count == 1 ? fmt::format("chunk {}", first)
                    : fmt::format("chunks {}-{}", first, first + count - 1);
}

std::string words_of(const ScheduleTask& task) {
  const auto chunks = [&](const ChunkPlace& at) {
    if (at.memory != ChunkMemory::none) return chunks_text(at.chunk, task.chunks);
    return task.bytes > 0 ? fmt::format("{} bytes", task.bytes) : std::string("its message");
  };
  std::string text;
  if (task.does(ScheduleTask::receives))
    text =
        fmt::format("{} {} from rank {}", task.does(ScheduleTask::reduces) ? "adds" : "receives",
                    chunks(task.does(ScheduleTask::stores) ? task.target : task.source), task.from);
  else if (task.does(ScheduleTask::sends))
    text = fmt::format("sends {} to rank {}", chunks(task.source), task.to);
  else if (task.does(ScheduleTask::stores))
    text = fmt::format("{} {}", task.does(ScheduleTask::reduces) ? "adds up" : "copies",
                       chunks(task.source));
  else text = task.does(ScheduleTask::computes) ? "computes" : "waits";
  if (task.does(ScheduleTask::receives) && task.does(ScheduleTask::sends))
    text += fmt::format(" and passes it on to rank {}", task.to);
  if (task.step > 0) text += fmt::format(" in step {}", task.step);
  return text;
}

void check_tasks(const TaskGraph& graph) {
  if (graph.tasks.empty()) throw UserError(graph.name + ": there are no ranks in it");
  for (Rank rank = 0; rank < graph.ranks(); ++rank)
    for (int i = 0; i < static_cast<int>(graph.tasks[static_cast<std::size_t>(rank)].size()); ++i)
      TaskCheck(graph, rank, i).run();
}

}  // namespace rankscope
