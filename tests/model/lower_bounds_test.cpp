// Lower bounds against figures computed by hand.
#include "engine/model/bandwidth.h"
#include "tests/support/catch.h"

using namespace rankscope;

TEST_CASE("lower bounds: figures by hand", "[model]") {
  struct Row {
    Collective collective;
    int n;
    double bytes;
    int rounds;
    double sent, received;
  };
  const Row rows[] = {
      {Collective::allreduce, 8, 800, 3, 1400, 1400},  // 2 * 800 * 7/8
      {Collective::allreduce, 4, 64, 2, 96, 96},
      {Collective::allreduce, 5, 100, 3, 160, 160},
      {Collective::allreduce, 2, 10, 1, 10, 10},
      {Collective::broadcast, 5, 10, 3, 10, 10},
      {Collective::broadcast, 16, 10, 4, 10, 10},
      {Collective::reduce, 9, 10, 4, 10, 10},
      {Collective::allgather, 4, 100, 2, 75, 75},
      {Collective::reduce_scatter, 4, 100, 2, 75, 75},
      {Collective::reduce_scatter, 3, 90, 2, 60, 60},
      {Collective::gather, 4, 100, 2, 25, 75},   // the root receives three parts of 25
      {Collective::scatter, 4, 100, 2, 75, 25},  // and sends them
      {Collective::alltoall, 8, 800, 3, 700, 700},
      {Collective::barrier, 6, 0, 3, 0, 0},
      {Collective::p2p_shift, 8, 10, 1, 10, 10},
      {Collective::p2p, 2, 10, 2, 10, 10},
  };
  for (const Row& row : rows) {
    INFO(to_string(row.collective) << " on " << row.n);
    const auto found = lower_bounds(row.collective, row.n, row.bytes);
    CHECK(found.rounds == row.rounds);
    CHECK(found.sent == Approx(row.sent));
    CHECK(found.received == Approx(row.received));
    CHECK_FALSE(found.bytes_why.empty());
  }
}

TEST_CASE("lower bounds: one rank needs nothing", "[model]") {
  CHECK(lower_bounds(Collective::allreduce, 1, 800).rounds == 0);
  CHECK(lower_bounds(Collective::allreduce, 1, 800).sent == 0);
}
