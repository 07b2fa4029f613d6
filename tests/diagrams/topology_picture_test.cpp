// Pictures of topologies: nothing beyond the page, nothing over each other, and a link's width is its bandwidth.
#include "engine/diagrams/network/topology_picture.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/families/families.h"
#include "engine/network/files/topology_file.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

const Mark& mark_of(const Scene& scene, const std::string& group) {
  for (const Mark& mark : scene.marks)
    if (mark.group >= 0 && scene.groups[static_cast<std::size_t>(mark.group)].id == group)
      return mark;
  FAIL("no " << group);
  return scene.marks.front();
}

TEST_CASE("topology pictures: every topology that is shipped fits its page, texts apart") {
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_root() / "assets/topologies")) {
    CAPTURE(entry.path().filename().string());
    const Topology topology = read_topology(entry.path());
    const Scene scene = topology_picture(topology, {}, PlainRuler());
    CHECK(outside_page(scene).empty());
    CHECK(overlapping_texts(scene).empty());
    const auto ranks = std::ranges::count_if(
        scene.groups, [](const Group& group) { return group.id.starts_with("rank-"); });
    CHECK(ranks == topology.ranks());
    const auto links = std::ranges::count_if(
        scene.groups, [](const Group& group) { return group.id.starts_with("link-"); });
    CHECK(links == static_cast<std::ptrdiff_t>(topology.links.size()));
  }
}

TEST_CASE(
    "topology pictures: widths are in proportion to bandwidths, a route is strong, loads are "
    "colours") {
  const Topology server = read_topology(test::source_root() / "assets/topologies/puzzler.toml");
  const Scene plain = topology_picture(server, {}, PlainRuler());
  CHECK(mark_of(plain, "link-0").line_width == Approx(2 * mark_of(plain, "link-8").line_width));
  TopologyPictureOptions options;
  options.route = {{0, false}};
  const Scene routed = topology_picture(server, options, PlainRuler());
  CHECK(mark_of(routed, "link-0").stroke->tone == Tone::accent);
  CHECK(mark_of(routed, "link-1").stroke->alpha < mark_of(plain, "link-1").stroke->alpha);
  options = {};
  options.loads.assign(server.links.size(), 0);
  options.loads[3] = 0.5;
  const Scene loaded = topology_picture(server, options, PlainRuler());
  CHECK((*mark_of(loaded, "link-3").stroke == Ink{Tone::load, 50}));
  CHECK(mark_of(loaded, "link-2").stroke->tone == Tone::grid);
}

TEST_CASE(
    "topology pictures: shown smaller, letters grow or are left out, a selected link is outlined") {
  const Topology tree = read_topology(test::source_root() / "assets/topologies/fat-tree.toml");
  const auto texts = [](const Scene& scene) {
    return std::ranges::count(scene.marks, Mark::Kind::text, &Mark::kind);
  };
  TopologyPictureOptions options;
  options.pane = true;
  const Scene plain = topology_picture(tree, options, PlainRuler());
  CHECK(texts(plain) == static_cast<std::ptrdiff_t>(tree.nodes.size()));  // and no legend
  options.letters = 2;
  const Scene large = topology_picture(tree, options, PlainRuler());
  CHECK(mark_of(large, "rank-3").box.width > mark_of(plain, "rank-3").box.width);
  CHECK(overlapping_texts(large).empty());
  CHECK(outside_page(large).empty());
  options.shown_at = 0.2;
  CHECK(texts(topology_picture(tree, options, PlainRuler())) == 0);
  options = {};
  options.pane = true;
  options.selected = 5;
  const auto accents = [](const Scene& scene) {
    return std::ranges::count_if(scene.marks, [](const Mark& mark) {
      return mark.stroke && mark.stroke->tone == Tone::accent;
    });
  };
  CHECK(accents(plain) == 0);
  CHECK(accents(topology_picture(tree, options, PlainRuler())) == 1);
}

TEST_CASE("topology pictures: a fat tree as approved") {
  const Topology tree = read_topology(test::source_root() / "assets/topologies/fat-tree.toml");
  test::check_golden("topology_fat_tree", to_text(topology_picture(tree, {}, PlainRuler())));
}

TEST_CASE("topology pictures: too many nodes are refused, places that are missing made up") {
  const Topology large = generate({"ring", {{"ranks", std::vector<int>{2000}}}});
  CHECK_THROWS_AS(topology_picture(large, {}, PlainRuler()), UserError);
  Topology placeless = generate({"ring", {{"ranks", std::vector<int>{6}}}});
  for (TopologyNode& node : placeless.nodes) node.x = node.y = 0;
  const Scene scene = topology_picture(placeless, {}, PlainRuler());
  CHECK(outside_page(scene).empty());
  CHECK(overlapping_texts(scene).empty());
}

}  // namespace
}  // namespace rankscope
