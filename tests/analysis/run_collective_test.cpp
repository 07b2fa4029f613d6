// Which collective a trace is of: said by its job, never by the look of a name.
#include <nlohmann/json.hpp>

#include "engine/analysis/trace_analysis.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/json_text.h"
#include "engine/core/run/job_json.h"
#include "engine/core/trace/old_algorithms.h"
#include "engine/core/trace/trace_format.h"
#include "engine/run/job/job.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using nlohmann::json;

namespace {

JobSpec job_of(std::string algorithm, std::string platform = "") {
  JobSpec spec;
  spec.call.algorithm = std::move(algorithm);
  spec.call.platform = std::move(platform);
  return spec;
}

std::optional<Collective> after_a_file(const TraceMeta& meta) {
  return trace_format::meta_from_json(trace_format::meta_to_json(meta)).collective;
}

std::optional<Collective> as_an_old_file(const TraceMeta& meta) {
  auto text = parse_json(trace_format::meta_to_json(meta));
  text.erase("collective");
  return trace_format::meta_from_json(dump_json(text)).collective;
}

}  // namespace

TEST_CASE("the collective of our runs is in their traces, and in old ones by their job",
          "[analysis]") {
  for (const auto table : {algorithms(), schedule_algorithms()})
    for (const auto& algorithm : table) {
      INFO(algorithm.name);
      const TraceMeta meta = meta_of(job_of(std::string(algorithm.name)));
      CHECK(meta.collective == algorithm.collective);
      CHECK(after_a_file(meta) == algorithm.collective);
      // An algorithm that is newer than this key has no old traces.
      if (const auto old = as_an_old_file(meta)) CHECK(*old == algorithm.collective);
    }
  CHECK(as_an_old_file(meta_of(job_of("scatter.flat"))) == Collective::scatter);
  CHECK(as_an_old_file(meta_of(job_of("p2p.sendrecv"))) == Collective::p2p_shift);
  CHECK(as_an_old_file(meta_of(job_of("reduce_scatter.schedule"))) == Collective::reduce_scatter);
}

TEST_CASE("a program is no algorithm of ours, whatever its file is called", "[analysis]") {
  for (const auto& exercise : exercises()) {
    INFO(exercise.name);
    CHECK_FALSE(meta_of(job_of(std::string(exercise.name))).collective);
    CHECK_FALSE(as_an_old_file(meta_of(job_of(std::string(exercise.name)))));
  }
  for (const char* name : {"scatter.py", "alltoall.py", "scatter.flat", "reduce_scatter.ring"}) {
    INFO(name);
    const TraceMeta meta = meta_of(job_of(name, "torch"));
    CHECK_FALSE(meta.collective);
    CHECK_FALSE(after_a_file(meta));
    CHECK_FALSE(as_an_old_file(meta));
  }
  const auto collective_in = [](const char* algorithm, const char* job) {
    TraceMeta meta;
    meta.algorithm = algorithm;
    read_job_text(job, meta);
    return collective_of_old_trace(meta);
  };
  CHECK_FALSE(collective_in("scatter.flat", ""));
  CHECK_FALSE(collective_in("scatter.flat", "[1]"));
  CHECK_FALSE(collective_in("scatter.flat", R"({"algorithm": "scatter.binomial"})"));
  CHECK_FALSE(collective_in("scatter.py", R"({"algorithm": "scatter.py"})"));
  CHECK_FALSE(collective_in("scatter", R"({"algorithm": "scatter"})"));
  CHECK_FALSE(collective_in("", R"({"algorithm": ""})"));
  CHECK_FALSE(collective_in("allreduce.ring", R"({"algorithm": 3})"));
  CHECK_FALSE(collective_in("scatter.flat", R"({"algorithm": "scatter.flat", "platform": 3})"));
  // What this build does not know of the job takes nothing from what it names.
  CHECK(collective_in("scatter.flat", R"({"algorithm": "scatter.flat", "unknown": 1})") ==
        Collective::scatter);
}

// An alltoall.py that sends from memory that nobody watches: whose data that is, nobody knows.
TEST_CASE("what is known of an all-to-all of ours is not assumed of a program", "[analysis]") {
  const auto origin = [](std::optional<Collective> collective) {
    CollectingSink sink;
    InprocWorld world(2, &sink);
    RankSettings settings;
    settings.trace = TraceLevel::full;
    world.run(
        [](Communicator& comm) {
          Buffer hidden = Buffer::allocate(DType::int32, Shape::flat(4));
          Buffer data = Buffer::allocate(DType::int32, Shape::flat(4));
          comm.watch("data", data);
          const Rank other = 1 - comm.rank();
          comm.sendrecv(other, hidden, other, data);
        },
        settings);
    TraceMeta meta;
    meta.world_size = 2;
    meta.algorithm = "alltoall.py";
    meta.collective = collective;
    const Trace trace = make_trace(sink.take(), meta);
    const auto map = TraceAnalysis(trace).contributions().of(1, trace.size());
    return map.empty() ? -1 : map.front().origin();
  };
  CHECK(origin(Collective::alltoall) >= 0);
  CHECK(origin(std::nullopt) == -1);
}

TEST_CASE("the rows of the catalogue of collectives fit together", "[analysis]") {
  for (const CollectiveTraits& one : collectives()) {
    INFO(one.key);
    CHECK(collective_of_key(one.key) == one.collective);
    REQUIRE(find_collective(one.name) != nullptr);
    CHECK(find_collective(one.name)->name == one.name);
    const bool at_root = one.in == Extent::whole_at_root || one.out == Extent::all_at_root;
    CHECK((!at_root || one.rooted));
    CHECK((!one.result_at_root || one.rooted));
    CHECK((!one.same_everywhere || !one.result_at_root));
    CHECK_FALSE(one.bounds.bytes_why.empty());
  }
  CHECK(find_collective("gossip") == nullptr);
  CHECK(find_collective("") == nullptr);
}
