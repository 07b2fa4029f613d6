// What is peculiar to algorithms with a radix, two trees, many trees, swinging partners and two levels.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/collectives/double_tree.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/radix.h"
#include "engine/collectives/swing.h"
#include "tests/collectives/counting.h"
#include "tests/collectives/harness.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

Traffic traffic_on(std::string_view name, int n, Case c = {}) {
  c.algorithm = &require_algorithm(name);
  c.job.collective = c.algorithm->collective;
  c.job.shape = Shape::flat(8 * n);
  c.job.n = n;
  const auto batches = record(
      n, [&](Communicator& comm) { run_algorithm(comm, *c.algorithm, make_args(c, comm.rank())); });
  return traffic_of(batches, n);
}

// From, to, bytes; sorted.
std::multiset<std::array<std::uint64_t, 3>> lines_of(const Traffic& traffic) {
  std::multiset<std::array<std::uint64_t, 3>> lines;
  for (const Sent& sent : traffic.messages)
    lines.insert(
        {static_cast<std::uint64_t>(sent.from), static_cast<std::uint64_t>(sent.to), sent.bytes});
  return lines;
}

}  // namespace

TEST_CASE("one-shot: every rank has the bits of a sum in the order of ranks", "[collectives]") {
  constexpr int kRanks = 7;
  const auto value = [](Rank rank) { return std::ldexp(1.0F + 0.1F * float(rank), 5 * rank - 12); };
  float expected = value(0);
  for (Rank rank = 1; rank < kRanks; ++rank) expected += value(rank);
  std::vector<float> got(kRanks);
  InprocWorld(kRanks).run([&](Communicator& comm) {
    Args args;
    args.in = Buffer::of(std::vector<float>{value(comm.rank())});
    args.out = Buffer::of(std::vector<float>{value(comm.rank())});
    run_algorithm(comm, require_algorithm("allreduce.one_shot"), args);
    got[static_cast<std::size_t>(comm.rank())] = args.out.as<float>()[0];
  });
  for (const float one : got) CHECK(one == expected);
}

TEST_CASE(
    "a radix of 2 gives the binomial tree and recursive doubling, a large one flat algorithms",
    "[collectives]") {
  for (const int n : {2, 5, 8, 13}) {
    CAPTURE(n);
    Case two, many;
    two.radix = 2;
    many.radix = 20;
    CHECK(lines_of(traffic_on("broadcast.knomial", n, two)) ==
          lines_of(traffic_on("broadcast.binomial", n)));
    CHECK(lines_of(traffic_on("reduce.knomial", n, two)) ==
          lines_of(traffic_on("reduce.binomial", n)));
    CHECK(lines_of(traffic_on("allreduce.recursive_multiplying", n, two)) ==
          lines_of(traffic_on("allreduce.bde", n)));
    CHECK(lines_of(traffic_on("broadcast.knomial", n, many)) ==
          lines_of(traffic_on("broadcast.flat", n)));
    CHECK(lines_of(traffic_on("allreduce.recursive_multiplying", n, many)) ==
          lines_of(traffic_on("allreduce.one_shot", n)));
  }
}

TEST_CASE("the factors of recursive multiplying take more than half of the ranks",
          "[collectives]") {
  CHECK(exchange_factors(13, 4) == std::vector<int>{4, 3});
  CHECK(exchange_factors(1, 4).empty());
  for (int n = 1; n < 300; ++n)
    for (const int radix : {2, 3, 4, 7, 300}) {
      const int taking_part = product_of(exchange_factors(n, radix));
      CHECK((taking_part <= n && 2 * taking_part > n));
    }
}

TEST_CASE("double trees: both reach all, no rank but the root has children in both",
          "[collectives]") {
  for (int n = 2; n < 80; ++n) {
    const Rank root = n / 3;
    const DoubleTree trees(n, root);
    CAPTURE(n);
    for (Rank rank = 0; rank < n; ++rank) {
      std::set<int> out;
      std::size_t children = 0;
      for (int tree = 0; tree < DoubleTree::kTrees; ++tree) {
        const auto& place = trees.at(tree, rank);
        for (const Rank child : place.children) {
          CHECK(trees.at(tree, child).parent == rank);
          out.insert(trees.at(tree, child).colour);
        }
        children += place.children.size();
        int above = 0;  // edges up to the root, which ends
        for (Rank at = rank; at != root && above < n; ++above) at = trees.at(tree, at).parent;
        CHECK(above <= 1 + ceil_log2(n));
      }
      CHECK(children <= 2);
      CHECK(out.size() == children);  // no two edges of one colour
      if (rank == root) continue;
      CHECK((trees.at(0, rank).children.empty() || trees.at(1, rank).children.empty()));
      CHECK(trees.at(0, rank).colour != trees.at(1, rank).colour);
    }
    // m + 2 ceil(log2 N) rounds at most, as in the paper.
    for (const int segments : {2, 3, 16})
      CHECK(double_tree_rounds(trees, segments, {TreeDirection::down}) <=
            segments + 2 * ceil_log2(n));
  }
}

TEST_CASE("Swing: partners are 1, 1, 3, 5, 11 apart and agree; halves are runs of chunks",
          "[collectives]") {
  for (int p = 1; p <= 256; p *= 2) {
    std::set<int> positions;
    for (Rank rank = 0; rank < p; ++rank) {
      const int own = swing_position(rank, p);
      positions.insert(own);
      for (int step = 0; step < floor_log2(p); ++step) {
        constexpr std::array kDistance{1, -1, 3, -5, 11, -21, 43, -85};
        const Rank partner = swing_partner(rank, step, p);
        const int distance = kDistance[static_cast<std::size_t>(step)];
        CHECK(partner == wrap(rank + (rank % 2 == 0 ? distance : -distance), p));
        CHECK(swing_partner(partner, step, p) == rank);
        const int length = p >> (step + 1);
        CHECK(swing_position(partner, p) / length == (own / length ^ 1));
      }
    }
    CHECK(positions.size() == static_cast<std::size_t>(p));
    CHECK(*positions.rbegin() == p - 1);
  }
}

TEST_CASE("PAT: each block comes to each rank once, at most A in a message, from far to near",
          "[collectives]") {
  for (int n = 1; n < 70; ++n)
    for (int aggregation = 1; 2 * aggregation <= std::max(2, 1 << ceil_log2(n)); aggregation *= 2) {
      CAPTURE(n, aggregation);
      const auto steps = pat_steps(n, aggregation);
      CHECK(static_cast<std::int64_t>(steps.size()) == pat_rounds(n, aggregation));
      std::set<int> had{0};  // how far the block has come
      int far = n;
      for (const PatStep& step : steps) {
        CHECK(step.offsets.size() <= static_cast<std::size_t>(aggregation));
        for (const int offset : step.offsets) {
          CHECK(had.contains(offset));
          CHECK(had.insert(offset + step.distance).second);
        }
        if (aggregation > 1 && 2 * aggregation == 1 << ceil_log2(n)) {
          CHECK(step.distance < far);
          far = step.distance;
        }
      }
      CHECK(had.size() == static_cast<std::size_t>(n));
      CHECK(*had.rbegin() == n - 1);
    }
  CHECK(pat_aggregation(16, 100, 399) == 2);
  CHECK(pat_aggregation(16, 100, 0) == 1);
  CHECK(pat_aggregation(9, 0, 100) == 8);
  CHECK(pat_aggregation(1, 100, 1000) == 1);
}

TEST_CASE("two levels: between groups only ranks of one place talk, with a g-th of the data",
          "[collectives]") {
  constexpr int kRanks = 12, kGroup = 4;
  for (const auto* name : {"allreduce.two_level_ring", "alltoall.hierarchical"}) {
    Case groups;
    groups.group_size = kGroup;
    const Traffic traffic = traffic_on(name, kRanks, groups);
    std::vector<std::uint64_t> across(kRanks);
    for (const Sent& sent : traffic.messages) {
      if (sent.from / kGroup == sent.to / kGroup) continue;
      CHECK(sent.from % kGroup == sent.to % kGroup);
      across[static_cast<std::size_t>(sent.from)] += sent.bytes;
    }
    const std::uint64_t bytes = 8 * kRanks * dtype_size(DType::float32);
    const bool ring = require_algorithm(name).collective == Collective::allreduce;
    for (const std::uint64_t sent : across)
      CHECK(sent == (ring ? 2 * bytes / kGroup * 2 / 3 : bytes * 2 / 3));
  }
}
