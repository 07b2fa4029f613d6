// Changed links and places of ranks in a simulated job.
#include "engine/run/job/changed_topology.h"

#include "engine/core/base/error.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/placement.h"
#include "engine/run/sim/sim_runner.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {

/// A ring allreduce of 8 MB on the puzzler's server: seconds.
double finish_s(const std::string& links, const std::string& placement,
                const char* ports = "full") {
  JobSpec spec;
  spec.call.algorithm = "allreduce.ring";
  spec.world.size = 8;
  spec.call.shape = {2'000'000};
  spec.transport.name = kSimTransport;
  spec.network.topology = "puzzler";
  spec.network.links = links;
  spec.network.placement = placement;
  spec.network.ports = ports;
  spec.network.ghost = true;
  spec.recording.trace = TraceLevel::off;
  NoEvents nowhere;
  SimRunner runner;
  REQUIRE(runner.run(spec, nowhere).ok());
  return runner.summary().finish_s;
}

}  // namespace

TEST_CASE("sim: a changed link changes the time as its bandwidth does", "[sim]") {
  // 14 steps of 1 MB. By number, ranks 1 and 5 send over one link between the sockets.
  CHECK(finish_s("", "") == Approx(14 * 1e6 / (20.8e9 / 2)).epsilon(0.02));
  CHECK(finish_s("socket0:socket1=1GB/s", "") == Approx(14 * 1e6 / 0.5e9).epsilon(0.02));
  // A new link carries what went over the sockets.
  CHECK(finish_s("1:2=50GB/s,5:6=50GB/s", "") == Approx(14 * 1e6 / 50e9).epsilon(0.15));
  CHECK(finish_s("gpu1:gpu2=50GB/s, gpu5:gpu6=50GB/s", "") ==
        finish_s("1:2=50GB/s,5:6=50GB/s", ""));
}

TEST_CASE("sim: ranks at other places use other links", "[sim]") {
  const double best = finish_s("", "0,1,4,5,2,3,6,7");
  CHECK(best == Approx(14 * 1e6 / 100e9).epsilon(0.1));
  CHECK(finish_s("", "0,1,2,3,4,5,6,7") == finish_s("", ""));
  // Its slowest link decides.
  CHECK(finish_s("4:5=10GB/s", "0,1,4,5,2,3,6,7") > 5 * best);
}

TEST_CASE("sim: what cannot be changed is said", "[sim]") {
  const auto refused = [](const char* links, const char* words) {
    Topology topology = open_topology("puzzler");
    CHECK_THROWS_WITH(change_links(topology, links), ContainsSubstring(words));
  };
  refused("0:9=cut", "no rank 9");
  refused("gpu0:gpu11=cut", "no node 'gpu11'");
  refused("0:2=cut", "no link between gpu0 and gpu2");
  refused("0=cut", "no change of a link");
  refused("0:1", "no change of a link");
  refused("0:0=5GB/s", "with itself");
  refused("0:1=fast", "fast");
  refused("0:1=-5GB/s", "-5GB/s");
  refused("gpu2:socket1=cut,2:3=cut,2:5=cut,2:6=cut,2:7=cut", "reach");
  Topology uniform = open_topology("uniform");
  CHECK_THROWS_WITH(change_links(uniform, "0:1=cut"), ContainsSubstring("uniform"));
  CHECK_THROWS_WITH(parse_placement("0,1", 3), ContainsSubstring("2 places"));
  CHECK_THROWS_WITH(parse_placement("0,1,1", 3), ContainsSubstring("twice"));
  CHECK_THROWS_WITH(parse_placement("0,1,3", 3), ContainsSubstring("0 to 2"));
  JobSpec job;
  job.transport.name = kSimTransport;
  job.network.links = "0:1=cut";
  CHECK_THROWS_WITH(validate(job), ContainsSubstring("name one"));
}
