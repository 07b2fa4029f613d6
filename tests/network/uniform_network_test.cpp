// Transfers on a network without sharing.
#include <cmath>

#include "engine/core/base/error.h"
#include "engine/network/flow/make_network.h"
#include "tests/support/catch.h"

using namespace rankscope;

TEST_CASE("a uniform network: transfers do not slow each other, and end in order") {
  const auto network = make_uniform_network(4, 2.0, 0.5);
  CHECK(network->ranks() == 4);
  CHECK(network->latency(0, 3) == 2.0);
  CHECK(network->bandwidth(0, 3) == 2.0);
  CHECK(std::isinf(network->next_end()));
  CHECK(network->begin(0, 0, 1, 20) == 1);
  CHECK(network->begin(1, 0, 1, 4) == 2);
  CHECK(network->begin(1, 2, 1, 4) == 3);
  CHECK(network->begin(1, 3, 1, 2) == 4);
  network->cancel(4);
  CHECK(network->next_end() == 3);
  std::vector<Network::Ended> ended;
  network->advance(2.5, ended);
  CHECK(ended.empty());
  network->advance(20, ended);
  REQUIRE(ended.size() == 3);
  CHECK((ended[0].id == 2 && ended[0].at == 3 && !ended[0].failed));
  CHECK((ended[1].id == 3 && ended[1].at == 3));
  CHECK((ended[2].id == 1 && ended[2].at == 10));
  CHECK(std::isinf(network->next_end()));
}

TEST_CASE("a uniform network refuses negative times and no ranks") {
  CHECK_THROWS_AS(make_uniform_network(0, 0, 0), UserError);
  CHECK_THROWS_AS(make_uniform_network(2, -1, 0), UserError);
  CHECK_THROWS_AS(make_uniform_network(2, 0, NAN), UserError);
}
