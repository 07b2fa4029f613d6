// Divides tasks into operations, and joins them again by their labels.
#include "engine/studio/formats/operations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/studio/formats/msccl_words.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {
namespace {

constexpr std::string_view kNoPlace = "x0";

std::string label_place(const ChunkPlace& at) {
  for (const auto& one : kMscclMemories)
    if (one.memory == at.memory) return fmt::format("{}{}", one.name, at.chunk);
  return std::string(kNoPlace);
}

// "t5_rrc_i0_i0_n1_b2_g0_s3": task 5, its type, source, target, chunks, strand + 1, tag, step.
std::string label_of(const ScheduleTask& task, int number) {
  std::string type = "calc";
  for (const auto& one : kMscclStepTypes)
    if (one.parts == task.parts) type = one.name;
  return fmt::format("t{}_{}_{}_{}_n{}_b{}_g{}_s{}", number, type, label_place(task.source),
                     label_place(task.target), task.chunks, task.strand + 1, task.tag, task.step);
}

// ---- Labels, read ----

struct LabelledTask {
  int number = 0;
  ScheduleTask task;
};

class LabelReader {
 public:
  explicit LabelReader(std::string_view text) : rest_(text) {}

  std::optional<LabelledTask> read() {
    LabelledTask out;
    std::string_view type;
    const bool fits = number("t", out.number) && word(type) && place(out.task.source) &&
                      place(out.task.target) && number("n", out.task.chunks) &&
                      number("b", out.task.strand) && number("g", out.task.tag) &&
                      number("s", out.task.step) && rest_.empty();
    if (!fits) return std::nullopt;
    --out.task.strand;
    if (type == "calc") {
      out.task.parts = ScheduleTask::computes;
      return out;
    }
    for (const auto& one : kMscclStepTypes)
      if (one.name == type) {
        out.task.parts = one.parts;
        return out;
      }
    return std::nullopt;
  }

 private:
  bool word(std::string_view& out) {
    if (rest_.empty()) return false;
    const auto end = rest_.find('_');
    out = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return !out.empty();
  }
  static bool read_number(std::string_view text, int& out) {
    constexpr int kMost = 1 << 24;
    out = as_number<int>(text).value_or(-1);
    return out >= 0 && out <= kMost;
  }
  bool number(std::string_view prefix, int& out) {
    std::string_view text;
    return word(text) && text.starts_with(prefix) && read_number(text.substr(prefix.size()), out);
  }
  bool place(ChunkPlace& out) {
    std::string_view text;
    if (!word(text)) return false;
    if (text == kNoPlace) return true;
    for (const auto& one : kMscclMemories)
      if (text.starts_with(one.name)) {
        out.memory = one.memory;
        return read_number(text.substr(one.name.size()), out.chunk);
      }
    return false;
  }

  std::string_view rest_;
};

constexpr std::string_view kParts[] = {"_recv", "_calc", "_send"};

// The label without the name of its part; empty where it has none.
std::string_view base_of(std::string_view label) {
  for (const auto part : kParts)
    if (label.ends_with(part)) return label.substr(0, label.size() - part.size());
  return {};
}

// ---- Facts of files ----

FileFacts facts_of(const TaskGraph& graph) {
  return {{"collective", graph.collective ? std::string(traits(*graph.collective).key) : "none"},
          {"root", fmt::format("{}", graph.root)},
          {"chunks", fmt::format("{}", graph.chunks)},
          {"in_place", graph.in_place ? "1" : "0"},
          {"protocol", graph.protocol},
          {"schedule", graph.name}};
}

std::optional<int> number_in(const FileFacts& facts, std::string_view key) {
  constexpr int kMost = 1 << 24;
  for (const auto& [name, value] : facts) {
    if (name != key) continue;
    const int out = as_number<int>(value).value_or(-1);
    if (out >= 0 && out <= kMost) return out;
  }
  return std::nullopt;
}
std::string text_in(const FileFacts& facts, std::string_view key) {
  for (const auto& [name, value] : facts)
    if (name == key) return printable(value);
  return {};
}

// ---- Tasks to operations ----

class OperationMaker {
 public:
  OperationMaker(const TaskGraph& graph, const MessageSizes& sizes)
      : graph_(graph), matches_(graph), sizes_(sizes), tag_of_(graph.size(), 0) {
    std::map<std::pair<Rank, Rank>, int> messages;
    for (int t = 0; t < static_cast<int>(graph.size()); ++t) {
      const TaskId id = matches_.id(t);
      if (!graph[id].does(ScheduleTask::sends)) continue;
      tag_of_[static_cast<std::size_t>(t)] = messages[{id.rank, graph[id].to}]++;
    }
  }

  RankOperations make(Rank rank) {
    out_ = {};
    const auto& room = graph_.rooms[static_cast<std::size_t>(rank)];
    out_.facts = {{"input", fmt::format("{}", room.input)},
                  {"output", fmt::format("{}", room.output)},
                  {"scratch", fmt::format("{}", room.scratch)}};
    std::map<int, int> strand;
    const auto& tasks = graph_.tasks[static_cast<std::size_t>(rank)];
    last_.clear();
    for (const ScheduleTask& task : tasks)
      last_.push_back((last_.empty() ? -1 : last_.back()) + operations_in(task));
    for (int t = 0; t < static_cast<int>(tasks.size()); ++t) {
      std::vector<int> after = tasks[static_cast<std::size_t>(t)].after;
      if (const int s = tasks[static_cast<std::size_t>(t)].strand; s >= 0) {
        const auto [at, fresh] = strand.try_emplace(s, t);
        if (!fresh) after.push_back(at->second);
        at->second = t;
      }
      ranges::sort(after);
      after.erase(std::ranges::unique(after).begin(), after.end());
      add_task({rank, t}, after);
    }
    return std::move(out_);
  }

 private:
  static bool computes(const ScheduleTask& task) {
    const bool moves_only = task.does(ScheduleTask::receives) || task.does(ScheduleTask::sends);
    return task.does(ScheduleTask::reduces) || !moves_only;
  }
  static int operations_in(const ScheduleTask& task) {
    return (task.does(ScheduleTask::receives) ? 1 : 0) + (computes(task) ? 1 : 0) +
           (task.does(ScheduleTask::sends) ? 1 : 0);
  }
  void add_task(TaskId id, const std::vector<int>& waits) {
    const ScheduleTask& task = graph_[id];
    std::vector<int> after;
    for (const int other : waits) after.push_back(last_[static_cast<std::size_t>(other)]);
    const std::string label = label_of(task, id.task);
    const int number = matches_.number(id);
    const std::uint64_t bytes = bytes_of(graph_, task, sizes_);
    if (task.does(ScheduleTask::receives)) {
      const int sender = matches_.sender_of[static_cast<std::size_t>(number)];
      const int tag = sender < 0 ? 0 : tag_of_[static_cast<std::size_t>(sender)];
      after = {add({.kind = ScheduleOperation::receive,
                    .peer = task.from,
                    .bytes = bytes,
                    .tag = tag,
                    .label = label + "_recv",
                    .after = after})};
    }
    if (computes(task)) {
      const auto reduced =
          task.does(ScheduleTask::reduces) ? static_cast<double>(bytes) * sizes_.gamma * 1e9 : 0;
      const auto time = task.does(ScheduleTask::computes)
                            ? task.time_ns
                            : static_cast<std::uint64_t>(std::llround(reduced));
      after = {add({.bytes = bytes, .time_ns = time, .label = label + "_calc", .after = after})};
    }
    if (task.does(ScheduleTask::sends))
      after = {add({.kind = ScheduleOperation::send,
                    .peer = task.to,
                    .bytes = bytes,
                    .tag = tag_of_[static_cast<std::size_t>(number)],
                    .label = label + "_send",
                    .after = after})};
  }
  int add(ScheduleOperation one) {
    out_.operations.push_back(std::move(one));
    return static_cast<int>(out_.operations.size()) - 1;
  }

  const TaskGraph& graph_;
  const TaskMatches matches_;
  const MessageSizes& sizes_;
  std::vector<int> tag_of_;  // by sending task
  RankOperations out_;
  std::vector<int> last_;  // by task: its last operation
};

}  // namespace

std::uint64_t bytes_of(const TaskGraph& graph, const ScheduleTask& task,
                       const MessageSizes& sizes) {
  if (task.chunks == 0 || graph.chunks == 0) return task.bytes;
  const bool all = graph.collective && traits(*graph.collective).counts_all_ranks();
  const auto count = static_cast<Count>(sizes.bytes / sizes.element) * (all ? graph.ranks() : 1);
  const Partition part(count, graph.chunks);
  const ChunkPlace& at = task.source.memory != ChunkMemory::none ? task.source : task.target;
  Count out = 0;
  for (int k = 0; k < task.chunks; ++k) out += part[(at.chunk + k) % graph.chunks].count;
  return static_cast<std::uint64_t>(out) * sizes.element;
}

OperationFile operations_of(const TaskGraph& graph, const MessageSizes& sizes) {
  check_tasks(graph);
  OperationFile out{graph.name, facts_of(graph), {}};
  OperationMaker maker(graph, sizes);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) out.ranks.push_back(maker.make(rank));
  return out;
}

namespace {

// Joins operations to our tasks; gives nothing if a label is not ours, since another program may have changed the file.
class OwnTasks {
 public:
  explicit OwnTasks(const OperationFile& in) : in_(in) {}

  std::optional<TaskGraph> read() {
    const auto chunks = number_in(in_.facts, "chunks"), root = number_in(in_.facts, "root"),
               in_place = number_in(in_.facts, "in_place");
    if (!chunks || !root || !in_place) return std::nullopt;
    TaskGraph out;
    out.name = text_in(in_.facts, "schedule");
    out.protocol = text_in(in_.facts, "protocol");
    out.collective = collective_of_key(text_in(in_.facts, "collective"));
    out.chunks = *chunks;
    out.root = *root;
    out.in_place = *in_place == 1;
    for (const auto& rank : in_.ranks) {
      const auto input = number_in(rank.facts, "input"), output = number_in(rank.facts, "output"),
                 scratch = number_in(rank.facts, "scratch");
      if (!input || !output || !scratch) return std::nullopt;
      out.rooms.push_back({*input, *output, *scratch});
      out.tasks.emplace_back();
      if (!read_rank(rank, out.tasks.back())) return std::nullopt;
    }
    return out;
  }

 private:
  // Operations of a task stand together; those for which they wait may come later.
  static bool read_rank(const RankOperations& rank, std::vector<ScheduleTask>& tasks) {
    std::vector<int> task_of;
    for (const ScheduleOperation& one : rank.operations) {
      const auto found = LabelReader(base_of(one.label)).read();
      if (!found || !one.started.empty()) return false;
      const int last = static_cast<int>(tasks.size()) - 1;
      if (found->number != last && found->number != last + 1) return false;
      if (found->number > last) tasks.push_back(found->task);
      task_of.push_back(found->number);
    }
    std::map<int, int> strand;  // the last task of each
    int number = -1, before = -1;
    for (std::size_t k = 0; k < rank.operations.size(); ++k) {
      const ScheduleOperation& one = rank.operations[k];
      ScheduleTask& task = tasks[static_cast<std::size_t>(task_of[k])];
      if (std::exchange(number, task_of[k]) != number)
        before = put_last(strand, task.strand, number);
      if (one.kind == ScheduleOperation::send) task.to = one.peer;
      if (one.kind == ScheduleOperation::receive) task.from = one.peer;
      if (task.does(ScheduleTask::computes)) task.time_ns = one.time_ns;
      for (const int other : one.after)
        if (const int to = task_of[static_cast<std::size_t>(other)]; to != number && to != before)
          task.after.push_back(to);
    }
    return ranges::all_of(tasks, [](const ScheduleTask& task) {
      return (!task.does(ScheduleTask::sends) || task.to >= 0) &&
             (!task.does(ScheduleTask::receives) || task.from >= 0);
    });
  }
  // The strand's task before this one; or -1.
  static int put_last(std::map<int, int>& strands, int strand, int task) {
    if (strand < 0) return -1;
    const auto [at, fresh] = strands.try_emplace(strand, task);
    return fresh ? -1 : std::exchange(at->second, task);
  }

  const OperationFile& in_;
};

}  // namespace

TaskGraph tasks_of(const OperationFile& in, const std::string& file) {
  for (const auto& rank : in.ranks)
    for (std::size_t k = 0; k < rank.operations.size(); ++k)
      for (const int other : rank.operations[k].after)
        if (other < 0 || other >= static_cast<int>(rank.operations.size()))
          throw FormatError(file + ": an operation waits for one that is not there");
  if (auto own = OwnTasks(in).read()) return *own;
  TaskGraph out;
  out.name = in.name;
  out.in_place = false;
  out.rooms.resize(in.ranks.size());
  for (const auto& rank : in.ranks) {
    auto& tasks = out.tasks.emplace_back();
    for (const ScheduleOperation& one : rank.operations) {
      ScheduleTask task;
      task.parts = one.kind == ScheduleOperation::send      ? ScheduleTask::sends
                   : one.kind == ScheduleOperation::receive ? ScheduleTask::receives
                                                            : ScheduleTask::computes;
      (one.kind == ScheduleOperation::send ? task.to : task.from) = one.peer;
      task.tag = one.tag;
      task.bytes = one.bytes;
      task.time_ns = one.time_ns;
      task.after = one.after;
      // Begins after the operations that `other` waits for, so not before `other` may begin.
      for (const int other : one.started)
        for (const int before : rank.operations[static_cast<std::size_t>(other)].after)
          task.after.push_back(before);
      tasks.push_back(std::move(task));
    }
  }
  return out;
}

}  // namespace rankscope
