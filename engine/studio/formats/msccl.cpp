// Reads and writes MSCCL's XML.
#include "engine/studio/formats/msccl.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/base/xml_elements.h"
#include "engine/studio/formats/msccl_words.h"

namespace rankscope {
namespace {

// ---- Reading ----

constexpr int kMostMscclChunks = 1 << 20, kMostMscclRanks = 1 << 16, kMostMscclSteps = 1 << 20;
constexpr std::size_t kMostMscclTasks = 4'000'000;

const Collective* collective_called(std::string_view name) {
  for (const auto& row : collectives()) {
    const auto same = [](char a, char b) { return a == b; };
    std::string ours(row.name), theirs = ascii_lower(name);
    std::erase(ours, '_');
    std::erase(theirs, '_');
    if (ranges::equal(ours, theirs, same)) return &row.collective;
  }
  return nullptr;
}

class MscclReader {
 public:
  MscclReader(std::string_view text, const std::string& file) : in_(text, file) {}

  TaskGraph read() {
    auto element = in_.next();
    if (!element || element->name != "algo")
      in_.fail(element ? element->line : 1, "the first element should be <algo ...>");
    const int ranks = read_algo(*element);
    while ((element = in_.next()) && !element->ends) {
      if (element->name != "gpu")
        in_.fail(element->line, fmt::format("<gpu> should be here, not <{}>", element->name));
      read_gpu(*element);
    }
    in_.next();  // nothing may follow
    for (int r = 0; r < ranks; ++r)
      if (!seen_.contains(r))
        in_.fail(1, fmt::format("there is no <gpu id=\"{}\">, though ngpus is {}", r, ranks));
    for (const auto& room : graph_.rooms)
      graph_.chunks = std::max({graph_.chunks, room.input, room.output});
    return std::move(graph_);
  }

 private:
  struct Wait {
    Rank rank;
    int task, block, step, line;
  };

  const std::string& text(const XmlElement& element, std::string_view key) const {
    const auto* found = element.find(key);
    if (found == nullptr)
      in_.fail(element.line, fmt::format("<{}> has no attribute {}", element.name, key));
    return *found;
  }
  int number(const XmlElement& element, std::string_view key, int least, int most) const {
    const std::string& value = text(element, key);
    const auto out = as_number<int>(value);
    if (!out || *out < least || *out > most)
      in_.fail(element.line,
               fmt::format("{} of <{}> should be a number from {} to {}, not \"{}\"", key,
                           element.name, least, most, escaped(value.substr(0, 40))));
    return *out;
  }
  int number_or(const XmlElement& element, std::string_view key, int least, int most,
                int otherwise) const {
    return element.find(key) == nullptr ? otherwise : number(element, key, least, most);
  }

  int read_algo(const XmlElement& algo) {
    graph_.name = printable(text(algo, "name"));
    if (const auto* proto = algo.find("proto")) graph_.protocol = printable(*proto);
    const int ranks = number(algo, "ngpus", 1, kMostMscclRanks);
    graph_.in_place = number_or(algo, "inplace", 0, 1, 0) == 1;
    graph_.root = number_or(algo, "root", 0, ranks - 1, 0);
    if (const auto* coll = algo.find("coll"))
      if (const Collective* found = collective_called(*coll)) graph_.collective = *found;
    graph_.rooms.resize(static_cast<std::size_t>(ranks));
    graph_.tasks.resize(static_cast<std::size_t>(ranks));
    return ranks;
  }

  void read_gpu(const XmlElement& gpu) {
    const Rank rank = number(gpu, "id", 0, graph_.ranks() - 1);
    if (!seen_.insert(rank).second)
      in_.fail(gpu.line, fmt::format("<gpu id=\"{}\"> is there twice", rank));
    auto& room = graph_.rooms[static_cast<std::size_t>(rank)];
    room = {number(gpu, "i_chunks", 0, kMostMscclChunks),
            number(gpu, "o_chunks", 0, kMostMscclChunks),
            number_or(gpu, "s_chunks", 0, kMostMscclChunks, 0)};
    steps_.clear();
    waits_.clear();
    std::set<int> blocks;
    for (auto element = in_.next(); element && !element->ends; element = in_.next()) {
      if (element->name != "tb")
        in_.fail(element->line, fmt::format("<tb> should be here, not <{}>", element->name));
      const int block = number(*element, "id", 0, kMostMscclSteps);
      if (!blocks.insert(block).second)
        in_.fail(element->line, fmt::format("<tb id=\"{}\"> is there twice", block));
      read_block(*element, rank, block);
    }
    for (const Wait& wait : waits_) {
      const auto found = steps_.find({wait.block, wait.step});
      if (found == steps_.end())
        in_.fail(wait.line, fmt::format("it waits for step {} of block {}, which is not there",
                                        wait.step, wait.block));
      graph_.tasks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(wait.task)]
          .after.push_back(found->second);
    }
  }

  void read_block(const XmlElement& tb, Rank rank, int block) {
    const Rank send = number(tb, "send", -1, graph_.ranks() - 1),
               recv = number(tb, "recv", -1, graph_.ranks() - 1);
    const int channel = number_or(tb, "chan", 0, kMostMscclSteps, 0);
    if (send == rank || recv == rank)
      in_.fail(tb.line, "a thread block cannot send to its own rank: use cpy");
    auto& tasks = graph_.tasks[static_cast<std::size_t>(rank)];
    int expected = 0;
    for (auto element = in_.next(); element && !element->ends; element = in_.next()) {
      if (element->name != "step")
        in_.fail(element->line, fmt::format("<step> should be here, not <{}>", element->name));
      const int s = number(*element, "s", 0, kMostMscclSteps);
      if (s != expected++)
        in_.fail(element->line, fmt::format("step {} should be here, not {}", expected - 1, s));
      if (++size_ > kMostMscclTasks)
        in_.fail(element->line, "the file has more than 4 million steps");
      ScheduleTask task = read_step(*element);
      task.strand = block;
      task.tag = channel;
      if (task.does(ScheduleTask::sends)) task.to = peer(*element, send, "send");
      if (task.does(ScheduleTask::receives)) task.from = peer(*element, recv, "recv");
      const int number = static_cast<int>(tasks.size());
      steps_[{block, s}] = number;
      read_wait(*element, rank, number);
      tasks.push_back(std::move(task));
      if (const auto end = in_.next(); !end || !end->ends)
        in_.fail(element->line, "a step has no elements in it");
    }
  }
  Rank peer(const XmlElement& step, Rank rank, std::string_view attribute) const {
    if (rank < 0)
      in_.fail(step.line,
               fmt::format("a step of type {} needs a rank in the attribute {} of its <tb>",
                           *step.find("type"), attribute));
    return rank;
  }
  void read_wait(const XmlElement& step, Rank rank, int task) {
    const int block = number_or(step, "depid", -1, kMostMscclSteps, -1);
    if (block < 0) return;
    waits_.push_back({rank, task, block, number(step, "deps", 0, kMostMscclSteps), step.line});
  }

  ScheduleTask read_step(const XmlElement& step) const {
    const std::string& name = text(step, "type");
    const auto* type = ranges::find(kMscclStepTypes, name, &MscclStepType::name);
    if (type == kMscclStepTypes.end())
      in_.fail(step.line, fmt::format("there is no type \"{}\" of steps: s, r, rrc, rrs, rcs, "
                                      "rrcs, cpy, re and nop are known",
                                      escaped(name.substr(0, 40))));
    ScheduleTask task;
    task.parts = type->parts;
    task.step = number_or(step, "rankscope_step", 1, kMostMscclSteps, 0);
    if (task.parts == 0) return task;
    task.chunks = number(step, "cnt", 1, kMostMscclChunks);
    const bool receives = task.does(ScheduleTask::receives);
    if (!receives || task.does(ScheduleTask::reduces)) task.source = place(step, "src");
    if (task.does(ScheduleTask::stores)) task.target = place(step, "dst");
    return task;
  }
  ChunkPlace place(const XmlElement& step, const std::string& side) const {
    const std::string& name = text(step, side + "buf");
    const auto* memory = ranges::find(kMscclMemories, name, &MscclMemory::name);
    if (memory == kMscclMemories.end())
      in_.fail(step.line, fmt::format("{}buf should be i, o or s, not \"{}\"", side,
                                      escaped(name.substr(0, 40))));
    return {memory->memory, number(step, side + "off", 0, kMostMscclChunks)};
  }

  XmlElements in_;
  TaskGraph graph_;
  std::set<Rank> seen_;
  std::map<std::pair<int, int>, int> steps_;  // of the rank: by block and step
  std::vector<Wait> waits_;
  std::size_t size_ = 0;
};

// ---- Writing ----

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

TaskGraph read_msccl(std::string_view text, const std::string& file) {
  return MscclReader(text, file).read();
}

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
