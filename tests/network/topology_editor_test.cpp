// Topologies that are changed: every change goes both ways, and bad ones leave everything as it was.
#include "engine/network/topology_editor.h"

#include <cmath>
#include <limits>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/network/families/families.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/router.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

Topology ring_of(int ranks) { return generate({"ring", {{"ranks", std::vector<int>{ranks}}}}); }

LinkTerms terms(double rate, double latency = 1e-6) { return {rate, rate, latency}; }

/// Some change that is possible.
void change_somehow(TopologyEditor& editor, RandomNumbers& random) {
  const Topology& now = editor.topology();
  const auto nodes = now.nodes.size(), links = now.links.size();
  const auto link = links == 0 ? 0 : static_cast<int>(random.below(links));
  const auto node = static_cast<int>(random.below(nodes));
  const double rate = 1e9 * static_cast<double>(1 + random.below(50));
  switch (random.below(4)) {
    case 0:
      editor.add_link(
          node, (node + 1 + static_cast<int>(random.below(nodes - 1))) % static_cast<int>(nodes),
          terms(rate));
      break;
    case 1:
      if (links > 0) editor.cut(link);
      break;
    case 2:
      if (links > 0) editor.change_link(link, terms(rate, 2e-6));
      break;
    default:  // beside all others
      editor.move(node, 10.0 * node + 7, static_cast<double>(random.below(100)) / 10);
  }
}

}  // namespace

TEST_CASE("topology editor: a thousand changes are undone and made again one by one") {
  TopologyEditor editor(open_topology("puzzler"));
  RandomNumbers random(21);
  std::vector<Topology> states{editor.topology()};
  for (int i = 0; i < 1000; ++i) {
    const auto before = editor.undoable();
    change_somehow(editor, random);
    if (editor.undoable() > before) states.push_back(editor.topology());
  }
  REQUIRE(states.size() > 900);
  for (std::size_t i = states.size() - 1; i-- > 0;) {
    REQUIRE(editor.undo());
    REQUIRE((editor.topology() == states[i]));
  }
  CHECK_FALSE(editor.undo());
  CHECK_FALSE(editor.changed());
  for (std::size_t i = 1; i < states.size(); ++i) {
    REQUIRE(editor.redo());
    REQUIRE((editor.topology() == states[i]));
  }
  CHECK_FALSE(editor.redo());
}

TEST_CASE("topology editor: a change after undo leaves nothing to redo") {
  TopologyEditor editor(ring_of(4));
  editor.cut(0);
  editor.cut(0);
  CHECK(editor.undo());
  CHECK(editor.redoable() == 1);
  editor.add_link(0, 2, terms(1e9));
  CHECK(editor.redoable() == 0);
  CHECK(editor.undoable() == 2);
  // What was saved lay on the way that is gone.
  TopologyEditor saved(ring_of(4));
  saved.cut(0);
  saved.saved();
  CHECK_FALSE(saved.changed());
  saved.undo();
  CHECK(saved.changed());
  saved.cut(1);
  CHECK(saved.changed());
  saved.undo();
  CHECK(saved.changed());
}

TEST_CASE("topology editor: a family's topology is saved with its links once it is changed") {
  TopologyEditor editor(ring_of(4));
  CHECK(to_toml(editor.topology()).find("[family]") != std::string::npos);
  editor.add_link(0, 2, terms(5e9, 2e-6));
  const std::string text = to_toml(editor.topology());
  CHECK(text.find("family") == std::string::npos);
  CHECK((parse_topology(text, "edited.toml") == editor.topology()));
  editor.undo();
  CHECK((editor.topology() == ring_of(4)));
}

TEST_CASE("topology editor: what makes no link is refused and changes nothing") {
  TopologyEditor editor(ring_of(4));
  const Topology before = editor.topology();
  CHECK_THROWS_AS(editor.add_link(0, 0, terms(1e9)), UserError);
  CHECK_THROWS_AS(editor.add_link(0, 2, terms(0)), UserError);
  CHECK_THROWS_AS(editor.add_link(0, 2, terms(-5)), UserError);
  CHECK_THROWS_AS(editor.add_link(0, 2, terms(1e9, -1)), UserError);
  CHECK_THROWS_AS(editor.change_link(1, terms(std::numeric_limits<double>::infinity())), UserError);
  CHECK_THROWS_AS(editor.move(1, std::nan(""), 0), UserError);
  CHECK_THROWS_WITH(editor.move(1, before.nodes[2].x, before.nodes[2].y),
                    ContainsSubstring("'r1' would lie on 'r2'"));
  CHECK((editor.topology() == before));
  CHECK(editor.undoable() == 0);
  TopologyEditor uniform(open_topology("uniform"));
  CHECK_THROWS_AS(uniform.add_link(0, 1, terms(1e9)), UserError);
}

TEST_CASE("topology editor: given routes go with the link that they need, and come back") {
  Topology square = ring_of(4);
  square.family = {};
  square.routes.push_back({{square.rank_nodes[0], square.rank_nodes[1], square.rank_nodes[2]}});
  square.routes.push_back(
      {{square.rank_nodes[0], square.rank_nodes[3], square.rank_nodes[2], square.rank_nodes[1]}});
  TopologyEditor editor(square);
  const auto links = links_between(square, square.rank_nodes[1], square.rank_nodes[2]);
  REQUIRE(links.size() == 1);
  editor.cut(links.front());
  CHECK(editor.topology().routes.empty());
  CHECK_FALSE(find_fault(editor.topology()));
  std::vector<Hop> route;
  CHECK(Router(editor.topology()).find(1, 2, route));
  CHECK(route.size() == 3);
  editor.undo();
  CHECK((editor.topology() == square));
}

TEST_CASE("topology editor: ranks that are cut off are named") {
  TopologyEditor editor(ring_of(4));
  CHECK(unreachable_text(editor.topology()).empty());
  editor.cut(links_between(editor.topology(), 0, 1).front());
  CHECK(unreachable_text(editor.topology()).empty());
  editor.cut(links_between(editor.topology(), 0, 3).front());
  CHECK(unreachable_text(editor.topology()) == "rank 0 reaches no other rank");
  editor.add_link(0, 1, terms(1e9));
  editor.cut(links_between(editor.topology(), 1, 2).front());
  CHECK(unreachable_text(editor.topology()) ==
        "ranks 0 and 2, 0 and 3, 1 and 2, 1 and 3 do not reach each other");
  while (!editor.topology().links.empty()) editor.cut(0);
  CHECK(unreachable_text(editor.topology()) == "no rank reaches another one");
}

TEST_CASE("topology editor: nodes are known by name and by rank") {
  const Topology server = open_topology("puzzler");
  CHECK(node_named(server, "socket1") == 9);
  CHECK(node_named(server, "3") == server.rank_nodes[3]);
  CHECK_THROWS_WITH(node_named(server, "sokcet1"), ContainsSubstring("socket1"));
  CHECK_THROWS_AS(node_named(server, "8"), UserError);
  CHECK(usual_terms(server, node_named(server, "socket0")).bandwidth == Approx(15.75e9));
}
