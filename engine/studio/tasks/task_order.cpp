// Matches messages, sorts tasks topologically, and finds short cycles.
#include "engine/studio/tasks/task_order.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/core/base/ranges.h"

namespace rankscope {

TaskMatches::TaskMatches(const TaskGraph& graph) : first{0} {
  for (const auto& of_rank : graph.tasks)
    first.push_back(first.back() + static_cast<int>(of_rank.size()));
  sender_of.assign(static_cast<std::size_t>(first.back()), kNone);
  receiver_of = sender_of;
  struct Queue {
    std::vector<int> sends, receives;
  };
  std::map<std::tuple<Rank, Rank, int>, Queue> queues;
  for (Rank rank = 0; rank < graph.ranks(); ++rank)
    for (int i = 0; i < static_cast<int>(graph.tasks[static_cast<std::size_t>(rank)].size()); ++i) {
      const ScheduleTask& task = graph[{rank, i}];
      if (task.does(ScheduleTask::sends))
        queues[{rank, task.to, task.tag}].sends.push_back(number({rank, i}));
      if (task.does(ScheduleTask::receives))
        queues[{task.from, rank, task.tag}].receives.push_back(number({rank, i}));
    }
  for (const auto& [key, queue] : queues) {
    const std::size_t both = std::min(queue.sends.size(), queue.receives.size());
    for (std::size_t k = 0; k < both; ++k) {
      receiver_of[static_cast<std::size_t>(queue.sends[k])] = queue.receives[k];
      sender_of[static_cast<std::size_t>(queue.receives[k])] = queue.sends[k];
    }
    for (std::size_t k = both; k < queue.sends.size(); ++k) unmatched.push_back(id(queue.sends[k]));
    for (std::size_t k = both; k < queue.receives.size(); ++k)
      unmatched.push_back(id(queue.receives[k]));
  }
}

TaskId TaskMatches::id(int number) const noexcept {
  const auto rank = ranges::upper_bound(first, number) - first.begin() - 1;
  return {static_cast<Rank>(rank), number - first[static_cast<std::size_t>(rank)]};
}

TaskOrder::TaskOrder(const TaskGraph& graph, const TaskMatches& matches, bool rendezvous)
    : tasks_(graph.size()), node_(tasks_) {
  add_edges(graph, matches, rendezvous);
  sort();
}

// Node 2t is the arrival of a message, 2t+1 the end of the task. Where both sides of a rendezvous are one moment, the
// receiver has the sender's node.
void TaskOrder::add_edges(const TaskGraph& graph, const TaskMatches& matches, bool rendezvous) {
  for (int t = 0; t < static_cast<int>(tasks_); ++t) {
    const int sender = matches.sender_of[static_cast<std::size_t>(t)];
    const bool receives = graph[matches.id(t)].does(ScheduleTask::receives);
    node_[static_cast<std::size_t>(t)] = !receives                   ? 2 * t + 1
                                         : rendezvous && sender >= 0 ? 2 * sender + 1
                                                                     : 2 * t;
  }
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    std::map<int, int> last;  // by strand
    const auto& of_rank = graph.tasks[static_cast<std::size_t>(rank)];
    for (int i = 0; i < static_cast<int>(of_rank.size()); ++i) {
      const ScheduleTask& task = of_rank[static_cast<std::size_t>(i)];
      const int t = matches.number({rank, i});
      for (const int other : task.after) add(2 * matches.number({rank, other}) + 1, arrival(t));
      if (task.strand >= 0) {
        const auto [at, fresh] = last.try_emplace(task.strand, t);
        if (!fresh) add(2 * at->second + 1, arrival(t));
        at->second = t;
      }
      if (!task.does(ScheduleTask::receives)) continue;
      add(arrival(t), 2 * t + 1);
      const int sender = matches.sender_of[static_cast<std::size_t>(t)];
      if (sender < 0) add(2 * t, 2 * t);  // never
      else if (!rendezvous) add(2 * sender + 1, 2 * t);
    }
  }
  if (!rendezvous) return;
  for (int t = 0; t < static_cast<int>(tasks_); ++t)  // a send that nobody receives
    if (graph[matches.id(t)].does(ScheduleTask::sends) &&
        matches.receiver_of[static_cast<std::size_t>(t)] < 0)
      add(2 * t + 1, 2 * t + 1);
}

void TaskOrder::sort() {
  const std::size_t nodes = 2 * tasks_;
  begin_.assign(nodes + 1, 0);
  for (const auto& [before, after] : edges_) ++begin_[static_cast<std::size_t>(after) + 1];
  for (std::size_t n = 0; n < nodes; ++n) begin_[n + 1] += begin_[n];
  before_.resize(edges_.size());
  std::vector<int> fill(begin_.begin(), begin_.end() - 1), waits(nodes, 0), next(nodes + 1, 0);
  for (const auto& [before, after] : edges_) {
    before_[static_cast<std::size_t>(fill[static_cast<std::size_t>(after)]++)] = before;
    ++waits[static_cast<std::size_t>(after)];
    ++next[static_cast<std::size_t>(before) + 1];
  }
  for (std::size_t n = 0; n < nodes; ++n) next[n + 1] += next[n];
  std::vector<int> behind(edges_.size()), put(next.begin(), next.end() - 1);
  for (const auto& [before, after] : edges_)
    behind[static_cast<std::size_t>(put[static_cast<std::size_t>(before)]++)] = after;
  edges_ = {};
  place_.assign(nodes, -1);
  seen_.assign(nodes, 0);
  std::vector<int> ready;
  for (std::size_t n = 0; n < nodes; ++n)
    if (waits[n] == 0) ready.push_back(static_cast<int>(n));
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto n = static_cast<std::size_t>(ready[k]);
    place_[n] = static_cast<int>(k);
    if (n % 2 == 1) ends_.push_back(static_cast<int>(n / 2));
    for (int e = next[n]; e < next[n + 1]; ++e) {
      const int other = behind[static_cast<std::size_t>(e)];
      if (--waits[static_cast<std::size_t>(other)] == 0) ready.push_back(other);
    }
  }
}

bool TaskOrder::is_before(int before, int after) const {
  const int goal = 2 * before + 1;
  const int least = place_[static_cast<std::size_t>(goal)];
  ++searches_;
  std::vector<int> open{2 * after + 1};
  while (!open.empty()) {
    const auto n = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (int e = begin_[n]; e < begin_[n + 1]; ++e) {
      const int other = before_[static_cast<std::size_t>(e)];
      if (other == goal) return true;
      const auto o = static_cast<std::size_t>(other);
      if (place_[o] <= least || seen_[o] == searches_) continue;
      seen_[o] = searches_;
      open.push_back(other);
    }
  }
  return false;
}

std::vector<int> TaskOrder::cycle() const {
  constexpr std::size_t kMostStarts = 2000;
  std::vector<int> best, from(place_.size());
  std::size_t starts = 0;
  for (std::size_t start = 0; start < place_.size() && starts < kMostStarts; ++start) {
    if (place_[start] >= 0) continue;
    ++starts;
    // Breadth first, backwards: the first way back to the start is its shortest.
    ++searches_;
    std::vector<int> open{static_cast<int>(start)};
    std::vector<std::size_t> depth{1};
    bool found = false;
    for (std::size_t k = 0; k < open.size() && !found; ++k) {
      if (!best.empty() && depth[k] >= best.size()) break;
      const auto n = static_cast<std::size_t>(open[k]);
      for (int e = begin_[n]; e < begin_[n + 1] && !found; ++e) {
        const auto o = static_cast<std::size_t>(before_[static_cast<std::size_t>(e)]);
        if (o == n || place_[o] >= 0) continue;
        if (o == start) {
          found = true;
          best.clear();
          for (int at = open[k]; at != static_cast<int>(start);
               at = from[static_cast<std::size_t>(at)])
            best.push_back(at);
          best.push_back(static_cast<int>(start));
          ranges::reverse(best);
        } else if (seen_[o] != searches_) {
          seen_[o] = searches_;
          from[o] = open[k];
          open.push_back(static_cast<int>(o));
          depth.push_back(depth[k] + 1);
        }
      }
    }
  }
  std::vector<int> out;
  for (const int node : best)
    if (out.empty() || out.back() != node / 2) out.push_back(node / 2);
  if (out.size() > 1 && out.front() == out.back()) out.pop_back();
  return out;
}

}  // namespace rankscope
