// Builds binomial, halving and k-nomial trees over ranges of ranks.
#include "engine/collectives/range_tree.h"

#include <algorithm>
#include <functional>

#include "engine/collectives/radix.h"

namespace rankscope {
namespace {

// `cut` gives the first rank of the upper part of [first, last), `head` the root of the part
// [first, last) that the data enters from below or from above.
RangeTree build(const Communicator& comm, Rank root, const std::function<int(int, int)>& cut,
                const std::function<Rank(int, int, bool from_below)>& head) {
  RangeTree tree{.parent = -1, .first = 0, .last = comm.size(), .children = {}};
  Rank top = root;  // of the range that this rank is in
  int first = 0, last = comm.size();
  while (last - first > 1) {
    const int middle = cut(first, last);
    const bool top_is_below = top < middle;
    const RangeTree::Child child =
        top_is_below ? RangeTree::Child{head(middle, last, true), middle, last}
                     : RangeTree::Child{head(first, middle, false), first, middle};
    if (comm.rank() >= child.first && comm.rank() < child.last) {
      if (comm.rank() == child.rank) tree = {top, child.first, child.last, {}};
      top = child.rank;
      first = child.first;
      last = child.last;
    } else {
      if (comm.rank() == top) tree.children.push_back(child);
      (top_is_below ? last : first) = middle;
    }
  }
  return tree;
}

int largest_power(int first, int last) { return first + (1 << (ceil_log2(last - first) - 1)); }
Rank first_rank(int first, int, bool) { return first; }
int middle_of(int first, int last) { return first + (last - first + 1) / 2; }
Rank far_end(int first, int last, bool from_below) { return from_below ? last - 1 : first; }

}  // namespace

RangeTree binomial_tree(const Communicator& comm, Rank root) {
  return build(comm, root, largest_power, first_rank);
}

RangeTree halving_tree(const Communicator& comm, Rank root) {
  return build(comm, root, middle_of, far_end);
}

std::vector<std::pair<Rank, RangeTree::Child>> knomial_edges(int n, Rank root, int radix) {
  radix = radix_or_default(radix);
  std::vector<std::pair<Rank, RangeTree::Child>> found;
  std::vector<RangeTree::Child> open{{root, 0, n}};
  while (!open.empty()) {
    auto [top, first, last] = open.back();
    open.pop_back();
    while (last - first > 1) {
      const int part = power_below(last - first, radix), own = (top - first) / part;
      for (int i = (last - first - 1) / part; i >= 0; --i) {
        if (i == own) continue;
        const int begin = first + i * part;
        open.push_back({begin, begin, std::min(begin + part, last)});
        found.emplace_back(top, open.back());
      }
      first += own * part;
      last = std::min(first + part, last);
    }
  }
  return found;
}

RangeTree knomial_tree(const Communicator& comm, Rank root, int radix) {
  RangeTree tree{.parent = -1, .first = 0, .last = comm.size(), .children = {}};
  for (const auto& [top, child] : knomial_edges(comm.size(), root, radix)) {
    if (top == comm.rank()) tree.children.push_back(child);
    if (child.rank == comm.rank()) {
      tree.parent = top;
      tree.first = child.first;
      tree.last = child.last;
    }
  }
  return tree;
}

}  // namespace rankscope
