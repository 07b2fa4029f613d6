// The rule of trees: a sum goes up one and down one.

#include <fmt/format.h>

#include "engine/analysis/rules/program_messages.h"

namespace rankscope::rules {
namespace {

/// A rank's first message is the one that it sends up; only the root sends none up.
class TreeCheck {
 public:
  TreeCheck(const ProgramMessages& facts, bool homework, Rank root)
      : facts_(facts), homework_(homework), root_(root), first_(facts) {}

  RuleResult check() {
    for (Rank rank = 0; rank < facts_.asked.ranks; ++rank) {
      sends_up(rank);
      receives_before_sending(rank);
      result_comes(rank);
    }
    RuleResult result = first_.result();
    result.begins_right = !result.kept && up_is_right_;
    return result;
  }

 private:
  const std::vector<std::size_t>& sent(Rank rank) const {
    return facts_.sent[static_cast<std::size_t>(rank)];
  }
  bool up(const Message& m) const { return m.from != root_ && m.nth == 1; }
  template <class... Values>
  void fault(const Message& at, fmt::format_string<Values...> text, Values&&... values) {
    first_.add(
        at.round, at,
        fmt::format("step {}: ", at.round) + fmt::format(text, std::forward<Values>(values)...));
  }
  static Rank parent(Rank rank) {  // without its lowest one
    return static_cast<Rank>(static_cast<unsigned>(rank) & (static_cast<unsigned>(rank) - 1));
  }

  void sends_up(Rank rank) {
    if (rank == root_) return;
    if (sent(rank).empty()) {
      up_is_right_ = false;
      return first_.missing(fmt::format("rank {} sent nothing up the tree", rank));
    }
    if (!homework_) return;
    const Message& m = facts_.messages[sent(rank).front()];
    if (m.to == parent(rank)) return;
    up_is_right_ = false;
    fault(m, "rank {} sent to rank {}, where rank {} was expected", rank, m.to, parent(rank));
  }

  // From all its children: ranks that send to it before they have the result.
  void receives_before_sending(Rank rank) {
    if (sent(rank).empty()) return;
    const Message& own = facts_.messages[sent(rank).front()];
    for (const std::size_t index : facts_.taken[static_cast<std::size_t>(rank)]) {
      const Message& m = facts_.messages[index];
      if (!up(m) || facts_.before(m, own)) continue;
      up_is_right_ = false;
      fault(own, "rank {} sent to rank {} before it had heard from rank {}", rank, own.to, m.from);
    }
  }

  void result_comes(Rank rank) {
    const Message* down = nullptr;
    for (const std::size_t index : facts_.taken[static_cast<std::size_t>(rank)]) {
      const Message& m = facts_.messages[index];
      if (up(m)) continue;
      if (rank == root_)
        fault(m, "rank {} sent to rank {}, which has the sum already", m.from, rank);
      else if (down != nullptr)
        fault(m, "rank {} sent to rank {}, which already got the result from rank {}", m.from, rank,
              down->from);
      else if (homework_ && m.from != parent(rank))
        fault(m, "rank {} sent the result to rank {}, whose parent is rank {}", m.from, rank,
              parent(rank));
      if (down == nullptr) down = &m;
    }
    if (rank == root_) return;
    if (down == nullptr) first_.missing(fmt::format("no result went down to rank {}", rank));
    for (const std::size_t index : sent(rank)) {
      const Message& m = facts_.messages[index];
      if (up(m) || (down != nullptr && facts_.before(*down, m))) continue;
      fault(m,
            "rank {} sent a second message, to rank {}, before it had the sum, which rank {} holds",
            rank, m.to, root_);
    }
  }

  const ProgramMessages& facts_;
  const bool homework_;
  const Rank root_;
  FirstFault first_;
  bool up_is_right_ = true;
};

}  // namespace

RuleResult check_tree(const ProgramMessages& facts, const Rule& rule) {
  if (rule.tree == Rule::Tree::free)
    for (Rank root = 0; root < facts.asked.ranks; ++root)
      if (RuleResult result = TreeCheck(facts, false, root).check(); result.kept) return result;
  return TreeCheck(facts, rule.tree == Rule::Tree::homework, facts.asked.root).check();
}

}  // namespace rankscope::rules
