// Synthesised schedules: proved right, near the bound, and refused where there is no way.
#include <algorithm>
#include <set>
#include <tuple>

#include "engine/core/base/error.h"
#include "engine/studio/proof/proof.h"
#include "engine/studio/synthesis/synthesise.h"
#include "tests/studio/studio_schedules.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using enum Collective;

namespace {

constexpr double kBandwidth = 1e9;

SynthesisResult found(const LinkList& links, Collective collective, std::uint64_t bytes = 1 << 20) {
  return synthesise(links, {.collective = collective, .bytes = bytes});
}
void check_found(std::string_view network, Collective collective, double share) {
  const LinkList links = named_links(network, 0, kBandwidth);
  const auto result = found(links, collective);
  INFO(network << " " << to_string(collective) << ": " << result.bound / result.seconds
               << " of the bound, " << result.steps << " steps, " << result.chunks_per_rank
               << " chunks each");
  CHECK(result.bound / result.seconds >= share);
  CHECK(result.bound <= result.seconds * (1 + 1e-9));
  const auto tasks =
      posted_tasks(result.schedule, schedule_use(collective, links.ranks), Posting::nonblocking);
  const auto proof = prove(tasks);
  INFO((proof.right() ? "" : proof.faults.front().words));
  CHECK(proof.right());
  // Messages go along links only, one at a time on each.
  std::set<std::pair<Rank, Rank>> known;
  for (const auto& link : links.links) known.emplace(link.from, link.to);
  std::set<std::tuple<int, Rank, Rank>> taken;
  int off_links = 0, at_once = 0;
  for (const auto& move : result.schedule.moves) {
    off_links += known.contains({move.from, move.to}) ? 0 : 1;
    at_once += taken.emplace(move.step, move.from, move.to).second ? 0 : 1;
  }
  CHECK(off_links == 0);
  CHECK(at_once == 0);
}

}  // namespace

TEST_CASE("synthesised schedules reach 95 % of the bandwidth bound", "[studio]") {
  for (const char* network :
       {"ring:2", "ring:4", "ring:5", "ring:8", "ring:16", "hypercube:4", "hypercube:8",
        "hypercube:16", "full:2", "full:4", "full:8", "full:16"})
    for (const Collective collective : {allgather, reduce_scatter, allreduce})
      check_found(network, collective, 0.95);
}

TEST_CASE("larger networks reach 95 % of the bandwidth bound", "[studio]") {
  for (const char* network : {"ring:64", "hypercube:64", "full:64"})
    check_found(network, allgather, 0.95);
}

TEST_CASE("other networks get right schedules", "[studio]") {
  check_found("star:8", allreduce, 0.9);
  check_found("torus:4x4", allreduce, 0.85);
  check_found("torus:2x3", allgather, 0.6);
}

TEST_CASE("links of different bandwidths carry what they can", "[studio]") {
  // A ring of four with one slow link: the bytes take the other way round.
  LinkList links = named_links("ring:4", 0, kBandwidth);
  for (auto& link : links.links)
    if (link.from + link.to == 1) link.bandwidth = kBandwidth / 10;
  const auto slow = found(links, allgather);
  LinkList ring{"one way", 4, {}};
  for (Rank r = 0; r < 4; ++r)
    ring.links.push_back({r, wrap(r + 1, 4), 0, r == 0 ? kBandwidth / 10 : kBandwidth});
  const auto one_way = found(ring, allgather);
  CHECK(
      prove(posted_tasks(slow.schedule, schedule_use(allgather, 4), Posting::nonblocking)).right());
  CHECK(slow.seconds < one_way.seconds / 5);
  CHECK(slow.bound <= slow.seconds);
}

TEST_CASE("the same seed finds the same schedule", "[studio]") {
  const LinkList links = named_links("torus:3x3", 1e-6, kBandwidth);
  const SynthesisTask task{.collective = allreduce, .seed = 4};
  CHECK(synthesise(links, task).schedule == synthesise(links, task).schedule);
}

TEST_CASE("topologies give links between ranks, with what they share", "[studio]") {
  // Two ranks behind each of two switches: 0 and 1 reach 2 and 3 over one cable.
  Topology two;
  const int left = two.add_node({.name = "left", .kind = NodeKind::network_switch});
  const int right = two.add_node({.name = "right", .kind = NodeKind::network_switch});
  for (int r = 0; r < 4; ++r)
    two.add_link({.a = two.add_node({.name = fmt::format("gpu{}", r)}),
                  .b = r < 2 ? left : right,
                  .bandwidth = kBandwidth,
                  .back = kBandwidth});
  two.add_link({.a = left,
                .b = right,
                .bandwidth = kBandwidth / 2,
                .back = kBandwidth / 2,
                .latency = 1e-6});
  two.model.ports = PortModel::none;
  const LinkList links = links_of(two, "two");
  CHECK(links.links.size() == 12);
  CHECK(links.shared.size() == 10);  // each link of the topology in both directions
  const auto across = *std::ranges::find_if(
      links.links, [](const auto& one) { return one.from == 0 && one.to == 3; });
  CHECK(across.bandwidth == kBandwidth / 2);
  CHECK(across.latency == Approx(1e-6));
  CHECK(across.uses.size() == 3);
  const auto gathered = found(links, allgather);
  CHECK(prove(posted_tasks(gathered.schedule, schedule_use(allgather, 4), Posting::nonblocking))
            .right());
  // Each side needs the other's two blocks over half the bandwidth.
  CHECK(gathered.seconds >= 2.0 * (1 << 20) / (kBandwidth / 2));
  CHECK(gathered.seconds < 2.6 * (1 << 20) / (kBandwidth / 2));
  two.model.ports = PortModel::full;
  CHECK(links_of(two, "two").shared.size() == 18);
  Topology uniform;
  uniform.uniform_ranks = 4;
  uniform.model.beta = 1 / kBandwidth;
  CHECK(found(links_of(uniform, "uniform"), allgather).seconds ==
        Approx(3.0 * (1 << 20) / kBandwidth));
  uniform.model.beta = 0;
  CHECK_THROWS_WITH(links_of(uniform, "uniform"), Catch::Contains("a beta above 0"));
  uniform.uniform_ranks = 200;
  CHECK_THROWS_WITH(links_of(uniform, "uniform"), Catch::Contains("2 to 128"));
}

TEST_CASE("networks without a way are refused, and names that are none", "[studio]") {
  LinkList links = named_links("ring:4", 0, 1);
  CHECK_THROWS_WITH(found(links, broadcast), Catch::Contains("choose allgather"));
  links.links.resize(4);
  CHECK_THROWS_WITH(check_links(links), Catch::Contains("rank 0 cannot reach rank 3"));
  std::erase_if(links.links, [](const auto& one) { return one.from == 1; });
  CHECK_THROWS_WITH(check_links(links), Catch::Contains("add a link"));
  links.links.front().bandwidth = -1;
  CHECK_THROWS_WITH(check_links(links), Catch::Contains("bandwidth above 0"));
  CHECK_THROWS_WITH(named_links("ring", 0, 1), Catch::Contains("ring:N"));
  CHECK_THROWS_WITH(named_links("hypercube:6", 0, 1), Catch::Contains("power of two"));
  CHECK_THROWS_WITH(named_links("ring:129", 0, 1), Catch::Contains("2 to 128"));
}
