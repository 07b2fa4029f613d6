// The closed forms of the registry against what runs really send.
#include <algorithm>
#include <array>

#include "tests/collectives/counting.h"
#include "tests/collectives/harness.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

Traffic run_traced(const Case& c) {
  CollectingSink sink;
  InprocWorld world(c.job.n, &sink);
  RankSettings settings;
  settings.trace = TraceLevel::light;
  world.run(
      [&](Communicator& comm) { run_algorithm(comm, *c.algorithm, make_args(c, comm.rank())); },
      settings);
  return traffic_of(sink.take(), c.job.n);
}

ClosedFormInput input_of(const Case& c) {
  return {.n = c.job.n,
          .shape = c.job.shape,
          .dtype = c.job.dtype,
          .root = c.job.root,
          .scatter_dim = c.job.scatter_dim,
          .segment_bytes = c.segment_bytes,
          .group_size = c.group_size,
          .radix = c.radix};
}

// One case for each value of what the algorithm takes.
std::vector<Case> cases_of(const Algorithm& algorithm, int n, Count count) {
  const Case plain{.algorithm = &algorithm,
                   .job = {.collective = algorithm.collective,
                           .shape = Shape::flat(count),
                           .dtype = DType::int32,
                           .n = n}};
  std::vector<Case> cases{plain};
  const auto add = [&](auto change) { change(cases.emplace_back(plain)); };
  if (has_root(algorithm.collective))
    for (const Rank root : {n / 3, n / 2, n - 1}) add([&](Case& c) { c.job.root = root; });
  if (algorithm.features.takes_segments)
    for (const std::uint64_t bytes : {64, 300, 1000})
      add([&](Case& c) { c.segment_bytes = bytes; });
  if (algorithm.features.takes_group_size)
    for (const int ranks : {1, 2, 3, 5}) add([&](Case& c) { c.group_size = ranks; });
  if (algorithm.features.takes_radix)
    for (const int radix : {2, 3, 5, 20}) add([&](Case& c) { c.radix = radix; });
  if (traits(algorithm.collective).out == Extent::regrouped)
    for (const int dim : {0, 1, 2})
      add([&](Case& c) {
        c.job.shape = Shape({2, count % 100, 3});
        c.job.scatter_dim = dim;
        c.job.gather_dim = 1;
      });
  cases.push_back(plain);
  cases.back().left_ring = true;
  cases.back().job.dtype = DType::uint8;
  return cases;
}

// Also chunks of equal length, for the power of two below n too.
std::vector<Count> counts_of(int n) {
  const Count even = 4 * n * (1 << floor_log2(n));
  constexpr std::array kUneven{1, 2, 3, 4, 5, 7, 8, 13, 16};
  if (std::ranges::find(kUneven, n) == kUneven.end()) return {even};
  if (n > 8) return {n - 1, 1000, even};
  return {0, 1, n - 1, n, n + 1, 13, 1000, even};
}

}  // namespace

TEST_CASE("rounds and busiest bytes are what the registry says", "[collectives]") {
  for (const auto& algorithm : algorithms())
    for (int n = 1; n <= 16; ++n)
      for (const Count count : counts_of(n))
        for (const Case& c : cases_of(algorithm, n, count)) {
          const Traffic traffic = run_traced(c);
          INFO(describe(c, SendMode::buffered));
          CHECK(traffic.rounds == algorithm.rounds(input_of(c)));
          CHECK(traffic.busiest_bytes == algorithm.busiest_bytes(input_of(c)));
        }
}

TEST_CASE("rounds do not depend on the send mode or on empty chunks", "[collectives]") {
  for (const auto& algorithm : algorithms()) {
    CollectingSink sink;
    InprocWorld world(6, &sink);
    RankSettings settings;
    settings.trace = TraceLevel::light;
    settings.mode = SendMode::rendezvous;
    const Case c{.algorithm = &algorithm,
                 .job = {.collective = algorithm.collective, .shape = Shape::flat(2), .n = 6}};
    world.run(
        [&](Communicator& comm) { run_algorithm(comm, algorithm, make_args(c, comm.rank())); },
        settings);
    CAPTURE(algorithm.name);
    CHECK(traffic_of(sink.take(), 6).rounds == algorithm.rounds(input_of(c)));
  }
}

TEST_CASE("numbers of messages: 2(N-1) on trees, N log2 N and folded for exchanges",
          "[collectives]") {
  for (int n = 1; n <= 16; ++n) {
    const auto messages = [&](std::string_view name) {
      const Algorithm& algorithm = require_algorithm(name);
      return static_cast<int>(
          run_traced({.algorithm = &algorithm,
                      .job = {.collective = algorithm.collective, .shape = Shape::flat(8), .n = n}})
              .messages.size());
    };
    CAPTURE(n);
    for (const auto* name :
         {"allreduce.mst", "allreduce.tree", "allreduce.flat", "allreduce.reduce_broadcast"})
      CHECK(messages(name) == 2 * (n - 1));
    const int p = 1 << floor_log2(n);
    CHECK(messages("allreduce.bde") == p * floor_log2(n) + 2 * (n - p));
    CHECK(messages("allreduce.ring") == 2 * n * (n - 1));
    CHECK(messages("alltoall.pairwise") == n * (n - 1));
  }
}
