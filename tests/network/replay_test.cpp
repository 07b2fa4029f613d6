// Messages of a run carried over a network once more.
#include "engine/network/flow/replay.h"

#include "engine/core/base/error.h"
#include "engine/network/files/topology_file.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

constexpr const char* kLine = R"(
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
  { between = ["a", "b"], bandwidth = 100.0, latency = 1.0 },
  { between = ["b", "c"], bandwidth = 50.0, latency = 1.0 },
]
ranks_forward = true
)";

}  // namespace

TEST_CASE("replay: latency first, then bytes; ports take one message at a time") {
  const Topology line = parse_topology(kLine, "line.toml");
  LinkLoads loads(2);
  // The second one waits for the sender's port.
  const std::vector<PostedMessage> messages{{0, 1, 200, 0}, {0, 1, 100, 0}};
  const auto carried = replay(line, messages, loads);
  CHECK(carried[0].begin == Approx(1));
  CHECK(carried[0].end == Approx(3));
  CHECK(carried[1].begin == Approx(4));
  CHECK(carried[1].end == Approx(5));
  CHECK(loads.load(0, false, 2) == Approx(100));
  CHECK(loads.load(0, false, 3.5) == 0);
  CHECK(loads.bytes(0, false, 0, 9) == Approx(300));
  CHECK(loads.bytes(1, false, 0, 9) == 0);
}

TEST_CASE("replay: messages on one link share it, and each link of a route carries all bytes") {
  Topology line = parse_topology(kLine, "line.toml");
  line.model.ports = PortModel::none;
  LinkLoads loads(2);
  const std::vector<PostedMessage> messages{{0, 2, 100, 0}, {1, 2, 100, 1}, {2, 0, 60, 1}};
  const auto carried = replay(line, messages, loads);
  // Two on the link of 50 B/s: 25 each.
  CHECK(carried[0].begin == Approx(2));
  CHECK(carried[0].end == Approx(6));
  CHECK(carried[1].end == Approx(6));
  CHECK(loads.load(1, false, 4) == Approx(50));
  CHECK(loads.load(0, false, 4) == Approx(25));
  CHECK(loads.bytes(1, false, 0, 9) == Approx(200));
  CHECK(loads.bytes(0, true, 0, 9) == Approx(60));
  CHECK(loads.bytes(1, true, 0, 9) == Approx(60));
}

TEST_CASE("replay: with LogGOPS terms the latency follows, and the gap holds the port") {
  Topology line = parse_topology(kLine, "line.toml");
  line.model.gap = 5;
  LinkLoads loads(2);
  const std::vector<PostedMessage> messages{{0, 1, 100, 0}, {0, 1, 0, 0}, {0, 1, 100, 0}};
  const auto carried = replay(line, messages, loads);
  CHECK(carried[0].begin == 0);
  CHECK(carried[0].end == Approx(1));
  CHECK(carried[1].begin == Approx(5));
  CHECK(carried[1].end == Approx(5));
  CHECK(carried[2].begin == Approx(10));
}

TEST_CASE("replay: a rank that is not there is refused") {
  const Topology line = parse_topology(kLine, "line.toml");
  LinkLoads loads(2);
  const std::vector<PostedMessage> messages{{0, 3, 1, 0}};
  CHECK_THROWS_AS(replay(line, messages, loads), UserError);
}
