// The closed forms of the registry against what runs really send.
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

// The table in algorithm.h: gather's and allgather's D is the total.
double d_of(const Algorithm& algorithm, const OracleJob& job) {
  const auto own = static_cast<double>(job.shape.count());
  const bool total =
      algorithm.collective == Collective::gather || algorithm.collective == Collective::allgather;
  return total ? own * job.n : own;
}

}  // namespace

TEST_CASE("rounds and busiest bytes are what the registry says", "[collectives]") {
  for (const auto& algorithm : algorithms())
    for (int n = 1; n <= 16; ++n) {
      // Chunks of equal length, also for the power of two below n.
      const Count count = 4 * n * (1 << floor_log2(n));
      const Case c{.algorithm = &algorithm,
                   .job = {.collective = algorithm.collective,
                           .shape = Shape::flat(count),
                           .dtype = DType::uint8,
                           .n = n},
                   // Buckets are cut evenly by default only.
                   .segment_bytes = algorithm.name == "allreduce.bucketed" ? 0u : 16u};
      const Traffic traffic = run_traced(c);
      const int segments = segments_of(algorithm, n, static_cast<std::uint64_t>(count),
                                       c.segment_bytes, c.job.dtype);
      CAPTURE(algorithm.name, n, segments);
      CHECK(traffic.rounds == algorithm.rounds(n, segments));
      CHECK(static_cast<double>(traffic.busiest_bytes) ==
            Approx(algorithm.busiest_bytes(n, d_of(algorithm, c.job))));
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
    CHECK(traffic_of(sink.take(), 6).rounds == algorithm.rounds(6, 1));
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
