// Finds faults: messages without the other side, wrong lengths, cycles, races, and contributions in the wrong place.
#include "engine/studio/proof/proof.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/studio/tasks/chunk_layout.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {
namespace {

using account::Fault;

/// Follows contributions: the values that tasks made, each with those of which it was made.
class ContributionRun {
 public:
  static constexpr int kNone = -1;
  struct Value {
    account::Shares shares;
    int kept = kNone;     ///< The value that was there.
    int brought = kNone;  ///< The value that came in or was read.
    int task = kNone;     ///< Number of the task that made it; kNone for an input.
  };
  /// A task that read memory before it was written.
  struct Unwritten {
    int task, cell;
  };
  /// Two tasks of a rank that use a cell in no fixed order.
  struct Race {
    int first, second, cell;
  };

  /// Throws UserError for more than kMostContributions.
  ContributionRun(const TaskGraph& graph, const ChunkLayout& layout, const TaskMatches& matches,
                  const TaskOrder& order);

  /// The value in a cell; kNone before it is written.
  int value_in(Rank rank, int cell) const noexcept {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(cell)].value;
  }
  const Value& value(int number) const noexcept {
    return values_[static_cast<std::size_t>(number)];
  }
  /// Sums in which a contribution is more than once, though it was once in each part.
  const std::vector<int>& doubled() const noexcept { return doubled_; }
  /// Values that were replaced, each with the one that replaced it.
  const std::vector<std::pair<int, int>>& replaced(Rank rank, int cell) const noexcept {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(cell)].replaced;
  }
  const std::vector<Unwritten>& unwritten() const noexcept { return unwritten_; }
  const std::vector<Race>& races() const noexcept { return races_; }
  const std::vector<Value>& values() const noexcept { return values_; }

  /// The tasks that received the share on its shortest way into a value.
  std::vector<int> way(int value, const account::Share& share) const;
  bool holds(int value, const account::Share& share) const noexcept {
    return value != kNone && this->value(value).shares.times(share.rank, share.element) > 0;
  }

 private:
  struct Cell {
    int value = kNone, writer = kNone;
    std::vector<int> readers;                   // since it was written
    std::vector<std::pair<int, int>> replaced;  // the value, and the one that came instead
  };

  void end(const TaskGraph& graph, const ChunkLayout& layout, const TaskMatches& matches,
           const TaskOrder& order, int task);
  Cell& cell(Rank rank, int number) {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(number)];
  }
  int read(const TaskOrder& order, Rank rank, int cell, int task);
  void write(const TaskOrder& order, Rank rank, int cell, int task, int value);
  int sum(int kept, int brought, int task);
  void use(const TaskOrder& order, int other, int task, int cell);

  std::vector<Value> values_;
  std::int64_t size_ = 0;
  std::vector<std::vector<Cell>> memory_;
  std::vector<std::vector<int>> sent_;  // by task: values of its message
  std::vector<int> doubled_;
  std::vector<Unwritten> unwritten_;
  std::vector<Race> races_;
};

constexpr std::size_t kMostReported = 1000;
constexpr std::int64_t kMostCells = 4'000'000;

[[noreturn]] void refuse_size(std::string_view why) {
  throw UserError(
      fmt::format("the schedule is too large to be proved: take fewer ranks or chunks ({})", why));
}

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

constexpr std::size_t kMostTried = 500;
constexpr int kNone = ContributionRun::kNone;

class FaultSearch {
 public:
  FaultSearch(const TaskGraph& graph, const TaskMatches& matches, const TaskOrder& order)
      : graph_(graph), matches_(matches), layout_(graph), run_(graph, layout_, matches, order) {}

  void report(ScheduleProof& out) {
    find_wrong();
    out.wrong_places = wrong_places_;
    const auto take = [&](std::optional<Fault> fault) {
      if (fault && out.faults.empty()) out.faults.push_back(std::move(*fault));
    };
    take(race());
    take(unwritten());
    if (wrong_places_ == 0) return;
    take(doubled());
    take(missing());
    take(foreign());
  }

 private:
  /// A share that is not as often in a cell as promised.
  struct Wrong {
    Rank rank;
    int cell, value;
    account::Share share;  ///< With its number of times there; 0 if it is missing.
  };

  void compare(Rank rank, int cell, const account::Shares& wanted) {
    const int value = run_.value_in(rank, cell);
    const account::Shares held = value == kNone ? account::Shares() : run_.value(value).shares;
    if (held == wanted) return;
    ++wrong_places_;
    for (const Fault& fault : account::faults_in(held, wanted))
      for (const account::Share& share : fault.shares)
        if (auto& list = wrong_[static_cast<std::size_t>(fault.kind)]; list.size() < kMostTried)
          list.push_back({rank, cell, value, share});
  }
  const std::vector<Wrong>& wrong(account::Fault::Kind kind) const {
    return wrong_[static_cast<std::size_t>(kind)];
  }
  void find_wrong() {
    for (Rank rank = 0; rank < graph_.ranks(); ++rank)
      for (const auto& [cell, wanted] : layout_.outputs(rank)) compare(rank, cell, wanted);
  }

  std::string way_text(const std::vector<int>& tasks) const {
    std::string text;
    for (const int number : tasks) {
      const TaskId id = matches_.id(number);
      const ScheduleTask& task = graph_[id];
      if (!task.does(ScheduleTask::receives)) continue;
      text += fmt::format("{}{} -> {}", text.empty() ? "" : ", ", task.from, id.rank);
      if (task.step > 0) text += fmt::format(" (step {})", task.step);
    }
    return text.empty() ? "its own" : text;
  }
  std::vector<TaskId> ids(const std::vector<int>& tasks) const {
    std::vector<TaskId> out;
    for (const int number : tasks)
      if (graph_[matches_.id(number)].does(ScheduleTask::receives))
        out.push_back(matches_.id(number));
    return out;
  }
  std::string place_text(Rank rank, int cell) const {
    const ChunkPlace at = layout_.place(rank, cell);
    return fmt::format("{}chunk {} of rank {}", at.memory == ChunkMemory::scratch ? "scratch " : "",
                       at.chunk, rank);
  }
  Fault fault(Fault::Kind kind, Rank rank, int cell, const account::Share& share) const {
    Fault out{.kind = kind, .rank = rank, .place = layout_.place(rank, cell).chunk};
    if (share.rank >= 0) out.shares.push_back(share);
    return out;
  }
  /// "chunk 0 of rank 2 lacks rank 0's chunk 0": the place with what is wrong there of this share.
  std::string place_and_fault(const Wrong& wrong) const {
    const account::Share& is = wrong.share;
    const account::Share promised(is.rank, is.element);
    const bool missing = is.times == 0;
    return fmt::format("{} {}", place_text(wrong.rank, wrong.cell),
                       account::fault_words(missing ? account::Shares() : account::Shares(is),
                                            missing ? promised : account::Shares(), "chunk"));
  }
  static void keep_shorter(std::optional<Fault>& best, Fault fault) {
    const bool better = !best || fault.path.size() < best->path.size() ||
                        (fault.path.size() == best->path.size() && fault.step < best->step);
    if (better) best = std::move(fault);
  }

  // Finds the sum that first doubles a contribution; later values are copies of it.
  std::optional<Fault> doubled() const {
    std::optional<Fault> best;
    std::set<std::pair<Rank, Count>> wanted;
    for (const Wrong& wrong : wrong(Fault::Kind::doubled))
      wanted.emplace(wrong.share.rank, wrong.share.element);
    for (const int sum : run_.doubled()) {
      const auto& value = run_.value(sum);
      const TaskId id = matches_.id(value.task);
      for (const account::Share& share : value.shares) {
        if (share.times < 2 || !wanted.contains({share.rank, share.element})) continue;
        if (!run_.holds(value.kept, share) || !run_.holds(value.brought, share)) continue;
        const auto kept = run_.way(value.kept, share);
        const auto brought = run_.way(value.brought, share);
        const ScheduleTask& task = graph_[id];
        const ChunkPlace& at = task.does(ScheduleTask::stores) ? task.target : task.source;
        Fault one = fault(Fault::Kind::doubled, id.rank, layout_.cell(id.rank, at), share);
        one.place = share.element;
        one.step = task.step;
        one.path = ids(kept);
        for (const TaskId more : ids(brought)) one.path.push_back(more);
        one.words = fmt::format(
            "rank {} {}, and then has rank {}'s chunk {} twice: it came by {}, and by {}", id.rank,
            words_of(task), share.rank, share.element, way_text(kept), way_text(brought));
        keep_shorter(best, std::move(one));
      }
    }
    return best;
  }

  // Finds what is missing: either it was there and was replaced, or it never came.
  std::optional<Fault> missing() const {
    std::optional<Fault> best;
    for (const Wrong& wrong : wrong(Fault::Kind::missing)) {
      Fault one = fault(Fault::Kind::missing, wrong.rank, wrong.cell, wrong.share);
      const auto [lost, by] = lost_at(wrong);
      if (lost != kNone) {
        const TaskId id = matches_.id(run_.value(by).task);
        const auto way = run_.way(lost, wrong.share);
        one.step = graph_[id].step;
        one.path = ids(way);
        one.path.push_back(id);
        one.words = fmt::format(
            "{}: it came by {}, until rank {} {}, which takes the place of a value with it",
            place_and_fault(wrong), way_text(way), id.rank, words_of(graph_[id]));
      } else {
        one.words = never_came(wrong, one);
      }
      keep_shorter(best, std::move(one));
    }
    return best;
  }
  std::pair<int, int> lost_at(const Wrong& wrong) const {
    for (const auto& [value, by] : run_.replaced(wrong.rank, wrong.cell))
      if (run_.holds(value, wrong.share) && !run_.holds(by, wrong.share) &&
          run_.value(by).task != kNone)
        return {value, by};
    return {kNone, kNone};
  }
  std::string never_came(const Wrong& wrong, Fault& one) const {
    const account::Share& share = wrong.share;
    std::set<Rank> holders;
    for (const auto& value : run_.values())
      if (value.task != kNone && run_.holds(static_cast<int>(&value - run_.values().data()), share))
        holders.insert(matches_.id(value.task).rank);
    holders.erase(share.rank);
    // The last message into the place should have brought it.
    if (wrong.value != kNone && run_.value(wrong.value).task != kNone) {
      const TaskId last = matches_.id(run_.value(wrong.value).task);
      one.step = graph_[last].step;
      one.path = {last};
    }
    const std::string end = place_and_fault(wrong);
    const std::string last =
        one.path.empty() ? std::string("nothing is sent there")
                         : fmt::format("the last message into it: rank {} {}",
                                       one.path.front().rank, words_of(graph_[one.path.front()]));
    if (holders.empty())
      return fmt::format("{}: it never leaves rank {}; {}", end, share.rank, last);
    return fmt::format("{}: it reaches {} only; {}", end,
                       rank_list(std::vector<Rank>(holders.begin(), holders.end())), last);
  }

  std::optional<Fault> foreign() const {
    std::optional<Fault> best;
    for (const Wrong& wrong : wrong(Fault::Kind::foreign)) {
      Fault one = fault(Fault::Kind::foreign, wrong.rank, wrong.cell, wrong.share);
      const auto way = run_.way(wrong.value, wrong.share);
      one.path = ids(way);
      if (!way.empty()) one.step = graph_[matches_.id(way.back())].step;
      one.words =
          place_and_fault(wrong) + (one.path.empty() ? ": it was there before the first message"
                                                     : ": it came by " + way_text(way));
      keep_shorter(best, std::move(one));
    }
    return best;
  }

  std::optional<Fault> race() const {
    if (run_.races().empty()) return std::nullopt;
    const auto& race = run_.races().front();
    const TaskId first = matches_.id(race.first), second = matches_.id(race.second);
    Fault one = fault(Fault::Kind::race, second.rank, race.cell, {});
    one.step = graph_[second].step;
    one.path = {first, second};
    one.words = fmt::format(
        "{} is used in no certain order: task {} ({}) and task {} ({}), of which none waits for "
        "the other",
        place_text(second.rank, race.cell), first.task, words_of(graph_[first]), second.task,
        words_of(graph_[second]));
    return one;
  }

  std::optional<Fault> unwritten() const {
    if (run_.unwritten().empty()) return std::nullopt;
    const auto& bad = run_.unwritten().front();
    const TaskId id = matches_.id(bad.task);
    Fault one = fault(Fault::Kind::unwritten, id.rank, bad.cell, {});
    one.step = graph_[id].step;
    one.path = {id};
    one.words = fmt::format("rank {} {}, but nothing has been put into {} before", id.rank,
                            words_of(graph_[id]), place_text(id.rank, bad.cell));
    return one;
  }

  const TaskGraph& graph_;
  const TaskMatches& matches_;
  const ChunkLayout layout_;
  const ContributionRun run_;
  int wrong_places_ = 0;
  std::array<std::vector<Wrong>, 3> wrong_;  ///< By kind.
};

void find_contribution_faults(const TaskGraph& graph, const TaskMatches& matches,
                              const TaskOrder& order, ScheduleProof& out) {
  FaultSearch(graph, matches, order).report(out);
}

Fault fault_at(const TaskGraph& graph, TaskId id, Fault::Kind kind) {
  const ScheduleTask& task = graph[id];
  const ChunkPlace& at = task.does(ScheduleTask::receives) && task.does(ScheduleTask::stores)
                             ? task.target
                             : task.source;
  return {.kind = kind,
          .rank = id.rank,
          .place = at.memory == ChunkMemory::none ? -1 : at.chunk,
          .step = task.step,
          .path = {id}};
}

void find_unmatched(const TaskGraph& graph, const TaskMatches& matches, ScheduleProof& out) {
  for (const TaskId id : matches.unmatched) {
    const ScheduleTask& task = graph[id];
    const bool as_receive = task.does(ScheduleTask::receives) &&
                            matches.sender_of[static_cast<std::size_t>(matches.number(id))] < 0;
    Fault fault = fault_at(graph, id, Fault::Kind::unmatched);
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
    Fault fault = fault_at(graph, to, Fault::Kind::length);
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
  // The cycle begins with its smallest rank.
  std::ranges::rotate(tasks, ranges::min_element(tasks));
  Fault fault = fault_at(graph, tasks.front(), Fault::Kind::cycle);
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

ScheduleProof prove(const TaskGraph& graph, bool rendezvous) {
  check_tasks(graph);
  ScheduleProof out;
  out.knows_data = graph.knows_data() || (graph.collective && graph.size() == 0);
  const TaskMatches matches(graph);
  find_unmatched(graph, matches, out);
  if (out.right()) find_lengths(graph, matches, out);
  if (!out.right()) return out;
  // A cycle with eager sends is one with rendezvous, too.
  const TaskOrder eager(graph, matches, false);
  find_cycle(graph, matches, eager, out);
  if (out.right() && rendezvous) find_cycle(graph, matches, TaskOrder(graph, matches, true), out);
  if (!out.knows_data || !eager.all_end()) return out;
  const std::vector<Fault> cycles = std::move(out.faults);
  out.faults.clear();
  find_contribution_faults(graph, matches, eager, out);
  // Ranks that block each other come first.
  out.faults.insert(out.faults.begin(), cycles.begin(), cycles.end());
  return out;
}

}  // namespace rankscope
