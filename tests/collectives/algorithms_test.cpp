// Every algorithm against the oracle: all world sizes, counts, element types, operators, roots and
// send modes. One test case an algorithm, so that they run beside each other.
#include <fstream>
#include <iterator>

#include "tests/collectives/harness.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;
using test::check_algorithm;

TEST_CASE("p2p.ping is right", "[collectives]") { check_algorithm("p2p.ping"); }
TEST_CASE("p2p.sendrecv is right", "[collectives]") { check_algorithm("p2p.sendrecv"); }
TEST_CASE("barrier.dissemination is right", "[collectives]") {
  check_algorithm("barrier.dissemination");
}
TEST_CASE("barrier.flat is right", "[collectives]") { check_algorithm("barrier.flat"); }
TEST_CASE("broadcast.flat is right", "[collectives]") { check_algorithm("broadcast.flat"); }
TEST_CASE("broadcast.binomial is right", "[collectives]") { check_algorithm("broadcast.binomial"); }
TEST_CASE("broadcast.knomial is right", "[collectives]") { check_algorithm("broadcast.knomial"); }
TEST_CASE("broadcast.scatter_allgather is right", "[collectives]") {
  check_algorithm("broadcast.scatter_allgather");
}
TEST_CASE("broadcast.chain is right", "[collectives]") { check_algorithm("broadcast.chain"); }
TEST_CASE("broadcast.double_tree is right", "[collectives]") {
  check_algorithm("broadcast.double_tree");
}
TEST_CASE("reduce.flat is right", "[collectives]") { check_algorithm("reduce.flat"); }
TEST_CASE("reduce.binomial is right", "[collectives]") { check_algorithm("reduce.binomial"); }
TEST_CASE("reduce.knomial is right", "[collectives]") { check_algorithm("reduce.knomial"); }
TEST_CASE("reduce.scatter_gather is right", "[collectives]") {
  check_algorithm("reduce.scatter_gather");
}
TEST_CASE("gather.flat is right", "[collectives]") { check_algorithm("gather.flat"); }
TEST_CASE("gather.binomial is right", "[collectives]") { check_algorithm("gather.binomial"); }
TEST_CASE("scatter.flat is right", "[collectives]") { check_algorithm("scatter.flat"); }
TEST_CASE("scatter.binomial is right", "[collectives]") { check_algorithm("scatter.binomial"); }
TEST_CASE("allgather.flat is right", "[collectives]") { check_algorithm("allgather.flat"); }
TEST_CASE("allgather.ring is right", "[collectives]") { check_algorithm("allgather.ring"); }
TEST_CASE("allgather.doubling is right", "[collectives]") { check_algorithm("allgather.doubling"); }
TEST_CASE("allgather.bruck is right", "[collectives]") { check_algorithm("allgather.bruck"); }
TEST_CASE("allgather.pat is right", "[collectives]") { check_algorithm("allgather.pat"); }
TEST_CASE("reduce_scatter.direct is right", "[collectives]") {
  check_algorithm("reduce_scatter.direct");
}
TEST_CASE("reduce_scatter.ring is right", "[collectives]") {
  check_algorithm("reduce_scatter.ring");
}
TEST_CASE("reduce_scatter.halving is right", "[collectives]") {
  check_algorithm("reduce_scatter.halving");
}
TEST_CASE("reduce_scatter.pat is right", "[collectives]") { check_algorithm("reduce_scatter.pat"); }
TEST_CASE("allreduce.flat is right", "[collectives]") { check_algorithm("allreduce.flat"); }
TEST_CASE("allreduce.in_network is right", "[collectives]") {
  check_algorithm("allreduce.in_network");
}
TEST_CASE("allreduce.one_shot is right", "[collectives]") { check_algorithm("allreduce.one_shot"); }
TEST_CASE("allreduce.two_shot is right", "[collectives]") { check_algorithm("allreduce.two_shot"); }
TEST_CASE("allreduce.mst is right", "[collectives]") { check_algorithm("allreduce.mst"); }
TEST_CASE("allreduce.tree is right", "[collectives]") { check_algorithm("allreduce.tree"); }
TEST_CASE("allreduce.bde is right", "[collectives]") { check_algorithm("allreduce.bde"); }
TEST_CASE("allreduce.recursive_multiplying is right", "[collectives]") {
  check_algorithm("allreduce.recursive_multiplying");
}
TEST_CASE("allreduce.ring is right", "[collectives]") { check_algorithm("allreduce.ring"); }
TEST_CASE("allreduce.rabenseifner is right", "[collectives]") {
  check_algorithm("allreduce.rabenseifner");
}
TEST_CASE("allreduce.swing is right", "[collectives]") { check_algorithm("allreduce.swing"); }
TEST_CASE("allreduce.reduce_broadcast is right", "[collectives]") {
  check_algorithm("allreduce.reduce_broadcast");
}
TEST_CASE("allreduce.reduce_scatter_allgather is right", "[collectives]") {
  check_algorithm("allreduce.reduce_scatter_allgather");
}
TEST_CASE("allreduce.hierarchical is right", "[collectives]") {
  check_algorithm("allreduce.hierarchical");
}
TEST_CASE("allreduce.two_level_ring is right", "[collectives]") {
  check_algorithm("allreduce.two_level_ring");
}
TEST_CASE("allreduce.ring_pipelined is right", "[collectives]") {
  check_algorithm("allreduce.ring_pipelined");
}
TEST_CASE("allreduce.double_tree is right", "[collectives]") {
  check_algorithm("allreduce.double_tree");
}
TEST_CASE("allreduce.bucketed is right", "[collectives]") { check_algorithm("allreduce.bucketed"); }
TEST_CASE("alltoall.linear is right", "[collectives]") { check_algorithm("alltoall.linear"); }
TEST_CASE("alltoall.pairwise is right", "[collectives]") { check_algorithm("alltoall.pairwise"); }
TEST_CASE("alltoall.bruck is right", "[collectives]") { check_algorithm("alltoall.bruck"); }
TEST_CASE("alltoall.hierarchical is right", "[collectives]") {
  check_algorithm("alltoall.hierarchical");
}

TEST_CASE("every algorithm of the registry is tested here", "[collectives]") {
  std::ifstream file(test::source_root() / "tests/collectives/algorithms_test.cpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const auto& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    CHECK(text.find("check_algorithm(\"" + std::string(algorithm.name) + "\")") !=
          std::string::npos);
  }
}
