// Runs tasks on sets of contributions instead of data.
#include "engine/studio/proof/contribution_run.h"

#include <unordered_map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/studio/proof/proof.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostReported = 1000;
constexpr std::int64_t kMostCells = 4'000'000;

[[noreturn]] void refuse_size(std::string_view why) {
  throw UserError(
      fmt::format("the schedule is too large to be proved: take fewer ranks or chunks ({})", why));
}

}  // namespace

ContributionRun::ContributionRun(const TaskGraph& graph, const ChunkLayout& layout,
                                 const TaskMatches& matches, const TaskOrder& order)
    : sent_(graph.size()) {
  std::int64_t cells = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) cells += layout.cells(rank);
  if (cells > kMostCells) refuse_size("its ranks have more than 4 million chunks together");
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    memory_.emplace_back(static_cast<std::size_t>(layout.cells(rank)));
    for (auto& [number, shares] : layout.inputs(rank)) {
      cell(rank, number).value = static_cast<int>(values_.size());
      values_.push_back({std::move(shares)});
    }
  }
  for (const int task : order.ends()) end(graph, layout, matches, order, task);
}

void ContributionRun::use(const TaskOrder& order, int other, int task, int cell) {
  if (other == kNone || other == task || races_.size() >= kMostReported) return;
  if (!order.is_before(other, task)) races_.push_back({other, task, cell});
}

int ContributionRun::read(const TaskOrder& order, Rank rank, int number, int task) {
  Cell& at = cell(rank, number);
  use(order, at.writer, task, number);
  at.readers.push_back(task);
  if (at.value == kNone && unwritten_.size() < kMostReported) unwritten_.push_back({task, number});
  return at.value;
}

void ContributionRun::write(const TaskOrder& order, Rank rank, int number, int task, int value) {
  Cell& at = cell(rank, number);
  use(order, at.writer, task, number);
  for (const int reader : at.readers) use(order, reader, task, number);
  at.readers.clear();
  if (at.value != kNone && value != kNone && this->value(value).kept != at.value)
    at.replaced.push_back({at.value, value});
  at.value = value;
  at.writer = task;
}

int ContributionRun::sum(int kept, int brought, int task) {
  if (kept == kNone || brought == kNone) return kept == kNone ? brought : kept;
  const account::Shares &there = value(kept).shares, &came = value(brought).shares;
  account::Shares both = account::sum(there, came);
  const bool doubles = both.count() < there.count() + came.count();
  size_ += both.count();
  if (size_ > kMostContributions) refuse_size("its sums have more than 50 million contributions");
  values_.push_back({std::move(both), kept, brought, task});
  if (doubles && doubled_.size() < kMostReported)
    doubled_.push_back(static_cast<int>(values_.size()) - 1);
  return static_cast<int>(values_.size()) - 1;
}

void ContributionRun::end(const TaskGraph& graph, const ChunkLayout& layout,
                          const TaskMatches& matches, const TaskOrder& order, int number) {
  const TaskId id = matches.id(number);
  const ScheduleTask& task = graph[id];
  const int sender = matches.sender_of[static_cast<std::size_t>(number)];
  const auto cell_of = [&](ChunkPlace at, int k) {
    at.chunk += k;
    const int out = layout.cell(id.rank, at);
    if (out < 0)
      throw UserError(fmt::format("{}: rank {} {}, which its collective does not have there",
                                  graph.name, id.rank, words_of(task)));
    return out;
  };
  for (int k = 0; k < task.chunks; ++k) {
    int value = kNone;
    if (task.does(ScheduleTask::receives)) {
      const auto& came = sent_[static_cast<std::size_t>(sender)];
      const int brought =
          k < static_cast<int>(came.size()) ? came[static_cast<std::size_t>(k)] : kNone;
      if (brought != kNone) {
        values_.push_back({this->value(brought).shares, kNone, brought, number});
        value = static_cast<int>(values_.size()) - 1;
      }
      if (task.does(ScheduleTask::reduces))
        value = sum(read(order, id.rank, cell_of(task.source, k), number), value, number);
    } else if (task.does(ScheduleTask::sends) || task.does(ScheduleTask::stores)) {
      value = read(order, id.rank, cell_of(task.source, k), number);
      if (task.does(ScheduleTask::reduces))
        value = sum(read(order, id.rank, cell_of(task.target, k), number), value, number);
    }
    if (task.does(ScheduleTask::stores))
      write(order, id.rank, cell_of(task.target, k), number, value);
    if (task.does(ScheduleTask::sends)) sent_[static_cast<std::size_t>(number)].push_back(value);
  }
  if (sender >= 0) std::vector<int>().swap(sent_[static_cast<std::size_t>(sender)]);
}

std::vector<int> ContributionRun::way(int value, const account::Share& share) const {
  std::unordered_map<int, int> from;
  std::vector<int> open{value};
  from.emplace(value, kNone);
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Value& at = values_[static_cast<std::size_t>(open[k])];
    if (at.kept == kNone && at.brought == kNone) {
      std::vector<int> out;
      for (int v = open[k]; v != kNone; v = from[v]) {
        const Value& one = values_[static_cast<std::size_t>(v)];
        if (one.task != kNone && one.kept == kNone) out.push_back(one.task);
      }
      return out;
    }
    for (const int other : {at.kept, at.brought})
      if (other != kNone && holds(other, share) && from.emplace(other, open[k]).second)
        open.push_back(other);
  }
  return {};
}

}  // namespace rankscope
