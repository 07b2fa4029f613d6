// Plans test cases that cover all pairs of parameter values.
#include "tests/support/pairwise.h"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

namespace rankscope::test {
namespace {

using Pair = std::tuple<int, int, int, int>;  // parameter, value, later parameter, value

constexpr int kCandidates =
    12;  // random orders tried for each case; the one with most new pairs wins

class Planner {
 public:
  Planner(const std::vector<int>& levels, std::uint64_t seed, const Allowed& allowed)
      : levels_(levels), allowed_(allowed), random_(seed) {
    for (int p = 0; p < parameters(); ++p)
      for (int q = p + 1; q < parameters(); ++q)
        for (int v = 0; v < levels_[index(p)]; ++v)
          for (int w = 0; w < levels_[index(q)]; ++w)
            if (allowed_(with_pair({p, v, q, w}))) open_.insert({p, v, q, w});
  }

  std::vector<Case> plan() {
    std::vector<Case> cases;
    while (!open_.empty()) {
      Case best;
      std::size_t most = 0;
      for (int i = 0; i < kCandidates; ++i) {
        Case candidate = complete(with_pair(*open_.begin()));
        const std::size_t covered = new_pairs(candidate);
        if (covered > most) std::tie(best, most) = std::tuple(candidate, covered);
      }
      if (most == 0) {  // no allowed case contains this pair
        open_.erase(open_.begin());
        continue;
      }
      cover(best);
      cases.push_back(std::move(best));
    }
    return cases;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int parameters() const { return static_cast<int>(levels_.size()); }

  Case with_pair(const Pair& pair) const {
    const auto& [p, v, q, w] = pair;
    Case open(levels_.size(), -1);
    open[index(p)] = v;
    open[index(q)] = w;
    return open;
  }

  Case complete(Case partial) {
    std::vector<int> order;
    for (int p = 0; p < parameters(); ++p)
      if (partial[index(p)] < 0) order.push_back(p);
    std::ranges::shuffle(order, random_);
    for (const int p : order) {
      int best = -1, most = -1;
      const int start = std::uniform_int_distribution(0, levels_[index(p)] - 1)(random_);
      for (int i = 0; i < levels_[index(p)]; ++i) {
        const int value = (start + i) % levels_[index(p)];
        partial[index(p)] = value;
        const int gain = allowed_(partial) ? static_cast<int>(new_pairs(partial)) : -1;
        if (gain > most) std::tie(best, most) = std::tuple(value, gain);
      }
      if (best < 0) return {};
      partial[index(p)] = best;
    }
    return partial;
  }

  template <class Visit>
  void each_pair(const Case& c, Visit visit) const {
    for (int p = 0; p < static_cast<int>(c.size()); ++p)
      for (int q = p + 1; q < static_cast<int>(c.size()); ++q)
        if (c[index(p)] >= 0 && c[index(q)] >= 0) visit(Pair{p, c[index(p)], q, c[index(q)]});
  }
  std::size_t new_pairs(const Case& c) const {
    std::size_t count = 0;
    each_pair(c, [&](const Pair& pair) { count += open_.count(pair); });
    return count;
  }
  void cover(const Case& c) {
    each_pair(c, [&](const Pair& pair) { open_.erase(pair); });
  }

  const std::vector<int>& levels_;
  const Allowed& allowed_;
  std::mt19937_64 random_;
  std::set<Pair> open_;
};

}  // namespace

std::vector<Case> pairwise_cases(const std::vector<int>& levels, std::uint64_t seed,
                                 const Allowed& allowed) {
  return Planner(levels, seed, allowed).plan();
}

}  // namespace rankscope::test
