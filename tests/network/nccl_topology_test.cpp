// Topologies that NCCL wrote, and platforms for SimGrid.
#include "engine/network/files/nccl_topology.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/network/families/families.h"
#include "engine/network/files/simgrid_platform.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/router.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

/// Two GPUs with NVLinks under one PCIe switch, a third under the other socket, a NIC.
constexpr std::string_view kServer = R"(<system version="1">
  <cpu numaid="0" affinity="0000,0fffff00,000fffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79">
    <pci busid="0000:03:00.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:06:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
        <gpu dev="0" sm="70" rank="0" gdr="1">
          <nvlink target="0000:07:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:07:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
        <gpu dev="1" sm="70" rank="2" gdr="1">
          <nvlink target="0000:06:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:05:00.0" class="0x020700" link_speed="8 GT/s" link_width="8">
        <nic>
          <net name="mlx5_0" dev="0" speed="100000" port="1" guid="0x1" maxconn="131072" gdr="1"/>
        </nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="f" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79">
    <pci busid="0000:86:00.0" class="0x030200" link_speed="" link_width="0">
      <gpu dev="2" sm="70" rank="1" gdr="1"/>
    </pci>
  </cpu>
</system>
)";

constexpr std::string_view kSwitched = R"(<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:07:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="80"><nvlink target="0000:c4:00.0" count="2" tclass="0x068000"/>
        <nvlink target="0000:c5:00.0" count="4" tclass="0x068000"/></gpu>
    </pci>
    <pci busid="0000:0a:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="1" sm="80"><nvlink target="0000:c4:00.0" count="6" tclass="0x068000"/></gpu>
    </pci>
  </cpu>
</system>
)";

std::string way(const Topology& topology, Rank from, Rank to) {
  std::vector<Hop> route;
  REQUIRE(Router(topology).find(from, to, route));
  std::string out;
  for (const Hop& hop : route) out += (out.empty() ? "" : ", ") + topology.link_name(hop.link);
  return fmt::format("{}: {:.2f} GB/s", out, cost_of(topology, route).bandwidth / 1e9);
}

std::string refused(const std::string& text) {
  try {
    parse_nccl_topology(text, "topo.xml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("NCCL's topology: GPUs are ranks by their numbers, links have nominal bandwidths") {
  const Topology server = parse_nccl_topology(kServer, "topo.xml");
  REQUIRE(server.ranks() == 3);
  CHECK(server.name_of(server.rank_nodes[1]) == "gpu2");
  CHECK(way(server, 0, 2) == "gpu0 - gpu1: 50.00 GB/s");
  // By way of both sockets: 6 GB/s, which NCCL assumes for a Broadwell.
  CHECK(way(server, 0, 1) ==
        "gpu0 - pcie-03:00, pcie-03:00 - cpu0, cpu0 - cpu1, gpu2 - cpu1: 6.00 GB/s");
  bool has_nic = false;
  for (const TopologyLink& link : server.links)
    if (server.name_of(link.a) == "mlx5_0")
      has_nic = link.bandwidth == Approx(8e9 * 8 * 128 / 130 / 8);
  CHECK(has_nic);
  CHECK((parse_topology(to_toml(server), "x.toml") == server));
}

TEST_CASE("NCCL's topology: NVSwitches of a host are one, and its links add up") {
  const Topology server = parse_nccl_topology(kSwitched, "topo.xml");
  CHECK(way(server, 0, 1) == "gpu0 - nvswitch, gpu1 - nvswitch: 150.00 GB/s");
}

TEST_CASE("NCCL's topology: what is none is refused with its line") {
  CHECK(refused("") == "topo.xml:1: there is no element in it: this is no XML file");
  CHECK(refused("<graphs/>") ==
        "topo.xml:1: the first element is <graphs>, but NCCL writes <system>: is it another file?");
  CHECK(test::has(refused("<system version=\"1\"/>"), "there is no <gpu> in it"));
  CHECK(refused("<system>\n<gpu dev=\"0\"/></system>") == "topo.xml:2: <gpu> stands in no <cpu>");
  CHECK(test::has(refused("<system>\n<cpu numaid=\"x\"/></system>"),
                  "topo.xml:2: numaid=\"x\" must be a whole number"));
  RandomNumbers random(5);
  int read = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text(round % 2 == 0 ? kServer : kSwitched);
    for (std::uint64_t edit = 0; edit <= random.below(3); ++edit) {
      const std::size_t at = random.below(text.size());
      if (random.below(2) == 0) text.erase(at, 1 + random.below(30));
      else text[at] = "<>/\"= 0a9-&"[random.below(11)];
    }
    try {
      const Topology topology = parse_nccl_topology(text, "topo.xml");
      CHECK_FALSE(find_fault(topology));
      ++read;
    } catch (const UserError& error) {
      if (!test::has(error.what(), "topo.xml:")) FAIL(error.what() << "\n" << text);
    }
  }
  CHECK(read > 100);
}

TEST_CASE("SimGrid's platform has a link for each direction, and every pair's route") {
  const std::string star = to_simgrid(
      generate({"star", {{"ranks", std::vector<int>{3}}, {"bandwidth", 1e9}, {"latency", 1e-6}}}));
  const auto count = [](const std::string& text, std::string_view part) {
    int out = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
  };
  CHECK(count(star, "<host ") == 3);
  CHECK(count(star, "<link ") == 6);
  CHECK(count(star, "<route ") == 6);
  CHECK(test::has(star,
                  "<link id=\"link-1-back\" bandwidth=\"1000000000Bps\" latency=\"1e-06s\" "
                  "sharing_policy=\"SHARED\"/>"));
  CHECK(test::has(
      star,
      "<route src=\"rank-2\" dst=\"rank-0\" symmetrical=\"NO\"><link_ctn id=\"link-2-there\"/>"
      "<link_ctn id=\"link-0-back\"/></route>"));
  const std::string half = to_simgrid(
      generate({"star", {{"ranks", std::vector<int>{3}}, {"duplex", std::string("half")}}}));
  CHECK(count(half, "<link ") == 3);
  Topology uniform = generate({"uniform", {{"ranks", std::vector<int>{3}}}});
  CHECK_THROWS_WITH(to_simgrid(uniform), ContainsSubstring("give the model a 'beta'"));
  uniform.model.beta = 1e-9;
  CHECK(count(to_simgrid(uniform), "<link ") == 6);
}
