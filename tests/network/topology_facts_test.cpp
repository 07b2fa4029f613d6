// Diameters and bisection bandwidths against the formulas of the literature.
#include "engine/network/topology_facts.h"

#include "engine/network/families/families.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

struct Figures {
  int diameter;
  double bisection;
  bool exact;
};

Figures figures_of(const std::string& family,
                   std::map<std::string, FamilyValue, std::less<>> values) {
  if (family != "gpu-cluster" && family != "pcie-server") values.emplace("bandwidth", 1.0);
  const Topology topology = generate({family, values});
  const auto bisection = find_bisection(topology);
  REQUIRE(bisection);
  return {find_diameter(topology).value_or(-1), bisection->bandwidth, bisection->exact};
}
FamilyValue count_of(std::vector<int> all) { return all; }

}  // namespace

TEST_CASE("diameter and bisection of direct networks are the known ones") {
  // Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3: one direction of each channel.
  const auto check = [](const Figures& found, int diameter, double bisection, bool exact) {
    CHECK(found.diameter == diameter);
    CHECK(found.bisection == bisection);
    CHECK(found.exact == exact);
  };
  check(figures_of("ring", {{"ranks", count_of({8})}}), 4, 2, true);
  check(figures_of("ring", {{"ranks", count_of({9})}}), 4, 2, true);
  check(figures_of("ring", {{"ranks", count_of({100})}}), 50, 2, false);
  check(figures_of("torus", {{"dimensions", count_of({4, 4})}}), 4, 8, true);
  check(figures_of("torus", {{"dimensions", count_of({4, 8})}}), 6, 8, false);
  check(figures_of("torus", {{"dimensions", count_of({4, 4, 4})}}), 6, 32, false);
  check(figures_of("hypercube", {{"dimensions", count_of({4})}}), 4, 8, true);
  check(figures_of("hypercube", {{"dimensions", count_of({7})}}), 7, 64, false);
  check(figures_of("fully-connected", {{"ranks", count_of({8})}}), 1, 16, true);
  check(figures_of("fully-connected", {{"ranks", count_of({7})}}), 1, 12, true);
}

TEST_CASE("diameter and bisection of networks of switches are the known ones") {
  const Figures star = figures_of("star", {{"ranks", count_of({8})}});
  CHECK((star.diameter == 2 && star.bisection == 4));
  const Figures tree = figures_of("fat-tree", {{"ports", count_of({4})}, {"up_bandwidth", 1.0}});
  CHECK((tree.diameter == 6 && tree.bisection == 8 && tree.exact));
  // Four edges in a half, each with two links up of a quarter.
  const Figures thin = figures_of(
      "fat-tree", {{"ports", count_of({4})}, {"up_bandwidth", 0.25e9}, {"bandwidth", 1e9}});
  CHECK(thin.bisection == 2e9);
  const Figures large = figures_of("fat-tree", {{"ports", count_of({8})}, {"up_bandwidth", 1.0}});
  CHECK((large.bisection == 64 && !large.exact));
  const Figures server =
      figures_of("pcie-server", {{"socket_bandwidth", 20e9}, {"pcie_bandwidth", 16e9}});
  CHECK((server.diameter == 5 && server.bisection == 20e9));
}

TEST_CASE("what is too large to wait for has no figures") {
  const Topology large = generate({"fat-tree", {{"ports", count_of({48})}}});
  CHECK_FALSE(find_bisection(large));
  CHECK_FALSE(find_diameter(large));
  CHECK_FALSE(find_bisection(generate({"uniform", {}})));
}
