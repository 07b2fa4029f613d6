// Turns tasks into a plan of messages, times it by the recurrence of engine/model/costs, and asks the closed forms of
// all algorithms of the collective.
#include "engine/studio/costs/schedule_comparison.h"

#include <array>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_table.h"
#include "engine/model/costs/message_times.h"
#include "engine/studio/formats/operations.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {
namespace {

// Counts rounds as engine/analysis/events/rounds.h does: a message is one round after its sender's last one, after those
// that its sender had received, and after its receiver's last one.
class RoundCount {
 public:
  explicit RoundCount(const TaskGraph& graph)
      : sent_(static_cast<std::size_t>(graph.ranks()), kNone),
        received_(sent_),
        message_(graph.size(), kNone) {}

  void send(Rank rank, int task) {
    const int before =
        std::exchange(sent_[static_cast<std::size_t>(rank)], static_cast<int>(before_.size()));
    message_[static_cast<std::size_t>(task)] = static_cast<int>(before_.size());
    before_.push_back({before, received_[static_cast<std::size_t>(rank)], kNone});
  }
  void receive(Rank rank, int sender) {
    const int message = message_[static_cast<std::size_t>(sender)];
    before_[static_cast<std::size_t>(message)][2] =
        std::exchange(received_[static_cast<std::size_t>(rank)], message);
  }
  int count() const {
    std::vector<int> round(before_.size(), 1);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t m = 0; m < round.size(); ++m)
        for (const int other : before_[m])
          if (other != kNone && round[m] <= round[static_cast<std::size_t>(other)]) {
            round[m] = round[static_cast<std::size_t>(other)] + 1;
            changed = true;
          }
    }
    return round.empty() ? 0 : *ranges::max_element(round);
  }

 private:
  static constexpr int kNone = -1;
  std::vector<int> sent_, received_, message_;  // by rank; by sending task
  std::vector<std::array<int, 3>> before_;      // by message
};

/// Returns the figures of a graph whose ranks do their tasks one after the other, in the order of TaskOrder::ends().
ComparedSchedule costs_of(const TaskGraph& graph, const ClosedFormInput& in,
                          const LinkCosts& link) {
  check_tasks(graph);
  const TaskMatches matches(graph);
  const TaskOrder order(graph, matches, false);
  if (!order.all_end() || !matches.unmatched.empty())
    throw UserError(graph.name + ": its ranks cannot end: `rankscope schedule prove` says why");
  const std::uint64_t element = dtype_size(in.dtype);
  const MessageSizes sizes{static_cast<std::uint64_t>(in.shape.count()) * element, element};
  VerbSchedule plan(graph.ranks());
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(graph.ranks()));
  RoundCount round_count(graph);
  for (const int number : order.ends()) {
    const TaskId id = matches.id(number);
    const ScheduleTask& task = graph[id];
    const auto rank = static_cast<std::size_t>(id.rank);
    const std::uint64_t bytes = bytes_of(graph, task, sizes);
    if (task.does(ScheduleTask::receives)) {
      const int sender = matches.sender_of[static_cast<std::size_t>(number)];
      round_count.receive(id.rank, sender);
      plan.receive(id.rank, task.from);
    }
    if (task.does(ScheduleTask::reduces)) plan.reduce(id.rank, static_cast<std::int64_t>(bytes));
    if (!task.does(ScheduleTask::sends)) continue;
    plan.send(id.rank, task.to, static_cast<std::int64_t>(bytes));
    sent[rank] += bytes;
    round_count.send(id.rank, number);
  }
  return {graph.name, true, round_count.count(), sent.empty() ? 0 : *ranges::max_element(sent),
          time(critical_path(plan, link), link)};
}

}  // namespace

std::vector<ComparedSchedule> compare_with_algorithms(const TaskGraph& tasks,
                                                      const ClosedFormInput& in,
                                                      const LinkCosts& link) {
  std::vector<ComparedSchedule> out{costs_of(tasks, in, link)};
  for (const Algorithm& one : algorithms()) {
    if (one.collective != *tasks.collective || find_cost_row(one) == nullptr ||
        one.rounds == nullptr)
      continue;
    out.push_back({std::string(one.name), false, one.rounds(in), one.busiest_bytes(in),
                   time(cost_of(one, in, link), link)});
  }
  ranges::stable_sort(out, {}, &ComparedSchedule::seconds);
  return out;
}

}  // namespace rankscope
