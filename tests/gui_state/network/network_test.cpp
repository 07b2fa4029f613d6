// The network of a run without the window: read from its trace, changed, saved, and run on.
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "engine/core/trace/trace_file.h"
#include "engine/network/files/topology_file.h"
#include "gui/state/network/network_traffic.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

std::string simulated(const OwnHome& home, const std::string& name,
                      const std::vector<std::string>& more) {
  const std::string file = home / (name + ".rankscope");
  std::vector<std::string> words{"sim", "-o", file};
  words.insert(words.end(), more.begin(), more.end());
  const Finished done = run_rankscope(words);
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  return file;
}

struct WithNetwork : Driven {
  void open(const std::string& file) {
    REQUIRE(does("open " + quoted(file)));
    known();
  }
  /// The network of what is open now is known.
  void known() {
    REQUIRE(until([&] {
      const auto& state = app.state();
      return state.loading.empty() && state.has_trace() && !state.live.running &&
             state.network.of_run && state.network.of_run->document == state.document->id();
    }));
  }
  void refused(const std::string& line, const char* because) {
    CHECK_FALSE(does(line));
    CHECK_THAT(message(), ContainsSubstring(because));
  }
  const NetworkTraffic& traffic() { return *app.state().network.of_run; }
};

const std::vector<std::string> kRingOnPuzzler = {"allreduce.ring", "-n",         "8",      "-c",
                                                 "1048576",        "--topology", "puzzler"};

}  // namespace

TEST_CASE("network: a simulated trace carries its topology, one of processes says why it has none",
          "[gui_state]") {
  WithNetwork driven;
  driven.open(simulated(driven.home, "ring", kRingOnPuzzler));
  CHECK(driven.value("network") == "run");
  CHECK((*driven.traffic().topology == open_topology("puzzler")));
  CHECK(driven.value("network.links") == "25");
  REQUIRE(driven.does("run allreduce.ring ranks=2 count=16"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  driven.known();
  CHECK(driven.value("network") == "none");
  CHECK_THAT(driven.traffic().why_none, ContainsSubstring("not simulated"));
  driven.refused("network cut 0 1", "there is no network: open one");
  driven.open(simulated(driven.home, "uniform", {"allreduce.ring", "-n", "4"}));
  CHECK_THAT(driven.traffic().why_none, ContainsSubstring("uniform network"));
}

TEST_CASE("network: loads are what the messages of a step need of their links", "[gui_state]") {
  WithNetwork driven;
  driven.open(simulated(driven.home, "ring", kRingOnPuzzler));
  const NetworkTraffic& traffic = driven.traffic();
  REQUIRE(traffic.has_loads());
  REQUIRE(traffic.round_needs.size() == 14);
  // A link carries the chunk of each message on its route, in each of the rounds: 2 (N-1) / N of the data.
  const double chunk = 4.0 * 1048576 / 8;
  double hops = 0;
  for (Rank rank = 0; rank < 8; ++rank)
    hops += static_cast<double>(route_between(*traffic.topology, rank, (rank + 1) % 8).size());
  CHECK(std::accumulate(traffic.bytes.begin(), traffic.bytes.end(), 0.0) ==
        Approx(14 * chunk * hops));
  for (const double load : traffic.mean) CHECK((load >= 0 && load <= 1));
  // Each message waits first, then travels; on a ring over shared links some wait.
  CHECK(traffic.flights.size() == driven.app.state().document->rounds().messages.size());
  bool waits = false;
  for (const auto& flight : traffic.flights) {
    CHECK(
        (flight.posted <= flight.begin && flight.begin < flight.end && flight.end <= traffic.end));
    waits = waits || flight.begin > flight.posted;
  }
  CHECK(waits);
  // The messages of the trace arrive when the replay says.
  const auto& document = *driven.app.state().document;
  CHECK(traffic.end * 1e6 == Approx(document.end(ClockBase::measured)).epsilon(1e-4));
  const LoadsShown step = loads_shown(traffic, ClockBase::rounds, 3, false);
  CHECK_THAT(step.when, ContainsSubstring("step 3 of 14"));
  const double most = *std::max_element(step.of_links.begin(), step.of_links.end());
  CHECK(most == 1);
  // Of each way between the sockets two messages: 2 and 3 to 1 and 5, and back.
  CHECK_THAT(step.when, ContainsSubstring("bottleneck: socket0 - socket1"));
  const double rate = traffic.topology->links.back().bandwidth;
  CHECK(traffic.round_needs[2] >= Approx(chunk / rate));
  const int busiest = traffic.busiest.front();
  CHECK(load_between(traffic, busiest, ClockBase::rounds, 2, 3) ==
        Approx(step.of_links[static_cast<std::size_t>(busiest)]).epsilon(1e-6));
  CHECK(loads_shown(traffic, ClockBase::measured, 1e12, false).of_links ==
        std::vector<double>(25, 0));
  CHECK(loads_shown(traffic, ClockBase::rounds, 3, true).of_links == traffic.mean);
}

TEST_CASE("network: loads where ranks have other places, links fail, and switches add",
          "[gui_state]") {
  WithNetwork driven;
  const auto ends_with_run = [&](const std::string& name, const std::vector<std::string>& more) {
    driven.open(simulated(driven.home, name, more));
    INFO(name << ": " << driven.traffic().why_none << driven.traffic().why_no_loads);
    REQUIRE(driven.traffic().has_loads());
    CHECK(driven.traffic().end * 1e6 ==
          Approx(driven.app.state().document->end(ClockBase::measured)).epsilon(1e-4));
  };
  auto placed = kRingOnPuzzler;
  placed.insert(placed.end(), {"--placement", "0,1,4,5,2,3,6,7"});
  ends_with_run("placed", placed);
  // Between the sockets goes nothing then: neighbours have NVLinks.
  CHECK(driven.traffic().bytes.back() == 0);
  ends_with_run("failed", {"allreduce.ring", "-n", "8", "-c", "1048576", "--topology", "ring",
                           "--fail", "link0@100us"});
  const double end_us = driven.traffic().end * 1e6;
  CHECK(load_between(driven.traffic(), 0, ClockBase::measured, 0, 100) > 0);
  CHECK(load_between(driven.traffic(), 0, ClockBase::measured, 101, end_us) == 0);
  ends_with_run("switch",
                {"allreduce.in_network", "-n", "8", "-c", "1048576", "--topology", "nvswitch"});
  for (const double bytes : driven.traffic().bytes) CHECK(bytes == 2 * 4.0 * 1048576);
}

TEST_CASE("network: what is changed is undone, made again and saved", "[gui_state]") {
  WithNetwork driven;
  REQUIRE(driven.does("network open ring"));
  CHECK(driven.value("view.main") == "network");
  CHECK(driven.value("network") == "draft");
  REQUIRE(driven.does("network link 0 4 25GB/s 2us"));
  CHECK(driven.value("network") == "changed");
  CHECK(driven.value("network.links") == "9");
  const Topology& shown = *driven.app.state().network.shown();
  CHECK(shown.links.back().bandwidth == Approx(25e9));
  CHECK(shown.links.back().latency == Approx(2e-6));
  REQUIRE(driven.does("network link 0 4 50GB/s"));
  CHECK(driven.value("network.links") == "9");
  CHECK(driven.app.state().network.shown()->links.back().bandwidth == Approx(50e9));
  REQUIRE(driven.does("network move 0 0.5 -3"));
  driven.refused("network open star", "changes that are not saved");
  driven.refused("network close", "changes that are not saved");
  REQUIRE(driven.does("network undo"));
  REQUIRE(driven.does("network undo"));
  CHECK(driven.app.state().network.shown()->links.back().bandwidth == Approx(25e9));
  REQUIRE(driven.does("network redo"));
  const std::string file = driven.home / "mine.toml";
  REQUIRE(driven.does("network save " + quoted(file)));
  CHECK(driven.value("network") == "draft");
  CHECK((read_topology(file) == *driven.app.state().network.shown()));
  // One that comes with rankscope stays as it is.
  REQUIRE(driven.does("network open star"));
  driven.refused("network save", "say the file");
  REQUIRE(driven.does("network cut 0 switch"));
  REQUIRE(driven.does("network close discard"));
  CHECK(driven.value("network") == "none");
}

TEST_CASE("network: ranks that are cut off are named, and nothing runs on it", "[gui_state]") {
  WithNetwork driven;
  driven.open(simulated(driven.home, "ring", {"allreduce.ring", "-n", "8", "--topology", "ring"}));
  REQUIRE(driven.does("network cut 0 1"));
  CHECK(driven.value("network.unreachable").empty());
  CHECK(driven.app.state().network.traffic_shown() == nullptr);
  REQUIRE(driven.does("network select 0 7"));
  REQUIRE(driven.does("network cut"));
  CHECK(driven.value("network.unreachable") == "rank 0 reaches no other rank");
  driven.refused("network run", "rank 0 reaches no other rank: add a link");
  driven.refused("network save " + quoted(driven.home / "x.toml"), "cannot reach");
  CHECK_FALSE(std::filesystem::exists(driven.home / "x.toml"));
  REQUIRE(driven.does("network undo"));
  REQUIRE(driven.does("network undo"));
  CHECK(driven.app.state().network.traffic_shown() != nullptr);
}

TEST_CASE("network: the job runs again on what was changed, beside the run before", "[gui_state]") {
  WithNetwork driven;
  driven.open(simulated(driven.home, "ring",
                        {"allreduce.ring", "-n", "8", "-c", "1048576", "--topology", "ring"}));
  const auto before = driven.app.state().document;
  REQUIRE(driven.does("network link 0 1 1.25GB/s"));
  REQUIRE(driven.does("network run"));
  CHECK(driven.value("network") == "simulating");
  driven.refused("network run", "is being simulated");
  REQUIRE(driven.until([&] { return driven.app.state().document != before; }));
  driven.known();
  const auto now = driven.app.state().document;
  CHECK(driven.app.state().other == before);
  CHECK(driven.app.state().settings.recent.size() == 1);  // ours is gone at the end
  // A tenth of the bandwidth of one link that every step needs.
  CHECK(now->end(ClockBase::measured) > 8 * before->end(ClockBase::measured));
  CHECK(driven.value("network.busiest") == "r0 - r1");
  CHECK(carries_alike(*driven.traffic().topology, *driven.app.state().network.shown()));
  CHECK(driven.traffic().topology->title == "Ring of 8 ranks, changed");
  REQUIRE(driven.does("network undo"));
  CHECK(driven.app.state().network.traffic_shown() == nullptr);
}

TEST_CASE("network: what makes no sense is refused", "[gui_state]") {
  WithNetwork driven;
  driven.refused("network", "needs more");
  driven.refused("network dance", "network open, close");
  driven.refused("network run", "there is no run");
  driven.refused("network stop", "no job is being simulated");
  driven.refused("network undo", "nothing to undo");
  driven.refused("network open rign", "ring");
  REQUIRE(driven.does("network open ring"));
  driven.refused("network link 0", "network link A B");
  driven.refused("network link 0 2 -3GB/s", "the bandwidth");
  driven.refused("network link 0 2 3GB/s soon", "the latency");
  driven.refused("network link 0 0 3GB/s", "itself");
  driven.refused("network link 0 nowhere 3GB/s", "nowhere");
  driven.refused("network cut 0 3", "no link between");
  driven.refused("network cut", "select the link");
  driven.refused("network cut 0 1 nth=2", "nth is 1 to 1");
  driven.refused("network move 0 far 1", "x is not a number");
  driven.refused("network mode fly", "move or link");
  driven.refused("network loads all", "step or run");
  CHECK(driven.value("network") == "draft");
  CHECK(driven.value("network.undo") == "0");
}

TEST_CASE("quitting asks once for a network and a schedule that are not saved", "[gui_state]") {
  WithNetwork driven;
  REQUIRE(driven.does("network open ring"));
  REQUIRE(driven.does("network cut 0 1"));
  driven.refused("quit", "the network has changes");
  CHECK_FALSE(driven.app.state().quit);
  REQUIRE(driven.does("schedule new allreduce 2"));
  REQUIRE(driven.does("schedule add 1 0 1 0"));
  driven.refused("quit", "the network and the schedule have changes");
  CHECK(driven.does("quit"));
  CHECK(driven.app.state().quit);
  WithNetwork scripted;  // nobody is there who could be asked
  CHECK(scripted.script({"network open ring", "network cut 0 1", "quit"}).empty());
  CHECK(scripted.app.state().quit);
}
