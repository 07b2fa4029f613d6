// Calls of every algorithm, and costs of links, on which closed forms are compared with simulated runs.
#pragma once

#include <array>
#include <vector>

#include "engine/collectives/oracle.h"
#include "engine/model/costs/cost_table.h"

namespace rankscope {

struct CostCase {
  const Algorithm* algorithm;
  ClosedFormInput in;
  int gather_dim = 0;
};

/// Returns whether a bucket of an allreduce waits for the eighth before it.
inline bool waits_for_buckets(const CostCase& c) {
  return c.algorithm->collective == Collective::allreduce && c.in.segment_bytes > 0 &&
         c.in.shape.count() * 4 >= 8 * static_cast<Count>(c.in.segment_bytes);
}

/// Returns calls with several roots, segments, group sizes and radices, and a shape where that matters.
inline std::vector<CostCase> cost_cases(const Algorithm& algorithm, int n, Count count) {
  const CostCase plain{&algorithm, {.n = n, .shape = Shape::flat(count)}};
  std::vector<CostCase> cases{plain};
  const auto add = [&](auto change) { change(cases.emplace_back(plain)); };
  if (has_root(algorithm.collective) && n > 1)
    for (const Rank root : {n / 2, n - 1}) add([&](CostCase& c) { c.in.root = root; });
  if (algorithm.features.takes_segments)
    for (const std::uint64_t bytes : {64, 300, 1000})
      add([&](CostCase& c) { c.in.segment_bytes = bytes; });
  if (algorithm.features.takes_group_size)
    for (const int ranks : {1, 2, 3, 4, 5}) add([&](CostCase& c) { c.in.group_size = ranks; });
  if (algorithm.features.takes_radix)
    for (const int radix : {2, 3, 5}) add([&](CostCase& c) { c.in.radix = radix; });
  if (traits(algorithm.collective).out == Extent::regrouped)
    add([&](CostCase& c) {
      c.in.shape = Shape({2, count % 100, 3});
      c.in.scatter_dim = c.gather_dim = 1;
    });
  return cases;
}

inline Args args_of(const CostCase& c) {
  return {.root = c.in.root,
          .scatter_dim = c.in.scatter_dim,
          .gather_dim = c.gather_dim,
          .segment_bytes = c.in.segment_bytes,
          .group_size = c.in.group_size,
          .radix = c.in.radix};
}

inline Extents extents_on(const CostCase& c, Rank rank) {
  return extents_of(c.algorithm->collective, c.in.shape, c.in.n, rank, c.in.root, c.in.scatter_dim,
                    c.gather_dim);
}

// For 1000 elements, latency, bandwidth or reductions dominate; then reductions or latency cost nothing.
inline constexpr std::array kCostLinks{
    LinkCosts{5e-6, 1e-10, 2e-11}, LinkCosts{1e-7, 3.1e-9, 7e-10},
    LinkCosts{1.7e-6, 1.1e-9, 5.3e-9}, LinkCosts{1e-6, 1e-9, 0}, LinkCosts{0, 2.3e-9, 1.3e-9}};

}  // namespace rankscope
