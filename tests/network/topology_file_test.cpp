// Topology files: what is wrong with one is said by line, and what is written reads as the same.
#include "engine/network/files/topology_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/network/families/families.h"
#include "engine/network/files/sized_topology.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;

namespace {

std::string fault_in(const std::string& text) {
  try {
    parse_topology(text, "x.toml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kPair = R"(ranks_forward = true
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
between = ["a", "b"]
bandwidth = "10 GB/s"
)";

std::string pair_with(std::string_view more) { return std::string(kPair) + std::string(more); }

std::filesystem::path shipped_folder() { return test::source_root() / "assets/topologies"; }

}  // namespace

TEST_CASE("topology files: a mistake is said with its line and what to do") {
  CHECK(fault_in(std::string(kPair)) == "");
  CHECK(fault_in(pair_with("latensy = 1\n")) ==
        "x.toml:9: there is no 'latensy' here; did you mean 'latency'?");
  CHECK(fault_in("[family]\nname = \"rin\"\n") ==
        "x.toml:1: there is no family 'rin'; did you mean 'ring'?");
  CHECK(fault_in("[family]\nname = \"ring\"\nrank = 4\n") ==
        "x.toml:3: there is no 'rank' here; did you mean 'ranks'?");
  CHECK(fault_in("[family]\nname = \"ring\"\nranks = 1\n") ==
        "x.toml:3: ranks: 2 to 100000, not 1");
  CHECK(fault_in("[family]\nname = \"ring\"\nbandwidth = -5\n") ==
        "x.toml:3: 'bandwidth' must be above 0, not -5");
  CHECK(fault_in("[family]\nname = \"ring\"\nlatency = \"5 ly\"\n") ==
        "x.toml:3: 'latency': '5 ly' is not a time: write it as 850ns, 5us, 0.1ms or 2s");
  CHECK(fault_in("[family]\nname = \"torus\"\ndimensions = [\"4\"]\n") ==
        "x.toml:3: 'dimensions': whole numbers are expected");
  CHECK(fault_in("[family]\nname = \"ring\"\n[[node]]\nname = \"a\"\n") ==
        "x.toml:3: a generated topology has no 'node': remove [family] or this");
  CHECK(fault_in("[family]\nname = \"fat-tree\"\nports = 5\n") ==
        "x.toml:1: ports: a fat tree's switches have an even number of ports");
  CHECK(fault_in("title = \"empty\"\n") ==
        "x.toml:1: there is no topology here: name a family in [family], or nodes in [[node]]");
}

TEST_CASE("topology files: links, nodes and routes that cannot be") {
  const auto link = [](std::string_view fields) {
    return fault_in(
        fmt::format("ranks_forward = true\nnode = [{{name = \"a\"}}, {{name = \"b\"}}]\n"
                    "[[link]]\n{}",
                    fields));
  };
  CHECK(link("between = [\"a\", \"b\"]\nbandwidth = 0\n") ==
        "x.toml:3: its bandwidth must be above 0, not 0 bytes per second");
  CHECK(test::has(link("between = [\"a\", \"b\"]\nbandwidth = \"-1 GB/s\"\n"),
                  "x.toml:5: 'bandwidth': '-1 GB/s' is not"));
  CHECK(link("between = [\"a\", \"bb\"]\nbandwidth = 1\n") ==
        "x.toml:4: there is no node 'bb'; did you mean 'b'?");
  CHECK(link("between = [\"a\"]\nbandwidth = 1\n") ==
        "x.toml:3: a link needs 'between' with two nodes, such as [\"a\", \"b\"]");
  CHECK(link("between = [\"a\", \"a\"]\nbandwidth = 1\n") ==
        "x.toml:3: it leads from 'a' to itself: name two nodes");
  CHECK(link("between = [\"a\", \"b\"]\nbandwidth = [1, 2]\nduplex = \"half\"\n") ==
        "x.toml:3: the directions of a half-duplex link share one bandwidth: give one");
  CHECK(link("between = [\"a\", \"b\"]\nbandwidth = 1\nduplex = \"hlf\"\n") ==
        "x.toml:6: 'hlf' is no duplex; did you mean 'half'?");
  CHECK(link("between = [\"a\", \"b\"]\nbandwidth = nan\n") ==
        "x.toml:3: its bandwidth must be above 0, not nan bytes per second");
  CHECK(link("between = [\"a\", \"b\"]\n") ==
        "x.toml:3: a link needs a 'bandwidth', such as \"10 GB/s\", or two: there and back");
  CHECK(test::has(fault_in("node = [{name = \"a\"},\n {name = \"b\"}]\n"),
                  "x.toml:2: rank 0 ('a') cannot reach rank 1 ('b')"));
  CHECK(test::has(fault_in("node = [{name = \"a\"},\n {name = \"a\"}]\n"),
                  "x.toml:2: there is another node 'a'"));
  CHECK(fault_in(pair_with("[[route]]\nnodes = [\"a\", \"spine\"]\n")) ==
        "x.toml:10: there is no node 'spine'; add it as a [[node]]");
  CHECK(fault_in(pair_with("[[route]]\nnodes = [\"a\"]\n")) ==
        "x.toml:9: a route leads from a rank to another one");
  CHECK(fault_in(pair_with("[model]\nports = \"two\"\n")) ==
        "x.toml:10: 'two' is no ports; choose full, half, none");
  CHECK(fault_in(pair_with("[model]\nalpha = -1\n")) ==
        "x.toml:10: 'alpha' is 0 to 1000 seconds, not -1");
  CHECK(test::has(fault_in(pair_with("[model]\nbeta = \"1 GB/s\"\n")),
                  "x.toml:10: 'beta' is of a uniform network only"));
}

TEST_CASE("topology files: too many links and too large files are refused with a limit") {
  std::string text = "ranks_forward = true\nnode = [{name = \"a\"}, {name = \"b\"}]\nlink = [\n";
  for (int i = 0; i <= kMostLinks; ++i) text += "1,\n";
  CHECK(fault_in(text + "]\n") == "x.toml:200004: 200001 of 'link' are too many: at most 200000");
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("rankscope-links-{}.toml", ::getpid());
  {
    std::ofstream out(file);
    for (int i = 0; i < 1'000'000; ++i) out << "[[link]]\nbetween=[\"a\",\"b\"]\n";
  }
  CHECK_THROWS_WITH(read_topology(file), ContainsSubstring("at most 16777216 are read"));
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(read_topology("/nowhere/x.toml"), ContainsSubstring("cannot be read"));
}

TEST_CASE("topology files: what is written reads as the same") {
  const auto again = [](const Topology& topology) {
    return parse_topology(to_toml(topology), "y.toml");
  };
  for (const auto& entry : std::filesystem::directory_iterator(shipped_folder())) {
    CAPTURE(entry.path().filename().string());
    const Topology shipped = read_topology(entry.path());
    CHECK_FALSE(shipped.title.empty());
    CHECK_FALSE(shipped.about.empty());
    CHECK((again(shipped) == shipped));
    Topology edited = shipped;  // nodes and links in place of the call that generated them
    if (edited.uniform_ranks > 0 || edited.ranks() > 100) continue;
    edited.family = {};
    edited.links[0].bandwidth /= 3;
    edited.links[0].latency = 1e-7 / 3;
    if (edited.links[0].duplex == Duplex::half) edited.links[0].back = edited.links[0].bandwidth;
    edited.model = {.alpha = 1e-6 / 7,
                    .gamma = 1e-11,
                    .overhead = 2e-7,
                    .gap = 3e-9,
                    .byte_overhead = 1e-12,
                    .ports = PortModel::half,
                    .eager_limit = 8192};
    CHECK((again(edited) == edited));
  }
  Topology odd = parse_topology(kPair, "x.toml");
  odd.title = "a \"quoted\" title\nof two lines";
  odd.nodes[0].name = "node \\ \"0\"";
  odd.routes.push_back({{0, 1}});
  odd.nodes[1].host = "h";
  odd.nodes[1].x = -0.1;
  CHECK((again(odd) == odd));
}

TEST_CASE("topology files: bytes changed at random are read or refused") {
  std::vector<std::string> texts = {
      pair_with("[model]\no = \"1us\"\n[[route]]\nnodes = [\"a\", \"b\"]\n")};
  for (const char* name : {"torus-2d.toml", "puzzler.toml", "hosts-rails.toml"}) {
    std::ifstream in(shipped_folder() / name);
    std::stringstream all;
    all << in.rdbuf();
    texts.push_back(all.str());
  }
  RandomNumbers random(3);
  constexpr std::string_view kLetters = "[]{}=\",.\n0123456789eE+-_xnaif'#\\\x01\xff";
  int read = 0;
  for (int round = 0; round < 1200; ++round) {
    std::string text = texts[random.below(texts.size())];
    for (std::uint64_t edit = 0; edit <= random.below(4); ++edit) {
      const std::size_t at = random.below(text.size());
      const std::uint64_t what = random.below(4);
      if (what == 0) text[at] = kLetters[random.below(kLetters.size())];
      else if (what == 1) text.insert(at, 1, kLetters[random.below(kLetters.size())]);
      else if (what == 2) text.erase(at, 1 + random.below(20));
      else text.insert(at, text.substr(random.below(text.size()), random.below(40)));
    }
    try {
      const Topology topology = parse_topology(text, "x.toml");
      CHECK_FALSE(find_fault(topology));
      ++read;
    } catch (const UserError& error) {
      if (!test::has(error.what(), "x.toml")) FAIL(error.what() << "\n" << text);
    }
  }
  CHECK(read > 50);
}

TEST_CASE("topology files: shipped ones are made in other sizes and speeds") {
  CHECK(open_topology("torus-2d@64").dimensions == std::vector<int>{8, 8});
  CHECK(open_topology("torus-2d@64").title == "8×8 torus");
  CHECK(open_topology("torus-3d@8").dimensions == std::vector<int>{2, 2, 2});
  CHECK(open_topology("torus-2d@5").ranks() >= 5);
  // As many ranks at least, whatever the family's steps are.
  for (const char* name : {"ring", "star", "fat-tree", "hypercube", "fully-connected", "dragonfly",
                           "hosts", "nvswitch", "torus-3d"})
    for (const int ranks : {3, 16, 50}) {
      INFO(name << " " << ranks);
      const Topology made = open_topology(topology_name_for(name, ranks));
      CHECK(made.ranks() >= ranks);
      // A dragonfly of the paper has 6, 72, 342 ... ranks.
      CHECK(made.ranks() <= (made.family.name == "dragonfly" ? 6 * ranks : 2 * ranks + 2));
      CHECK_FALSE(find_fault(made));
    }
  CHECK(topology_name_for("torus-2d", 16) == "torus-2d");
  CHECK(topology_name_for("torus-2d@64", 32) == "torus-2d@32");
  CHECK(topology_name_for("ring@16@2x", 8) == "ring@2x");
  const Topology ring = open_topology("ring"), fast = open_topology("ring@2x");
  CHECK(fast.links.front().bandwidth == 2 * ring.links.front().bandwidth);
  CHECK(fast.links.front().latency == ring.links.front().latency / 2);
  CHECK(open_topology("ring@4x-bandwidth").links.front().latency == ring.links.front().latency);
  CHECK(topology_in_words("torus-2d@64@2x") == "torus-2d of 64 ranks, 2 times as fast");
  CHECK_THROWS_WITH(open_topology("puzzler@16"), ContainsSubstring("no other sizes"));
  CHECK_THROWS_WITH(open_topology("ring@big"), ContainsSubstring("ring@64"));
}
