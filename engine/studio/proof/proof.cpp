// Looks for what is wrong: messages without the other side, cycles, races, and contributions in the wrong place.
#include "engine/studio/proof/proof.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/studio/proof/contribution_faults.h"

namespace rankscope {
namespace {

constexpr auto kKinds = std::to_array<std::string_view>(
    {"contribution missing", "contribution doubled", "contribution in a wrong place",
     "memory read before it is written", "race", "message of another length",
     "message without the other side", "cycle"});

ScheduleFault fault_at(const TaskGraph& graph, TaskId id, ScheduleFault::Kind kind) {
  const ScheduleTask& task = graph[id];
  const ChunkPlace& at = task.does(ScheduleTask::receives) && task.does(ScheduleTask::stores)
                             ? task.target
                             : task.source;
  return {.kind = kind,
          .rank = id.rank,
          .chunk = at.memory == ChunkMemory::none ? -1 : at.chunk,
          .step = task.step,
          .path = {id}};
}

void find_unmatched(const TaskGraph& graph, const TaskMatches& matches, ScheduleProof& out) {
  for (const TaskId id : matches.unmatched) {
    const ScheduleTask& task = graph[id];
    const bool as_receive = task.does(ScheduleTask::receives) &&
                            matches.sender_of[static_cast<std::size_t>(matches.number(id))] < 0;
    ScheduleFault fault = fault_at(graph, id, ScheduleFault::unmatched);
    fault.words = as_receive ? fmt::format("rank {} {}, but rank {} sends it no such message",
                                           id.rank, words_of(task), task.from)
                             : fmt::format("rank {} {}, but rank {} receives no such message",
                                           id.rank, words_of(task), task.to);
    out.faults.push_back(std::move(fault));
    return;
  }
}

void find_lengths(const TaskGraph& graph, const TaskMatches& matches, ScheduleProof& out) {
  for (std::size_t t = 0; t < matches.sender_of.size(); ++t) {
    if (matches.sender_of[t] < 0) continue;
    const TaskId to = matches.id(static_cast<int>(t)), from = matches.id(matches.sender_of[t]);
    const ScheduleTask &receive = graph[to], &send = graph[from];
    if (send.chunks == receive.chunks && send.bytes == receive.bytes) continue;
    ScheduleFault fault = fault_at(graph, to, ScheduleFault::length);
    const bool chunks = send.chunks != receive.chunks;
    fault.words = fmt::format(
        "rank {} {}, but rank {} sends {} {} then, not {}", to.rank, words_of(receive), from.rank,
        chunks ? static_cast<std::uint64_t>(send.chunks) : send.bytes, chunks ? "chunks" : "bytes",
        chunks ? static_cast<std::uint64_t>(receive.chunks) : receive.bytes);
    out.faults.push_back(std::move(fault));
    return;
  }
}

void find_cycle(const TaskGraph& graph, const TaskMatches& matches, const TaskOrder& order,
                ScheduleProof& out) {
  if (order.all_end()) return;
  std::vector<TaskId> tasks;
  for (const int number : order.cycle()) tasks.push_back(matches.id(number));
  if (tasks.empty()) throw UserError(graph.name + ": its tasks wait for each other");
  // It begins with its smallest rank.
  std::ranges::rotate(tasks, ranges::min_element(tasks));
  ScheduleFault fault = fault_at(graph, tasks.front(), ScheduleFault::cycle);
  fault.path = tasks;
  fault.words = tasks.size() == 1 ? "a task waits for itself: "
                                  : "each waits for the next one, and the last for the first: ";
  constexpr std::size_t kMostNamed = 8;
  for (std::size_t k = 0; k < tasks.size() && k < kMostNamed; ++k)
    fault.words +=
        fmt::format("{}rank {} {}", k > 0 ? "; " : "", tasks[k].rank, words_of(graph[tasks[k]]));
  if (tasks.size() > kMostNamed)
    fault.words += fmt::format("; and {} more", tasks.size() - kMostNamed);
  out.faults.push_back(std::move(fault));
}

}  // namespace

std::string_view to_string(ScheduleFault::Kind kind) noexcept { return kKinds[kind]; }

ScheduleProof prove(const TaskGraph& graph, bool rendezvous) {
  check_tasks(graph);
  ScheduleProof out;
  out.knows_data = graph.knows_data() || (graph.collective && graph.size() == 0);
  const TaskMatches matches(graph);
  find_unmatched(graph, matches, out);
  if (out.right()) find_lengths(graph, matches, out);
  if (!out.right()) return out;
  // What has a cycle with eager sends has one with rendezvous.
  const TaskOrder eager(graph, matches, false);
  find_cycle(graph, matches, eager, out);
  if (out.right() && rendezvous) find_cycle(graph, matches, TaskOrder(graph, matches, true), out);
  if (!out.knows_data || !eager.all_end()) return out;
  const std::vector<ScheduleFault> cycles = std::move(out.faults);
  out.faults.clear();
  find_contribution_faults(graph, matches, eager, out);
  // Ranks that block each other are the first thing to mend.
  out.faults.insert(out.faults.begin(), cycles.begin(), cycles.end());
  return out;
}

}  // namespace rankscope
