// Words for contributions that are lost, doubled or misplaced, with the way that they took.
#include "engine/studio/proof/contribution_faults.h"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/studio/proof/contribution_run.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostTried = 500;
constexpr int kNone = ContributionRun::kNone;

class FaultSearch {
 public:
  FaultSearch(const TaskGraph& graph, const TaskMatches& matches, const TaskOrder& order)
      : graph_(graph), matches_(matches), layout_(graph), run_(graph, layout_, matches, order) {}

  void report(ScheduleProof& out) {
    find_wrong();
    out.wrong_places = wrong_places_;
    const auto take = [&](std::optional<ScheduleFault> fault) {
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
    account::Share share;  ///< As often as it is there; 0 times where it is missing.
  };

  void compare(Rank rank, int cell, const account::Shares& wanted) {
    const int value = run_.value_in(rank, cell);
    const account::Shares held = value == kNone ? account::Shares() : run_.value(value).shares;
    if (held == wanted) return;
    ++wrong_places_;
    for (const account::Share& share : wanted)
      if (const int times = held.times(share.rank, share.element); times != 1)
        add({rank, cell, value, {share.rank, share.element, times}});
    for (const account::Share& share : held)
      if (wanted.times(share.rank, share.element) == 0) add({rank, cell, value, share}, true);
  }
  void add(const Wrong& wrong, bool is_foreign = false) {
    auto& list = is_foreign ? foreign_ : wrong.share.times == 0 ? missing_ : doubled_;
    if (list.size() < kMostTried) list.push_back(wrong);
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
  ScheduleFault fault(ScheduleFault::Kind kind, Rank rank, int cell,
                      const account::Share& share) const {
    ScheduleFault out;
    out.kind = kind;
    out.rank = rank;
    out.chunk = layout_.place(rank, cell).chunk;
    out.source = share.rank;
    return out;
  }
  static void keep_shorter(std::optional<ScheduleFault>& best, ScheduleFault fault) {
    const bool better = !best || fault.path.size() < best->path.size() ||
                        (fault.path.size() == best->path.size() && fault.step < best->step);
    if (better) best = std::move(fault);
  }

  // The sum in which it became two: in the end all have copies of that.
  std::optional<ScheduleFault> doubled() const {
    std::optional<ScheduleFault> best;
    std::set<std::pair<Rank, Count>> wanted;
    for (const Wrong& wrong : doubled_) wanted.emplace(wrong.share.rank, wrong.share.element);
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
        ScheduleFault one =
            fault(ScheduleFault::doubled, id.rank, layout_.cell(id.rank, at), share);
        one.chunk = static_cast<int>(share.element);
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

  // Either it was there and another value took its place, or it never came.
  std::optional<ScheduleFault> missing() const {
    std::optional<ScheduleFault> best;
    for (const Wrong& wrong : missing_) {
      ScheduleFault one = fault(ScheduleFault::missing, wrong.rank, wrong.cell, wrong.share);
      const auto [lost, by] = lost_at(wrong);
      if (lost != kNone) {
        const TaskId id = matches_.id(run_.value(by).task);
        const auto way = run_.way(lost, wrong.share);
        one.step = graph_[id].step;
        one.path = ids(way);
        one.path.push_back(id);
        one.words = fmt::format(
            "rank {} {}, which takes the place of a value with rank {}'s chunk {} (it came by {}); "
            "in the end that is missing there",
            id.rank, words_of(graph_[id]), wrong.share.rank, wrong.share.element, way_text(way));
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
  std::string never_came(const Wrong& wrong, ScheduleFault& one) const {
    const account::Share& share = wrong.share;
    std::set<Rank> holders;
    for (const auto& value : run_.values())
      if (value.task != kNone && run_.holds(static_cast<int>(&value - run_.values().data()), share))
        holders.insert(matches_.id(value.task).rank);
    holders.erase(share.rank);
    // The last message into the place is where it should have been.
    if (wrong.value != kNone && run_.value(wrong.value).task != kNone) {
      const TaskId last = matches_.id(run_.value(wrong.value).task);
      one.step = graph_[last].step;
      one.path = {last};
    }
    const std::string end =
        fmt::format("{} ends without rank {}'s chunk {}", place_text(wrong.rank, wrong.cell),
                    share.rank, share.element);
    const std::string last =
        one.path.empty() ? std::string("nothing is sent there")
                         : fmt::format("the last message into it: rank {} {}",
                                       one.path.front().rank, words_of(graph_[one.path.front()]));
    if (holders.empty())
      return fmt::format("{}, which never leaves rank {}; {}", end, share.rank, last);
    std::string ranks;
    for (const Rank rank : holders) ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", rank);
    return fmt::format("{}, which reaches {} {} only; {}", end,
                       holders.size() == 1 ? "rank" : "ranks", ranks, last);
  }

  std::optional<ScheduleFault> foreign() const {
    std::optional<ScheduleFault> best;
    for (const Wrong& wrong : foreign_) {
      ScheduleFault one = fault(ScheduleFault::foreign, wrong.rank, wrong.cell, wrong.share);
      const auto way = run_.way(wrong.value, wrong.share);
      one.path = ids(way);
      if (!way.empty()) one.step = graph_[matches_.id(way.back())].step;
      one.words = fmt::format(
          "{} ends with rank {}'s chunk {} in it, which does not belong there: it came by {}",
          place_text(wrong.rank, wrong.cell), wrong.share.rank, wrong.share.element, way_text(way));
      keep_shorter(best, std::move(one));
    }
    return best;
  }

  std::optional<ScheduleFault> race() const {
    if (run_.races().empty()) return std::nullopt;
    const auto& race = run_.races().front();
    const TaskId first = matches_.id(race.first), second = matches_.id(race.second);
    ScheduleFault one = fault(ScheduleFault::race, second.rank, race.cell, {});
    one.step = graph_[second].step;
    one.path = {first, second};
    one.words = fmt::format(
        "{} is used in no certain order: task {} ({}) and task {} ({}), of which none waits for "
        "the other",
        place_text(second.rank, race.cell), first.task, words_of(graph_[first]), second.task,
        words_of(graph_[second]));
    return one;
  }

  std::optional<ScheduleFault> unwritten() const {
    if (run_.unwritten().empty()) return std::nullopt;
    const auto& bad = run_.unwritten().front();
    const TaskId id = matches_.id(bad.task);
    ScheduleFault one = fault(ScheduleFault::unwritten, id.rank, bad.cell, {});
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
  std::vector<Wrong> missing_, doubled_, foreign_;
};

}  // namespace

void find_contribution_faults(const TaskGraph& graph, const TaskMatches& matches,
                              const TaskOrder& order, ScheduleProof& out) {
  FaultSearch(graph, matches, order).report(out);
}

}  // namespace rankscope
