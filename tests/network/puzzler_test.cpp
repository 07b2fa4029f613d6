// The puzzler's three copies of 400 MB in one server, from its links alone: 4.5, 53.2 and 8.8 ms were measured.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/network/files/topology_file.h"
#include "engine/network/flow/make_network.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;

namespace {

constexpr std::array<Rank, 3> kCopiedTo{1, 2, 4};
constexpr std::array<double, 3> kMeasured{4.5, 53.2, 8.8};  // ms

Topology shipped_server(const char* name) {
  return read_topology(test::source_root() / "assets/topologies" / name);
}

/// From GPU 0, each stream one tensor after the other: ten of 10^7 float32. Milliseconds.
std::array<double, 3> copy_times(const Topology& topology) {
  constexpr std::uint64_t kTensor = 40'000'000;
  const auto network = make_network(topology);
  struct Stream {
    TransferId under_way = 0;
    int left = 10;
  };
  std::array<Stream, 3> streams;
  std::array<double, 3> done{};
  const auto next = [&](std::size_t s, double now) {
    done[s] = now + network->latency(0, kCopiedTo[s]);
    if (streams[s].left-- > 0) streams[s].under_way = network->begin(now, 0, kCopiedTo[s], kTensor);
  };
  for (std::size_t s = 0; s < 3; ++s) next(s, 0);
  std::vector<Network::Ended> ended;
  for (double at = network->next_end(); std::isfinite(at); at = network->next_end()) {
    ended.clear();
    network->advance(at, ended);
    for (const auto& one : ended)
      for (std::size_t s = 0; s < 3; ++s)
        if (streams[s].under_way == one.id) next(s, one.at);
  }
  for (double& time : done) time *= 1000;
  return done;
}

int link_of(const Topology& topology, std::string_view name) {
  for (int i = 0; i < static_cast<int>(topology.links.size()); ++i)
    if (topology.link_name(i) == name) return i;
  FAIL("no link " << name);
  return -1;
}

void print_deviation(std::string_view what, const std::array<double, 3>& found) {
  for (std::size_t s = 0; s < 3; ++s)
    fmt::print("{}: GPU 0 to {}: {:.2f} ms, measured {:.1f} ms: {:+.1f} %\n", what, kCopiedTo[s],
               found[s], kMeasured[s], 100 * (found[s] / kMeasured[s] - 1));
}

}  // namespace

TEST_CASE(
    "the puzzler: nominal links give the order of the three copies, and the ratio of NVLinks") {
  const auto found = copy_times(shipped_server("puzzler.toml"));
  print_deviation("nominal links", found);
  CHECK(found[0] < found[2]);
  CHECK(found[2] < found[1]);
  // Four NVLinks against two.
  CHECK(found[2] / found[0] == Approx(kMeasured[2] / kMeasured[0]).epsilon(0.05));
  // Bytes over the narrowest link: 100, 15.75 and 50 GB/s.
  CHECK(found[0] == Approx(400 / 100.0).epsilon(1e-3));
  CHECK(found[1] == Approx(400 / 15.75).epsilon(1e-3));
  CHECK(found[2] == Approx(400 / 50.0).epsilon(1e-3));
  // Nothing is faster than its links allow.
  for (std::size_t s = 0; s < 3; ++s) CHECK(found[s] < kMeasured[s]);
}

TEST_CASE("the puzzler: the author's measured matrix gives the three times within 5 %") {
  const auto found = copy_times(shipped_server("puzzler-measured.toml"));
  print_deviation("measured matrix", found);
  for (std::size_t s = 0; s < 3; ++s) CHECK(found[s] == Approx(kMeasured[s]).epsilon(0.05));
}

TEST_CASE("the puzzler: another link gives another answer, as it should") {
  const Topology server = shipped_server("puzzler.toml");
  const auto base = copy_times(server);

  Topology cut =
      server;  // without NVLinks between 0 and 1, both copies leave GPU 0 by its PCIe link
  cut.links.erase(cut.links.begin() + link_of(cut, "gpu0 - gpu1"));
  const auto shared = copy_times(cut);
  CHECK(shared[0] == Approx(2 * 400 / 15.75).epsilon(1e-3));
  CHECK(shared[1] == Approx(2 * 400 / 15.75).epsilon(1e-3));
  CHECK(shared[2] == Approx(base[2]));

  Topology added = server;  // two NVLinks between 0 and 2
  added.add_link({.a = 0, .b = 2, .bandwidth = 50e9, .back = 50e9, .latency = 500e-9});
  CHECK(copy_times(added)[1] == Approx(base[2]).epsilon(1e-3));

  Topology wider = server;  // the link between the sockets is not the narrowest
  wider.links[static_cast<std::size_t>(link_of(wider, "socket0 - socket1"))].bandwidth *= 2;
  CHECK(copy_times(wider)[1] == Approx(base[1]));
  Topology narrower = server;
  narrower.links[static_cast<std::size_t>(link_of(narrower, "socket0 - socket1"))].bandwidth = 5e9;
  CHECK(copy_times(narrower)[1] == Approx(400 / 5.0).epsilon(1e-3));

  const auto broken =
      make_network(server, {.failures = {{.link = link_of(server, "gpu0 - gpu1"), .at = 1e-3}}});
  broken->begin(0, 0, 1, 400'000'000);
  CHECK(1000 * broken->next_end() == Approx(1));  // the failure
  std::vector<Network::Ended> ended;
  broken->advance(0.001, ended);
  CHECK(1000 * broken->next_end() == Approx(1 + 300 / 15.75));
}
