// Transfers that share links: against a solver that tries nothing clever, and by hand.
#include <cmath>
#include <limits>
#include <map>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/network/families/families.h"
#include "engine/network/flow/fair_shares.h"
#include "engine/network/flow/make_network.h"
#include "engine/network/router.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

/// Rates by the definition: fill all at the same pace; what passes a full link stops growing.
std::vector<double> filled(const std::vector<double>& capacities,
                           const std::vector<std::vector<unsigned>>& flows) {
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> fixed(flows.size(), false);
  for (std::size_t left = flows.size(); left > 0;) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t tightest = 0;
    const auto on = [&](std::size_t flow, std::size_t link) {
      return std::find(flows[flow].begin(), flows[flow].end(), link) != flows[flow].end();
    };
    for (std::size_t link = 0; link < capacities.size(); ++link) {
      double used = 0, open = 0;
      for (std::size_t flow = 0; flow < flows.size(); ++flow)
        if (on(flow, link)) fixed[flow] ? used += rates[flow] : open += 1;
      if (open > 0 && (capacities[link] - used) / open < least)
        least = (capacities[link] - used) / open, tightest = link;
    }
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      if (!fixed[flow] && on(flow, tightest)) fixed[flow] = true, rates[flow] = least, --left;
  }
  return rates;
}

std::vector<unsigned> random_uses(RandomNumbers& random, unsigned links) {
  std::vector<unsigned> out;
  for (unsigned link = 0; link < links; ++link)
    if (random.below(3) == 0) out.push_back(link);
  if (out.empty()) out.push_back(static_cast<unsigned>(random.below(links)));
  return out;
}

TopologyLink link_between(int a, int b, double bandwidth, Duplex duplex = Duplex::full) {
  return {
      .a = a, .b = b, .bandwidth = bandwidth, .back = bandwidth, .latency = 0.5, .duplex = duplex};
}

/// Two ranks at the left, two at the right, one link between two switches.
Topology dumbbell(double middle, Duplex duplex = Duplex::full) {
  Topology out;
  for (const char* name : {"a", "b", "c", "d"}) out.add_node({.name = name, .forwards = false});
  const int left = out.add_node({.name = "left", .kind = NodeKind::network_switch});
  const int right = out.add_node({.name = "right", .kind = NodeKind::network_switch});
  for (int rank = 0; rank < 4; ++rank)
    out.add_link(link_between(rank, rank < 2 ? left : right, 10));
  out.add_link(link_between(left, right, middle, duplex));
  return out;
}

std::map<TransferId, Network::Ended> run_to_end(Network& network) {
  std::map<TransferId, Network::Ended> out;
  std::vector<Network::Ended> ended;
  for (double at = network.next_end(); std::isfinite(at); at = network.next_end()) {
    ended.clear();
    network.advance(at, ended);
    for (const auto& one : ended) out.emplace(one.id, one);
  }
  return out;
}

}  // namespace

TEST_CASE("fair shares: what is kept up to date is what the definition gives") {
  RandomNumbers random(7);
  for (int round = 0; round < 60; ++round) {
    const auto links = static_cast<unsigned>(1 + random.below(8));
    std::vector<double> capacities;
    for (unsigned i = 0; i < links; ++i)
      capacities.push_back(1.0 + static_cast<double>(random.below(20)));
    FairShares shares(capacities);
    std::map<FairShares::Flow, std::vector<unsigned>> under_way;
    for (int step = 0; step < 25; ++step) {
      if (!under_way.empty() && random.below(3) == 0) {
        const auto one =
            std::next(under_way.begin(), static_cast<long>(random.below(under_way.size())));
        shares.remove(one->first);
        under_way.erase(one);
      } else {
        const auto uses = random_uses(random, links);
        under_way.emplace(shares.add(uses), uses);
      }
      if (random.below(4) == 0) continue;  // several changes at once
      shares.update();
      std::vector<std::vector<unsigned>> flows;
      for (const auto& [flow, uses] : under_way) flows.push_back(uses);
      const auto expected = filled(capacities, flows);
      std::size_t i = 0;
      for (const auto& [flow, uses] : under_way)
        CHECK(shares.rate(flow) == Approx(expected[i++]).epsilon(1e-12));
    }
  }
}

TEST_CASE("fair shares: weights divide what limits, and no more") {
  FairShares shares({12, 4});
  shares.add(std::vector<unsigned>{0}, 1);
  shares.add(std::vector<unsigned>{0}, 3);
  shares.update();
  CHECK(shares.rate(0) == 3);
  CHECK(shares.rate(1) == 9);
  shares.add(std::vector<unsigned>{0, 1}, 8);  // its other link allows it 4
  shares.update();
  CHECK(shares.rate(2) == 4);
  CHECK(shares.rate(0) == 2);
  CHECK(shares.rate(1) == 6);
}

TEST_CASE("a shared network: by latency, a farther transfer gets less of a link") {
  Topology line;  // a - b - c, each link of 1 s
  for (const char* name : {"a", "b", "c"}) line.add_node({.name = name});
  for (int i = 0; i < 2; ++i)
    line.add_link({.a = i, .b = i + 1, .bandwidth = 9, .back = 9, .latency = 1});
  const auto network = make_network(line, {.failures = {}, .sharing = Sharing::by_latency});
  network->begin(0, 0, 1, 60);
  network->begin(0, 0, 2, 60);
  CHECK(network->next_end() == 10);  // 6 and 3 bytes a second
  const auto equal = make_network(line);
  equal->begin(0, 0, 1, 60);
  equal->begin(0, 0, 2, 60);
  CHECK(equal->next_end() == Approx(60 / 4.5));
}

TEST_CASE("fair shares: a change elsewhere looks at nothing else") {
  FairShares shares({10, 10});
  shares.add(std::vector<unsigned>{0});
  CHECK(shares.update().size() == 1);
  shares.add(std::vector<unsigned>{1});
  CHECK(shares.update().size() == 1);
  CHECK(shares.looked_at().size() == 1);
  shares.add(std::vector<unsigned>{1});
  CHECK(shares.update().size() == 2);
  CHECK(shares.rate(1) == 5);
}

TEST_CASE("a shared network: two transfers halve the link that both use") {
  const auto network = make_network(dumbbell(10));
  CHECK(network->latency(0, 2) == 1.5);
  CHECK(network->latency(0, 1) == 1);
  CHECK(network->bandwidth(0, 2) == 10);
  CHECK(network->begin(0, 0, 2, 100) == 1);
  CHECK(network->next_end() == 10);
  CHECK(network->begin(5, 1, 3, 100) == 2);  // 50 bytes of the first are left: 5 each from now on
  CHECK(network->next_end() == 15);
  CHECK(network->begin(5, 3, 1, 100) == 3);  // the other direction is free
  const auto ended = run_to_end(*network);
  CHECK(ended.at(1).at == 15);
  CHECK(ended.at(2).at == 20);
  CHECK(ended.at(3).at == 15);
}

TEST_CASE("a shared network: both directions of a half-duplex link share it") {
  const auto network = make_network(dumbbell(10, Duplex::half));
  network->begin(0, 0, 2, 100);
  network->begin(0, 3, 1, 100);
  const auto ended = run_to_end(*network);
  CHECK(ended.at(1).at == 20);
  CHECK(ended.at(2).at == 20);
}

TEST_CASE("a shared network: nothing takes no time, and what is cancelled gives its share back") {
  const auto network = make_network(dumbbell(10));
  network->begin(1, 0, 2, 0);
  network->begin(1, 2, 2, 50);
  std::vector<Network::Ended> ended;
  CHECK(network->next_end() == 1);
  network->advance(1, ended);
  REQUIRE(ended.size() == 2);
  CHECK((ended[0].id == 1 && ended[1].id == 2 && ended[1].at == 1));
  network->begin(1, 0, 2, 100);
  const TransferId second = network->begin(1, 1, 3, 100);
  CHECK(network->next_end() == 21);
  network->begin(6, 0, 1, 0);
  network->cancel(second);
  CHECK(run_to_end(*network).at(3).at == 6 + 75.0 / 10);
  CHECK(std::isinf(network->next_end()));
}

TEST_CASE("a shared network: a broken link is routed around, or ends what was on it") {
  Topology square =
      generate({"ring", {{"ranks", std::vector<int>{4}}, {"bandwidth", 10.0}, {"latency", 1.0}}});
  const auto network = make_network(square, {.failures = {{.link = 0, .at = 4}}});
  network->begin(0, 0, 1, 100);
  network->begin(0, 3, 2, 100);  // shares the way round from 4 on
  CHECK(network->latency(0, 1) == 1);
  const auto ended = run_to_end(*network);
  CHECK(network->latency(0, 1) == 3);
  CHECK_FALSE(ended.at(1).failed);
  CHECK(ended.at(1).at == 16);
  CHECK(ended.at(2).at == 16);

  const auto cut = make_network(dumbbell(10), {.failures = {{.link = 4, .at = 2}}});
  cut->begin(0, 0, 2, 100);
  cut->begin(0, 0, 1, 100);
  const auto after = run_to_end(*cut);
  CHECK((after.at(1).failed && after.at(1).at == 2));
  CHECK(after.at(2).at == 2 + (100 - 2 * 5.0) / 10);
  CHECK_THROWS_WITH(cut->latency(0, 2), ContainsSubstring("rank 0 cannot reach rank 2"));
  cut->begin(20, 1, 3, 5);
  CHECK(run_to_end(*cut).at(3).failed);
  CHECK_THROWS_AS(make_network(dumbbell(10), {.failures = {{.link = 5, .at = 2}}}), UserError);
}

TEST_CASE("a shared network: random transfers end when steps by the definition say") {
  RandomNumbers random(11);
  for (int round = 0; round < 20; ++round) {
    const Topology topology =
        generate({"torus", {{"dimensions", std::vector<int>{3, 3}}, {"bandwidth", 8.0}}});
    const Router router(topology);
    const auto network = make_network(topology);
    struct Under {
      std::vector<unsigned> uses;
      double left;
    };
    std::map<TransferId, Under> under_way;
    std::map<TransferId, double> expected;
    double now = 0;
    std::vector<double> capacities(2 * topology.links.size(), 8.0);
    const auto step_to = [&](double until) {
      while (!under_way.empty()) {
        std::vector<std::vector<unsigned>> flows;
        for (const auto& [id, one] : under_way) flows.push_back(one.uses);
        const auto rates = filled(capacities, flows);
        double next = until;
        std::size_t i = 0;
        for (const auto& [id, one] : under_way) next = std::min(next, now + one.left / rates[i++]);
        i = 0;
        for (auto& [id, one] : under_way) one.left -= rates[i++] * (next - now);
        now = next;
        std::erase_if(under_way, [&](const auto& one) {
          if (one.second.left > 1e-9) return false;
          expected[one.first] = now;
          return true;
        });
        if (now >= until) return;
      }
      if (std::isfinite(until)) now = until;
    };
    for (int i = 0; i < 25; ++i) {
      step_to(now + static_cast<double>(random.below(4)));
      const auto from = static_cast<Rank>(random.below(9)),
                 to = static_cast<Rank>((from + 1 + random.below(8)) % 9);
      const std::uint64_t bytes = 1 + random.below(100);
      const TransferId id = network->begin(now, from, to, bytes);
      std::vector<Hop> route;
      REQUIRE(router.find(from, to, route));
      Under one{{}, static_cast<double>(bytes)};
      for (const Hop& hop : route)
        one.uses.push_back(2U * static_cast<unsigned>(hop.link) + hop.back);
      under_way.emplace(id, one);
    }
    step_to(std::numeric_limits<double>::infinity());
    const auto ended = run_to_end(*network);
    REQUIRE(ended.size() == 25);
    for (const auto& [id, one] : ended) CHECK(one.at == Approx(expected.at(id)).epsilon(1e-9));
  }
}

TEST_CASE("loads of links are steps whose sum is what was sent") {
  const Topology topology = dumbbell(10);
  LinkLoads loads(static_cast<int>(topology.links.size()));
  const auto network = make_network(topology, {.failures = {}, .observer = &loads});
  network->begin(0, 0, 2, 100);
  network->begin(5, 1, 3, 100);
  network->begin(5, 2, 0, 30);
  run_to_end(*network);
  const std::vector<LinkLoads::Step> first{{0, 10}, {5, 5}, {15, 0}};
  CHECK(std::vector<LinkLoads::Step>(loads.steps(0, false).begin(), loads.steps(0, false).end()) ==
        first);
  CHECK(loads.load(4, false, 7) == 10);
  CHECK(loads.bytes(4, false, 0, 100) == Approx(200));
  CHECK(loads.bytes(4, true, 0, 100) == Approx(30));
  CHECK(loads.load(4, true, 4) == 0);
}
