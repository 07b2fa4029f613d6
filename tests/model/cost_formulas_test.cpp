// The written formulas of costs, read as a student's would be, against the functions beside them.
#include <cmath>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/radix.h"
#include "engine/model/costs/cost_table.h"
#include "lessons/formula/formula.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

/// Where its formula holds: parts of 2^12 elements and more.
ClosedFormInput setting_of_formula(const Algorithm& algorithm, int n, int segments, int group) {
  const Count count = Count{1} << 14;
  ClosedFormInput in{.n = n, .shape = Shape::flat(count * n), .group_size = group};
  const CostRow& row = *find_cost_row(algorithm);
  if (row.blocks != nullptr) {
    const bool all = traits(algorithm.collective).counts_all_ranks();
    in.segment_bytes = static_cast<std::uint64_t>((all ? count * n : count) * 4 * segments);
  } else if (algorithm.features.takes_segments) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * 4;
    // Segments of a ring are pieces of a chunk, those of others pieces of all of it.
    const bool of_chunks = row.segments({.n = n, .shape = in.shape, .segment_bytes = bytes}) == 1;
    in.segment_bytes = (of_chunks ? bytes : bytes * static_cast<std::uint64_t>(n)) /
                       static_cast<std::uint64_t>(segments);
  }
  return in;
}

}  // namespace

TEST_CASE("formulas of costs give what their functions give", "[model]") {
  const std::vector<std::string> names{"N", "n", "K", "g", "k", "A", "α", "β", "γ"};
  for (const auto& algorithm : built_in_algorithms()) {
    const CostRow& row = *find_cost_row(algorithm);
    INFO(row.algorithm << ": " << row.formula);
    const Formula formula(row.formula, names);
    int compared = 0;
    for (const int n : {2, 3, 4, 6, 8, 11, 16})
      for (const int segments : {2, 8})
        for (const int group : {1, 2, 4}) {
          if (group > n || (row.holds.power_of_two && (n & (n - 1)) != 0)) continue;
          ClosedFormInput in = setting_of_formula(algorithm, n, segments, group);
          in.radix = group + 1;
          if (row.holds.power_of_radix && !is_power_of(n, in.radix)) continue;
          const double beta = 3e-10, alpha = 2e-6;
          for (const double gamma : {0., 1e-10, 4e-9}) {
            if (row.holds.free_reductions && gamma > 0) continue;
            if (row.holds.fast_reductions && gamma > beta) continue;
            const LinkCosts link{alpha, beta, gamma};
            const double k = row.segments == nullptr ? 1 : row.segments(in);
            if (row.segments != nullptr) CHECK(k == segments);
            const Values values{
                {"N", n},
                {"n", static_cast<double>(in.shape.count() * 4)},
                {"K", k},
                {"g", algorithm.features.takes_group_size ? group_size(n, group) : n},
                {"k", algorithm.features.takes_radix ? radix_or_default(in.radix) : n},
                {"A", row.blocks == nullptr ? 1. : row.blocks(in)},
                {"α", alpha},
                {"β", beta},
                {"γ", gamma}};
            CHECK(formula.at(values) ==
                  Approx(time(cost_of(algorithm, in, link), link)).epsilon(1e-12));
            ++compared;
          }
        }
    CHECK(compared > 0);
  }
}
