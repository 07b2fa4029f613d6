// Writes MSCCL's XML.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/xml_elements.h"
#include "engine/studio/formats/msccl.h"
#include "engine/studio/formats/msccl_words.h"

namespace rankscope {
namespace {

/// A thread block of one rank; -1 in `tasks` stands for a nop that only waits.
struct Block {
  Rank send = -1, recv = -1;
  int channel = 0;
  std::vector<int> tasks, waits;  // by step: the task that it waits for, or -1
};

std::string_view type_of(const ScheduleTask& task) {
  const auto* type = ranges::find(kMscclStepTypes, task.parts, &MscclStepType::parts);
  return type == kMscclStepTypes.end() ? std::string_view() : type->name;
}

std::string_view name_of(ChunkMemory memory) {
  const auto* found = ranges::find(kMscclMemories, memory, &MscclMemory::memory);
  return found == kMscclMemories.end() ? "i" : found->name;
}

class RankWriter {
 public:
  RankWriter(const TaskGraph& graph, Rank rank)
      : graph_(graph), rank_(rank), tasks_(graph.tasks[static_cast<std::size_t>(rank)]) {
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t) place(t);
  }

  std::string text() const {
    const auto& room = graph_.rooms[static_cast<std::size_t>(rank_)];
    std::string out =
        fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank_,
                    room.input, room.output, room.scratch);
    for (const auto& [id, block] : blocks_) {
      out += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", id, block.send,
                         block.recv, block.channel);
      for (std::size_t s = 0; s < block.tasks.size(); ++s) out += step_text(block, s);
      out += "    </tb>\n";
    }
    return out + "  </gpu>\n";
  }

 private:
  [[noreturn]] void fail(int t, const std::string& why) const {
    throw UserError(fmt::format("{}: rank {} {}, which MSCCL's XML cannot say: {}", graph_.name,
                                rank_, words_of(tasks_[static_cast<std::size_t>(t)]), why));
  }
  void take_peer(int t, Rank& of_block, Rank peer) const {
    if (of_block >= 0 && of_block != peer)
      fail(t, "a thread block has one peer to send to and one to receive from");
    of_block = peer;
  }
  void place(int t) {
    const ScheduleTask& task = tasks_[static_cast<std::size_t>(t)];
    if (task.strand < 0)
      fail(t, "its tasks are in no thread blocks; convert the schedule as a table of moves");
    if (type_of(task).empty()) fail(t, "it has no such step");
    if (task.parts != 0 && task.chunks == 0) fail(t, "it has to say which chunks these are");
    Block& block = blocks_[task.strand];
    if (task.does(ScheduleTask::sends)) take_peer(t, block.send, task.to);
    if (task.does(ScheduleTask::receives)) take_peer(t, block.recv, task.from);
    if (!block.tasks.empty() && block.channel != task.tag)
      fail(t, "a thread block has one channel");
    block.channel = task.tag;
    for (std::size_t k = 0; k + 1 < task.after.size(); ++k)
      add(block, task.strand, -1, task.after[k]);
    add(block, task.strand, t, task.after.empty() ? -1 : task.after.back());
    step_of_[t] = {task.strand, static_cast<int>(block.tasks.size()) - 1};
  }
  void add(Block& block, int, int task, int wait) {
    block.tasks.push_back(task);
    block.waits.push_back(wait);
    if (wait >= 0) awaited_[wait] = true;
  }
  std::string step_text(const Block& block, std::size_t s) const {
    const int t = block.tasks[s], wait = block.waits[s];
    static const ScheduleTask kNop;
    const ScheduleTask& task = t < 0 ? kNop : tasks_[static_cast<std::size_t>(t)];
    const auto dep = wait < 0 ? std::pair(-1, -1) : step_of_.at(wait);
    // One place is enough for our tasks; the other attributes are the same.
    const ChunkPlace& source = task.source.memory != ChunkMemory::none ? task.source : task.target;
    const ChunkPlace& target = task.target.memory != ChunkMemory::none ? task.target : task.source;
    const bool none = task.parts == 0;
    std::string out = fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
        "cnt=\"{}\" "
        "depid=\"{}\" deps=\"{}\" hasdep=\"{}\"",
        s, type_of(task), name_of(source.memory), none ? -1 : source.chunk, name_of(target.memory),
        none ? -1 : target.chunk, task.chunks, dep.first, dep.second,
        t >= 0 && awaited_.contains(t) ? 1 : 0);
    if (task.step > 0) out += fmt::format(" rankscope_step=\"{}\"", task.step);
    return out + "/>\n";
  }

  const TaskGraph& graph_;
  const Rank rank_;
  const std::vector<ScheduleTask>& tasks_;
  std::map<int, Block> blocks_;
  std::map<int, std::pair<int, int>> step_of_;  // by task: its block and step
  std::map<int, bool> awaited_;
};

}  // namespace

std::string write_msccl(const TaskGraph& graph) {
  check_tasks(graph);
  int channels = 1;
  for (const auto& of_rank : graph.tasks)
    for (const ScheduleTask& task : of_rank) channels = std::max(channels, task.tag + 1);
  std::string out = fmt::format(
      "<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" "
      "coll=\"{}\" "
      "inplace=\"{}\" outofplace=\"{}\"{}>\n",
      xml_text(graph.name), xml_text(graph.protocol), channels, graph.chunks, graph.ranks(),
      graph.collective ? to_string(*graph.collective) : "custom", graph.in_place ? 1 : 0,
      graph.in_place ? 0 : 1, graph.root > 0 ? fmt::format(" root=\"{}\"", graph.root) : "");
  for (Rank rank = 0; rank < graph.ranks(); ++rank) out += RankWriter(graph, rank).text();
  return out + "</algo>\n";
}

std::string beyond_msccl(const TaskGraph& graph) {
  constexpr int kMostSteps = 256, kMostBlocks = 108 * 2, kMostCount = 72;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    std::map<int, int> steps;
    for (const ScheduleTask& task : graph.tasks[static_cast<std::size_t>(rank)]) {
      if (task.chunks > kMostCount)
        return fmt::format("MSCCL's runtime takes at most {} chunks in a step; rank {} {}",
                           kMostCount, rank, words_of(task));
      steps[task.strand] += std::max<int>(1, static_cast<int>(task.after.size()));
    }
    for (const auto& [block, count] : steps)
      if (count > kMostSteps)
        return fmt::format(
            "MSCCL's runtime takes at most {} steps in a thread block; rank {} has {} in block {}",
            kMostSteps, rank, count, block);
    if (static_cast<int>(steps.size()) > kMostBlocks)
      return fmt::format("MSCCL's runtime takes at most {} thread blocks; rank {} has {}",
                         kMostBlocks, rank, steps.size());
  }
  return "";
}

}  // namespace rankscope
