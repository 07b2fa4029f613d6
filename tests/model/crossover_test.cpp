// Sizes, ranks, latencies and bandwidths at which two algorithms take equally long.
#include "engine/model/costs/crossover.h"

#include <cmath>

#include "engine/core/base/error.h"
#include "engine/model/bandwidth.h"
#include "engine/model/costs/cost_table.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

const Algorithm& named(std::string_view name) { return require_algorithm(name); }
double time_at(const Algorithm& algorithm, const CostSetting& at) {
  return time(cost_of(algorithm, at.in, at.link), at.link);
}
constexpr LinkCosts kLink{5e-6, 1e-10, 2e-11};

}  // namespace

TEST_CASE("over bytes a crossover of sums is solved", "[model]") {
  const CostSetting setting{{.n = 8, .shape = Shape::flat(8)}, kLink};
  const auto found = crossovers(named("allreduce.bde"), named("allreduce.ring"), setting,
                                CostAxis::bytes, 4, 1e12);
  REQUIRE(found.size() == 1);
  // 3 (a + n b + n c) = 14 a + 7/8 n (2 b + c)
  CHECK(found[0].at ==
        Approx(11 * kLink.alpha / (1.25 * kLink.beta + 2.125 * kLink.gamma)).epsilon(1e-12));
  CHECK(found[0].first_before);
  CHECK(found[0].exact);
  // Both directions say the same; one algorithm crosses itself nowhere.
  const auto turned = crossovers(named("allreduce.ring"), named("allreduce.bde"), setting,
                                 CostAxis::bytes, 4, 1e12);
  REQUIRE(turned.size() == 1);
  CHECK(turned[0].at == found[0].at);
  CHECK_FALSE(turned[0].first_before);
  CHECK(crossovers(named("allreduce.ring"), named("allreduce.ring"), setting, CostAxis::bytes, 4,
                   1e12)
            .empty());
  CHECK(crossovers(named("allreduce.bde"), named("allreduce.ring"), setting, CostAxis::bytes, 4,
                   0.9 * found[0].at)
            .empty());
}

TEST_CASE("over latency and bandwidth it is solved for uneven parts, too", "[model]") {
  const CostSetting setting{{.n = 7, .shape = Shape::flat(100'003)}, kLink};
  const auto &tree = named("allreduce.bde"), &ring = named("allreduce.ring");
  for (const CostAxis axis : {CostAxis::alpha, CostAxis::bandwidth}) {
    const auto found = crossovers(tree, ring, setting, axis, 1e-9, 1e15);
    REQUIRE(found.size() == 1);
    CHECK(found[0].exact);
    const double at = found[0].at;
    CHECK(time_at(tree, with_value(setting, axis, at)) ==
          Approx(time_at(ring, with_value(setting, axis, at))).epsilon(1e-12));
    const bool tree_below = time_at(tree, with_value(setting, axis, at / 2)) <
                            time_at(ring, with_value(setting, axis, at / 2));
    CHECK(tree_below == found[0].first_before);
  }
}

TEST_CASE("where times are no sums a change of sign is found by bisection", "[model]") {
  // On 6 ranks the tree's time is a recurrence, the pipelined ring's a maximum.
  const CostSetting setting{{.n = 6, .shape = Shape::flat(6)}, kLink};
  const auto &tree = named("allreduce.tree"), &ring = named("allreduce.ring_pipelined");
  const auto found = crossovers(tree, ring, setting, CostAxis::bytes, 24, 1 << 24);
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].exact);
  const auto at = [&](double bytes) { return with_value(setting, CostAxis::bytes, bytes); };
  CHECK(time_at(tree, at(found[0].at - 4)) <= time_at(ring, at(found[0].at - 4)));
  CHECK(time_at(tree, at(found[0].at)) >= time_at(ring, at(found[0].at)));
  LinearCost linear;
  CHECK_FALSE(linear_in_bytes(ring, setting, linear));
  CHECK(linear_in_bytes(named("allreduce.ring"), setting, linear));
  CHECK(linear.bytes == Approx(2 * 5.0 / 6));
}

TEST_CASE("over ranks it is the first number where the order has changed", "[model]") {
  const CostSetting setting{{.n = 2, .shape = Shape::flat(1 << 18)}, kLink};
  const auto &bde = named("allreduce.bde"), &ring = named("allreduce.ring");
  const auto found = crossovers(bde, ring, setting, CostAxis::ranks, 2, 4096);
  REQUIRE_FALSE(found.empty());
  const auto at = [&](double ranks) { return with_value(setting, CostAxis::ranks, ranks); };
  const double n = found.back().at;
  CHECK(n == std::floor(n));
  CHECK((time_at(bde, at(n)) < time_at(ring, at(n))) !=
        (time_at(bde, at(n - 1)) < time_at(ring, at(n - 1))));
}

TEST_CASE("values of an axis are whole elements and ranks, and ranges are checked", "[model]") {
  const CostSetting setting{{.n = 4, .shape = Shape::flat(4)}, kLink};
  const auto doubled = axis_values(setting, CostAxis::ranks, 2, 24);
  CHECK(doubled == std::vector<double>{2, 4, 8, 16, 24});
  for (const double value : axis_values(setting, CostAxis::bytes, 4, 1000, 3))
    CHECK(std::fmod(value, 4) == 0);
  CHECK_THROWS_AS(axis_values(setting, CostAxis::alpha, 2, 1), UserError);
  CHECK_THROWS_AS(axis_values(setting, CostAxis::alpha, 0, 1), UserError);
  CHECK_THROWS_AS(axis_values(setting, CostAxis::alpha, std::nan(""), 1), UserError);
}

TEST_CASE("no algorithm is faster than its collective's lower bound", "[model]") {
  for (const auto& algorithm : built_in_algorithms())
    for (const int n : {2, 3, 4, 7, 8, 16})
      for (const Count count : {Count{n}, Count{4097}, Count{1'000'000}})
        for (const LinkCosts& link :
             {kLink, LinkCosts{1e-6, 1e-11, 0}, LinkCosts{1e-9, 1e-9, 5e-9}}) {
          const CostSetting at{{.n = n, .shape = Shape::flat(count)}, link};
          INFO(algorithm.name << " on " << n << " ranks, " << count << " elements");
          CHECK(time_at(algorithm, at) >=
                bound_times(algorithm.collective, at).largest() * (1 - 1e-12));
        }
  CHECK(lower_bounds(Collective::allreduce, 4, 100).reduced == 75);
  CHECK(lower_bounds(Collective::allgather, 4, 100).reduced == 0);
}
