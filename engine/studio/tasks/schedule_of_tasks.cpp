// Reads a table of moves from a graph of tasks.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/studio/tasks/chunk_layout.h"
#include "engine/studio/tasks/schedule_tasks.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {
namespace {

class TableReader {
 public:
  explicit TableReader(const TaskGraph& graph)
      : graph_(graph), layout_(graph), matches_(graph), order_(graph, matches_, false) {}

  Schedule read() {
    if (!graph_.in_place)
      throw UserError(graph_.name +
                      ": a table of moves works in place, and this schedule does not");
    if (!matches_.unmatched.empty())
      fail(matches_.unmatched.front(), "its message has no other side");
    if (!order_.all_end()) throw UserError(graph_.name + ": its tasks wait for each other");
    for (const int number : order_.ends()) take(number);
    find_steps();
    Schedule out;
    out.chunks = graph_.chunks;
    out.moves = std::move(moves_);
    return normalised(out, graph_.ranks());
  }

 private:
  static constexpr int kNone = -1;
  /// The last writer of a chunk of a rank, and its readers since. Messages are named by their receiving task.
  struct Chunk {
    int writer = kNone;
    bool added = false;
    std::vector<int> readers, copies;
  };
  /// A chunk in scratch memory, so that it can be sent while another one takes its place.
  struct Copy {
    int cell, writer, overwriter = kNone;
  };
  /// `after` comes at least `later` steps after `before`.
  struct Wait {
    int before, after, later;
  };

  [[noreturn]] void fail(TaskId id, const std::string& why) const {
    throw UserError(fmt::format("{}: this schedule is no table of moves: rank {} {}, but {}",
                                graph_.name, id.rank, words_of(graph_[id]), why));
  }
  int cell(TaskId id, ChunkPlace at, int k) const {
    at.chunk += k;
    const int out = layout_.cell(id.rank, at);
    if (out < 0) fail(id, "its collective has no such chunk");
    return out;
  }
  bool is_scratch(int cell) const { return cell >= graph_.chunks; }
  Chunk& chunk(Rank rank, int cell) { return chunks_[{rank, cell}]; }
  void wait(int before, int after, int later) {
    if (before != kNone && before != after) waits_.push_back({before, after, later});
  }

  void take(int number) {
    const TaskId id = matches_.id(number);
    const ScheduleTask& task = graph_[id];
    if (task.does(ScheduleTask::receives)) receive(id, number);
    else if (task.does(ScheduleTask::stores)) copy(id);
    if (!task.does(ScheduleTask::sends)) return;
    send(id, number, task.does(ScheduleTask::receives) ? kept_at(id) : task.source);
  }
  // A table has no sum that is only passed on: it stays in its place, too.
  const ChunkPlace& kept_at(TaskId id) const {
    const ScheduleTask& task = graph_[id];
    if (task.does(ScheduleTask::stores)) return task.target;
    if (!task.does(ScheduleTask::reduces)) fail(id, "it does not keep what it receives");
    return task.source;
  }
  void copy(TaskId id) {
    const ScheduleTask& task = graph_[id];
    if (task.does(ScheduleTask::reduces)) fail(id, "it adds up what lies in its own memory");
    for (int k = 0; k < task.chunks; ++k) {
      const int from = cell(id, task.source, k), to = cell(id, task.target, k);
      if (from == to) continue;
      if (!is_scratch(to) || is_scratch(from)) fail(id, "it copies chunks");
      copy_in_[{id.rank, to}] = static_cast<int>(copies_.size());
      chunk(id.rank, from).copies.push_back(static_cast<int>(copies_.size()));
      copies_.push_back({from, chunk(id.rank, from).writer});
    }
  }
  void send(TaskId id, int number, const ChunkPlace& at) {
    const int message = matches_.receiver_of[static_cast<std::size_t>(number)];
    for (int k = 0; k < graph_[id].chunks; ++k) {
      int here = cell(id, at, k);
      int writer = kNone, overwriter = kNone;
      if (is_scratch(here)) {
        const auto copied = copy_in_.find({id.rank, here});
        if (copied == copy_in_.end())
          fail(id, "it sends scratch memory that is no copy of a chunk");
        const Copy& copy = copies_[static_cast<std::size_t>(copied->second)];
        here = copy.cell, writer = copy.writer, overwriter = copy.overwriter;
      } else {
        writer = chunk(id.rank, here).writer;
      }
      wait(writer, message, 1);
      if (overwriter == kNone) chunk(id.rank, here).readers.push_back(message);
      else wait(message, overwriter, 0);
      sent_[message].push_back(here);
    }
  }
  void receive(TaskId id, int number) {
    const ScheduleTask& task = graph_[id];
    const bool add = task.does(ScheduleTask::reduces);
    const ChunkPlace& kept = kept_at(id);
    const auto& came = sent_[number];
    for (int k = 0; k < task.chunks; ++k) {
      const int here = cell(id, kept, k);
      if (is_scratch(here)) fail(id, "it receives into scratch memory");
      if (add && cell(id, task.source, k) != here) fail(id, "the sum lies elsewhere than its part");
      const auto at = static_cast<std::size_t>(k);
      if (at >= came.size() || came[at] != here)
        fail(id, fmt::format("rank {} sends another chunk for that", task.from));
      Chunk& chunk = this->chunk(id.rank, here);
      wait(chunk.writer, number, add && chunk.added ? 0 : 1);
      for (const int reader : chunk.readers) wait(reader, number, 0);
      for (const int copy : chunk.copies) {
        int& by = copies_[static_cast<std::size_t>(copy)].overwriter;
        if (by == kNone) by = number;
      }
      chunk = {number, add, {}, {}};
      moves_.push_back({task.step, task.from, id.rank, here, add});
      move_of_.push_back(number);
    }
    step_[number] = std::max(task.step, 1);
    if (task.step == 0) all_known_ = false;
  }
  // Longest paths: each message comes as early as its waits allow.
  void find_steps() {
    if (all_known_) return;
    constexpr int kMostPasses = 1000;
    for (auto& [message, step] : step_) step = 1;
    bool changed = true;
    for (int pass = 0; changed; ++pass) {
      if (pass == kMostPasses)
        throw UserError(graph_.name +
                        ": this schedule is no table of moves: its messages overtake each other");
      changed = false;
      for (const Wait& one : waits_)
        if (step_[one.after] < step_[one.before] + one.later) {
          step_[one.after] = step_[one.before] + one.later;
          changed = true;
        }
    }
    for (std::size_t k = 0; k < moves_.size(); ++k) moves_[k].step = step_[move_of_[k]];
  }

  const TaskGraph& graph_;
  const ChunkLayout layout_;
  const TaskMatches matches_;
  const TaskOrder order_;
  std::map<std::pair<Rank, int>, Chunk> chunks_;
  std::vector<Copy> copies_;
  std::map<std::pair<Rank, int>, int> copy_in_;  // of scratch memory
  std::map<int, std::vector<int>> sent_;         // by message: the chunks that it takes
  std::map<int, int> step_;                      // by message
  std::vector<Wait> waits_;
  bool all_known_ = true;
  std::vector<ScheduleMove> moves_;
  std::vector<int> move_of_;  // the message of each move
};

}  // namespace

Schedule schedule_of(const TaskGraph& graph) {
  check_tasks(graph);
  if (!graph.knows_data() && graph.size() > 0)
    throw UserError(
        graph.name +
        ": it does not say which chunks its messages carry, so it cannot become a table of moves");
  return TableReader(graph).read();
}

}  // namespace rankscope
