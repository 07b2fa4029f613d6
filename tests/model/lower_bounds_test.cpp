#include "engine/model/lower_bounds.h"

#include <string>

#include "tests/support/catch.h"

using namespace rankscope;

TEST_CASE("lower bounds: figures by hand", "[model]") {
  struct Row {
    std::string collective;
    int n;
    double bytes;
    int rounds;
    double sent, received;
  };
  const Row rows[] = {
      {"allreduce", 8, 800, 3, 1400, 1400},  // 2 * 800 * 7/8
      {"allreduce", 4, 64, 2, 96, 96},
      {"allreduce", 5, 100, 3, 160, 160},
      {"allreduce", 2, 10, 1, 10, 10},
      {"broadcast", 5, 10, 3, 10, 10},
      {"broadcast", 16, 10, 4, 10, 10},
      {"reduce", 9, 10, 4, 10, 10},
      {"allgather", 4, 100, 2, 75, 75},
      {"reduce_scatter", 4, 100, 2, 75, 75},
      {"reduce_scatter", 3, 90, 2, 60, 60},
      {"gather", 4, 100, 2, 25, 75},   // the root receives three parts of 25
      {"scatter", 4, 100, 2, 75, 25},  // and sends them
      {"alltoall", 8, 800, 3, 700, 700},
      {"barrier", 6, 0, 3, 0, 0},
      {"p2p", 8, 10, 1, 10, 10},
      {"ping", 2, 10, 2, 10, 10},
  };
  for (const Row& row : rows) {
    INFO(row.collective << " on " << row.n);
    const auto found = lower_bounds(row.collective, row.n, row.bytes);
    REQUIRE(found);
    CHECK(found->rounds == row.rounds);
    CHECK(found->sent == Approx(row.sent));
    CHECK(found->received == Approx(row.received));
    CHECK_FALSE(found->bytes_why.empty());
  }
}

TEST_CASE("lower bounds: one rank needs nothing, and unknown names are unknown", "[model]") {
  CHECK(lower_bounds("allreduce", 1, 800)->rounds == 0);
  CHECK(lower_bounds("allreduce", 1, 800)->sent == 0);
  CHECK_FALSE(lower_bounds("gossip", 8, 800));
  CHECK_FALSE(lower_bounds("", 8, 800));
}
