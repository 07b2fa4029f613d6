// How many transfers networks carry in a second of a core: printed, not judged, and only when asked for ("[.speed]").
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "engine/core/base/random.h"
#include "engine/network/families/families.h"
#include "engine/network/flow/make_network.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

/// Keeps `at_once` transfers under way until so many have ended; each rank sends to its `reach`-th next ones.
void print_speed(std::string_view name, const Topology& topology, int at_once, int reach) {
  constexpr int kTransfers = 300'000;
  const auto network = make_network(topology);
  RandomNumbers random(1);
  const auto ranks = static_cast<std::uint64_t>(topology.ranks());
  const auto begin = [&](double now) {
    const std::uint64_t from = random.below(ranks);
    const std::uint64_t to = (from + 1 + random.below(static_cast<std::uint64_t>(reach))) % ranks;
    network->begin(now, static_cast<Rank>(from), static_cast<Rank>(to),
                   1000 + random.below(100'000));
  };
  const std::clock_t start = std::clock();
  for (int i = 0; i < at_once; ++i) begin(0);
  std::vector<Network::Ended> ended;
  int done = 0;
  while (done < kTransfers) {
    const double at = network->next_end();
    ended.clear();
    network->advance(at, ended);
    done += static_cast<int>(ended.size());
    for (std::size_t i = 0; i < ended.size(); ++i) begin(at);
  }
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{}: {:.0f} transfers a second, {} at once\n", name, done / took, at_once);
  CHECK(done >= kTransfers);
}

FamilyValue sizes(std::vector<int> all) { return all; }

}  // namespace

TEST_CASE("speed of networks", "[.speed]") {
  print_speed("uniform, 64 ranks", generate({"uniform", {{"ranks", sizes({64})}}}), 64, 63);
  print_speed("ring, 64 ranks, neighbours", generate({"ring", {{"ranks", sizes({64})}}}), 32, 1);
  print_speed("ring, 64 ranks, anybody", generate({"ring", {{"ranks", sizes({64})}}}), 64, 63);
  print_speed("star, 64 ranks", generate({"star", {{"ranks", sizes({64})}}}), 64, 63);
  print_speed("fat tree, 128 ranks", generate({"fat-tree", {{"ports", sizes({8})}}}), 128, 127);
  print_speed("torus, 4096 ranks, neighbours",
              generate({"torus", {{"dimensions", sizes({64, 64})}}}), 4096, 1);
}
