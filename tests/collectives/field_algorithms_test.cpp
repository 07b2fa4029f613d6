// What is peculiar to algorithms with a radix, two trees, many trees, swinging partners and two levels.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/collectives/radix.h"
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
