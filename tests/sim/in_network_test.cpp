// Allreduces in a network whose switches add: right, as fast as the closed form says, and refused where none can.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/error.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/model/costs/cost_table.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/switch_tree.h"
#include "engine/run/job/job.h"
#include "engine/run/sim/sim_runner.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {

constexpr double kLinkAlpha = 3e-6, kLinkBandwidth = 2e9;

/// A topology file that goes when this does.
class NetworkFile {
 public:
  explicit NetworkFile(const std::string& text) : path_(folder_ / "network.toml") {
    std::ofstream(path_) << text;
  }
  const std::string& path() const { return path_; }

 private:
  test::TemporaryFolder folder_;
  std::string path_;
};

std::string family(const std::string& name, const std::string& values) {
  return fmt::format("[family]\nname = \"{}\"\n{}\nreduces = true\n", name, values);
}
std::string star(int ranks) {
  return family("star",
                fmt::format("ranks = {}\nbandwidth = \"2 GB/s\"\nlatency = \"3 us\"", ranks));
}
std::string fat_tree(int levels) {
  return family("fat-tree",
                fmt::format("ports = 4\nlevels = {}\nbandwidth = \"2 GB/s\"\nlatency = \"3 us\"\n"
                            "up_bandwidth = \"2 GB/s\"\nup_latency = \"3 us\"",
                            levels));
}

JobSpec job_on(const std::string& topology, int ranks, Count count) {
  JobSpec spec;
  spec.call.algorithm = "allreduce.in_network";
  spec.world.size = ranks;
  spec.call.shape = {count};
  spec.call.dtype = DType::float32;
  spec.transport.name = kSimTransport;
  spec.network.topology = topology;
  spec.call.segment_bytes = 4000;
  return spec;
}

/// Seconds; the run is checked against the oracle.
double finish_s(const JobSpec& spec) {
  NoEvents nowhere;
  SimRunner runner;
  const JobResult result = runner.run(spec, nowhere);
  INFO(result.message);
  REQUIRE(result.ok());
  return runner.summary().finish_s;
}

/// The time if switches in `levels` above the ranks add: with equal links of alpha each, a pipeline up and down,
/// (K + 2 levels - 1)(alpha + n/K beta).
double form(Count count, int levels) {
  const ByteParts parts(segments(count, DType::float32, 4000), 4);
  const Cost cost =
      CostTerm{parts.parts(), parts.all(), 0} + (2 * levels - 1) * message_cost(parts.longest());
  return time(cost, {kLinkAlpha, 1 / kLinkBandwidth, 1e-9});
}

}  // namespace

TEST_CASE("in-network allreduce: as the oracle, and as long as the closed form", "[sim]") {
  for (const Count count : {Count{1}, Count{1000}, Count{999}, Count{7000}, Count{7013}}) {
    INFO(count << " elements");
    for (const int ranks : {2, 3, 8, 16}) {
      const NetworkFile file(star(ranks));
      INFO("star of " << ranks);
      CHECK(finish_s(job_on(file.path(), ranks, count)) == Approx(form(count, 1)).epsilon(1e-9));
    }
    const NetworkFile two(fat_tree(2)), three(fat_tree(3));
    CHECK(finish_s(job_on(two.path(), 8, count)) == Approx(form(count, 2)).epsilon(1e-9));
    CHECK(finish_s(job_on(three.path(), 16, count)) == Approx(form(count, 3)).epsilon(1e-9));
  }
  CHECK(form(1000, 1) == Approx(2 * (kLinkAlpha + 4000 / kLinkBandwidth)));
}

TEST_CASE("in-network allreduce: other send modes, operators, places and parts of a network",
          "[sim]") {
  const NetworkFile file(fat_tree(2));
  JobSpec spec = job_on(file.path(), 8, 3001);
  const double plain = finish_s(spec);
  spec.call.op = ReduceOp::max;
  CHECK(finish_s(spec) == plain);
  spec.network.gamma_s = 1;  // which ranks would need for a byte
  CHECK(finish_s(spec) == plain);
  spec.network.placement = "7,3,1,0,2,5,6,4";
  CHECK(finish_s(spec) == Approx(plain));
  spec.network.placement.clear();
  spec.world.size =
      5;  // the fifth has a leaf of its own, which has nothing to add and only passes on
  CHECK(finish_s(spec) > plain);
  spec.world.size = 2;  // both at one leaf: its switch is enough
  CHECK(finish_s(spec) < 0.8 * plain);
  spec.transport.mode = SendMode::rendezvous;
  CHECK(finish_s(spec) > plain * 0.5);
  spec.world.size = 1;
  CHECK(finish_s(spec) == 0);
}

TEST_CASE("in-network allreduce: half of a ring's bytes on an NVSwitch", "[sim]") {
  JobSpec spec = job_on("nvswitch", 8, 1 << 24);
  spec.call.segment_bytes = 0;
  spec.network.ghost = true;
  const double here = finish_s(spec);
  spec.call.algorithm = "allreduce.ring";
  CHECK(finish_s(spec) / here == Approx(2 * 7.0 / 8).epsilon(0.15));
}

TEST_CASE("in-network allreduce: the trace says which switch adds", "[sim]") {
  const NetworkFile file(fat_tree(2));
  const JobSpec spec = job_on(file.path(), 8, 10);
  CollectingSink sink;
  SimRunner runner;
  REQUIRE(runner.run(spec, sink).ok());
  const TraceMeta meta = meta_of(spec);
  CHECK(meta.in_network);
  const Trace trace = make_trace(sink.take(), meta);
  const auto tree = find_reducing_tree(parse_topology(meta.network, "here"), {}, 8);
  REQUIRE(tree);
  CHECK(tree->switches.size() == 5);  // four leaves and a spine
  std::vector<std::string> adding;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].verb == Verb::reduce && trace[k].kind == EventKind::local)
      adding.push_back(trace.definition(Definition::Kind::buffer, trace[k].out_buffer)->name);
  std::ranges::sort(adding);
  CHECK(adding == std::vector<std::string>{"switch leaf0", "switch leaf1", "switch leaf2",
                                           "switch leaf3", "switch spine0", "switch spine0",
                                           "switch spine0"});
  const TraceAnalysis analysis(trace);
  for (const MessageRecord& message : analysis.messages()) CHECK(tree->way_of(message.tag));
}

TEST_CASE("in-network allreduce: refused where no switch adds", "[sim]") {
  NoEvents nowhere;
  const auto refused = [&](JobSpec spec, const char* words) {
    CHECK_THROWS_WITH(SimRunner().run(spec, nowhere), ContainsSubstring(words));
  };
  refused(job_on("star", 4, 10), "adds up");
  refused(job_on("ring", 4, 10), "--topology nvswitch");
  refused(job_on("uniform", 4, 10), "adds up");
  refused(job_on("", 4, 10), "adds up");
  refused(job_on("nvswitch", 9, 10), "has 8 ranks");
  const NetworkFile file(star(4) + "[model]\noverhead = \"1 us\"\n");
  refused(job_on(file.path(), 4, 10), "overhead");
}
