// Bus bandwidth factors, the assignment's figures, and order statistics.
#include "engine/model/bandwidth.h"

#include <map>
#include <string>

#include "engine/model/statistics.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {
bool close_to(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }
}  // namespace

TEST_CASE("bus bandwidth factors are those of nccl-tests, for all nine kinds", "[model]") {
  const std::map<std::string, double> at_8 = {
      {"allreduce", 1.75}, {"reduce_scatter", 0.875}, {"allgather", 0.875}, {"alltoall", 0.875},
      {"gather", 0.875},   {"scatter", 0.875},        {"broadcast", 1},     {"reduce", 1},
      {"p2p", 1}};
  REQUIRE(at_8.size() == 9);
  for (const auto& [name, factor] : at_8) {
    INFO(name);
    CHECK(close_to(bus_factor(name, 8), factor));
  }
  CHECK(close_to(bus_factor("allreduce", 2), 1));
  CHECK(close_to(bus_factor("alltoall", 2), 0.5));
  CHECK(close_to(bus_factor("allreduce", 1), 0));
  CHECK(close_to(algorithm_bandwidth(1000, 0.5), 2000));
  CHECK(close_to(bus_bandwidth("allreduce", 4, 1000, 0.5), 3000));
  CHECK(algorithm_bandwidth(1000, 0) == 0);
}

TEST_CASE("the assignment's figures follow from its times by its own accounting", "[model]") {
  // 2^23 float32 on 8 ranks: 32 MiB, of which an allreduce counts 56.
  const double bytes = 32 << 20;
  CHECK(close_to(assignment_bytes("allreduce", 8, bytes), 56 << 20));
  CHECK(close_to(assignment_bytes("p2p", 8, bytes), bytes));
  const auto printed = [&](std::string_view collective, double seconds) {
    return static_cast<int>(assignment_bandwidth(collective, 8, bytes, seconds) * 100 + 0.5);
  };
  CHECK(printed("allreduce", 0.28446) == 19686);
  CHECK(printed("allreduce", 0.21817) == 25668);
  CHECK(printed("allreduce", 0.22072) == 25372);
  CHECK(printed("p2p", 0.06692) / 10 == 4781);  // 478.21 was computed from an unrounded time
}

TEST_CASE("order statistics", "[model]") {
  CHECK(summarize({}).samples == 0);
  const Summary one = summarize({3});
  CHECK(one.min == 3);
  CHECK(one.median == 3);
  CHECK(one.p99 == 3);
  CHECK(one.max == 3);
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const Summary many = summarize(values);
  CHECK(many.samples == 101);
  CHECK(many.min == 0);
  CHECK(many.median == 50);
  CHECK(many.p99 == 99);
  CHECK(many.max == 100);
  CHECK(median({1, 2, 3, 10}) == 2.5);
}
