// Turns a table's steps into tasks of ranks, in the order in which they are posted or by their dependencies.
#include "engine/studio/tasks/schedule_tasks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// Consecutive chunks of one sender, receiver and step.
struct ScheduleMessage {
  int step;
  Rank from, to;
  int chunk, count;
  bool add;
};

constexpr std::size_t kMostChunks = 4'000'000;

// Each chunk of each move, sorted; chunks sent more than once in a step come after all that are sent once.
std::vector<ScheduleMessage> single_chunks(const Schedule& schedule, int ranks) {
  const int chunks = schedule.chunks_for(ranks);
  std::vector<ScheduleMessage> out;
  for (const auto& move : schedule.moves) {
    const bool whole = move.chunk == ScheduleMove::kWhole;
    const int count = whole ? chunks : 1;
    if (out.size() + static_cast<std::size_t>(count) > kMostChunks)
      throw UserError("the schedule moves more than 4 million chunks: take fewer chunks");
    for (int k = 0; k < count; ++k)
      out.push_back({move.step, move.from, move.to, whole ? k : move.chunk, 1, move.add});
  }
  const auto key = [](const ScheduleMessage& m) {
    return std::tuple(m.step, m.from, m.to, m.chunk);
  };
  ranges::stable_sort(out, {}, key);
  std::vector<std::pair<int, ScheduleMessage>> repeated;
  for (std::size_t k = 0; k < out.size(); ++k)
    repeated.emplace_back(k > 0 && key(out[k]) == key(out[k - 1]) ? repeated.back().first + 1 : 0,
                          out[k]);
  ranges::stable_sort(repeated, {}, [](const auto& one) {
    return std::tuple(one.second.step, one.second.from, one.second.to, one.first, one.second.chunk);
  });
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = repeated[k].second;
  return out;
}

std::vector<ScheduleMessage> messages_of(const Schedule& schedule, int ranks) {
  std::vector<ScheduleMessage> out;
  for (const auto& m : single_chunks(schedule, ranks)) {
    const bool goes_on = !out.empty() && out.back().step == m.step && out.back().from == m.from &&
                         out.back().to == m.to && out.back().add == m.add &&
                         out.back().chunk + out.back().count == m.chunk;
    if (goes_on) ++out.back().count;
    else out.push_back(m);
  }
  return out;
}

/// The common part of posted_tasks() and dataflow_tasks(): an empty graph, and the tasks of a message.
class TableTasks {
 public:
  TableTasks(const Schedule& schedule, const ScheduleUse& use)
      : chunks_(schedule.chunks_for(use.ranks)) {
    check_schedule(schedule, use.ranks);
    const CollectiveTraits& what = traits(use.collective);
    graph_.name = use.name;
    graph_.collective = use.collective;
    graph_.root = use.root;
    graph_.chunks = chunks_;
    data_ = what.out == Extent::chunk ? ChunkMemory::input
            : what.counts_all_ranks() ? ChunkMemory::output
                                      : ChunkMemory::input;
    const int own = chunks_ % use.ranks == 0 ? chunks_ / use.ranks : 0;
    const bool small_in = what.counts_all_ranks() && own > 0;
    const bool small_out = what.out == Extent::chunk && own > 0;
    graph_.rooms.assign(static_cast<std::size_t>(use.ranks),
                        {small_in ? own : chunks_, small_out ? own : chunks_, 0});
    graph_.tasks.resize(static_cast<std::size_t>(use.ranks));
    for (const auto& message : messages_of(schedule, use.ranks)) {
      steps_[message.step][message.from].sends.push_back(message);
      steps_[message.step][message.to].receives.push_back(message);
    }
    for (auto& [number, ranks] : steps_)
      for (auto& [rank, step] : ranks) {
        ranges::stable_sort(step.sends, {}, &ScheduleMessage::to);
        ranges::stable_sort(step.receives, {}, &ScheduleMessage::from);
      }
  }

 protected:
  struct Step {
    std::vector<ScheduleMessage> sends, receives;
  };
  int add(Rank rank, ScheduleTask task) {
    auto& all = graph_.tasks[static_cast<std::size_t>(rank)];
    all.push_back(std::move(task));
    return static_cast<int>(all.size()) - 1;
  }
  // Data must not change while it is being sent.
  static bool changes(const Step& step, const ScheduleMessage& send) {
    return ranges::any_of(step.receives, [&](const ScheduleMessage& one) {
      return one.chunk < send.chunk + send.count && send.chunk < one.chunk + one.count;
    });
  }
  ScheduleTask copy(Rank rank, const ScheduleMessage& m) {
    auto& scratch = graph_.rooms[static_cast<std::size_t>(rank)].scratch;
    scratch = chunks_;
    return {.parts = ScheduleTask::stores,
            .source = {data_, m.chunk},
            .target = {ChunkMemory::scratch, m.chunk},
            .chunks = m.count,
            .step = m.step};
  }
  ScheduleTask send(const ScheduleMessage& m, bool copied) const {
    return {.parts = ScheduleTask::sends,
            .to = m.to,
            .source = {copied ? ChunkMemory::scratch : data_, m.chunk},
            .chunks = m.count,
            .step = m.step};
  }
  ScheduleTask receive(const ScheduleMessage& m) const {
    const auto parts = static_cast<std::uint8_t>(ScheduleTask::receives | ScheduleTask::stores |
                                                 (m.add ? ScheduleTask::reduces : 0));
    return {.parts = parts,
            .from = m.from,
            .source = m.add ? ChunkPlace{data_, m.chunk} : ChunkPlace{},
            .target = {data_, m.chunk},
            .chunks = m.count,
            .step = m.step};
  }

  TaskGraph graph_;
  const int chunks_;
  ChunkMemory data_ = ChunkMemory::input;
  std::map<int, std::map<Rank, Step>> steps_;
};

class PostedTasks : public TableTasks {
 public:
  PostedTasks(const Schedule& schedule, const ScheduleUse& use, Posting posting)
      : TableTasks(schedule, use), posting_(posting) {}

  TaskGraph make() {
    std::vector<int> ended(graph_.tasks.size(), -1);  // by rank: what the next step begins after
    for (const auto& [number, ranks] : steps_)
      for (const auto& [rank, step] : ranks) {
        int& last = ended[static_cast<std::size_t>(rank)];
        last = post(rank, step, last);
      }
    return std::move(graph_);
  }

 private:
  static std::vector<int> only(int task) {
    return task < 0 ? std::vector<int>() : std::vector{task};
  }

  int post(Rank rank, const Step& step, int last) {
    std::vector<bool> copied;
    for (const auto& m : step.sends) {
      copied.push_back(changes(step, m));
      if (!copied.back()) continue;
      ScheduleTask task = copy(rank, m);
      task.after = only(last);
      last = add(rank, std::move(task));
    }
    std::vector<int> open;  // sends that it waits for at the step's end
    for (std::size_t k = 0; k < step.sends.size(); ++k) {
      ScheduleTask task = send(step.sends[k], copied[k]);
      task.after = only(last);
      const int sent = add(rank, std::move(task));
      if (posting_ == Posting::blocking) last = sent;
      else open.push_back(sent);
    }
    for (const auto& m : step.receives) {
      ScheduleTask task = receive(m);
      task.after = only(last);
      last = add(rank, std::move(task));
    }
    if (open.empty()) return last;
    if (!step.receives.empty()) open.push_back(last);
    ScheduleTask wait{.step = step.sends.front().step, .after = open};
    return add(rank, std::move(wait));
  }

  const Posting posting_;
};

class DataflowTasks : public TableTasks {
 public:
  DataflowTasks(const Schedule& schedule, const ScheduleUse& use)
      : TableTasks(schedule, use), use_(graph_.tasks.size()) {}

  TaskGraph make() {
    for (const auto& [number, ranks] : steps_)
      for (const auto& [rank, step] : ranks) post(rank, step);
    return std::move(graph_);
  }

 private:
  /// The use of a chunk of memory.
  struct Users {
    int writer = -1;
    std::vector<int> readers;
  };

  void post(Rank rank, const Step& step) {
    for (const auto& m : step.sends) {
      const bool copied = changes(step, m);
      if (copied) put(rank, copy(rank, m), {true, m.to});
      put(rank, send(m, copied), {true, m.to});
    }
    for (const auto& m : step.receives) put(rank, receive(m), {false, m.from});
  }

  void put(Rank rank, ScheduleTask task, std::pair<bool, Rank> block) {
    auto& blocks = blocks_[rank];
    task.strand = blocks.try_emplace(block, static_cast<int>(blocks.size())).first->second;
    auto& all = graph_.tasks[static_cast<std::size_t>(rank)];
    const int number = static_cast<int>(all.size());
    std::vector<int> after;
    const bool reads = task.source.memory != ChunkMemory::none,
               writes = task.does(ScheduleTask::stores);
    for (int k = 0; k < task.chunks; ++k) {
      if (reads) {
        Users& users =
            use_[static_cast<std::size_t>(rank)][{task.source.memory, task.source.chunk + k}];
        after.push_back(users.writer);
        users.readers.push_back(number);
      }
      if (!writes) continue;
      Users& users =
          use_[static_cast<std::size_t>(rank)][{task.target.memory, task.target.chunk + k}];
      after.push_back(users.writer);
      after.insert(after.end(), users.readers.begin(), users.readers.end());
      users = {number, {}};
    }
    keep_needed(all, task.strand, number, after);
    task.after = std::move(after);
    all.push_back(std::move(task));
  }
  // A block's tasks follow each other: the last task of each other block is enough, and none of its own.
  static void keep_needed(const std::vector<ScheduleTask>& all, int strand, int number,
                          std::vector<int>& after) {
    std::map<int, int> last;
    for (const int other : after) {
      if (other < 0 || other == number) continue;
      const int block = all[static_cast<std::size_t>(other)].strand;
      if (block == strand) continue;
      int& latest = last.try_emplace(block, other).first->second;
      latest = std::max(latest, other);
    }
    after.clear();
    for (const auto& [block, task] : last) after.push_back(task);
    ranges::sort(after);
  }

  std::map<Rank, std::map<std::pair<bool, Rank>, int>> blocks_;
  std::vector<std::map<std::pair<ChunkMemory, int>, Users>> use_;
};

}  // namespace

Schedule normalised(const Schedule& schedule, int ranks) {
  Schedule out;
  const int chunks = schedule.chunks_for(ranks);
  if (chunks != ranks) out.chunks = chunks;
  for (const auto& m : messages_of(schedule, ranks)) {
    if (m.count == chunks && chunks > 1) {
      out.moves.push_back({m.step, m.from, m.to, ScheduleMove::kWhole, m.add});
      continue;
    }
    for (int k = 0; k < m.count; ++k)
      out.moves.push_back({m.step, m.from, m.to, m.chunk + k, m.add});
  }
  return out;
}

TaskGraph posted_tasks(const Schedule& schedule, const ScheduleUse& use, Posting posting) {
  return PostedTasks(schedule, use, posting).make();
}

TaskGraph dataflow_tasks(const Schedule& schedule, const ScheduleUse& use) {
  return DataflowTasks(schedule, use).make();
}

}  // namespace rankscope
