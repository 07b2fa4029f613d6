// Profiles: repetitions, plans, records, automatic choice and baselines.
#include "engine/run/profile/profiler.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/run/job/auto_algorithm.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {

ProfilePlan small_plan() {
  ProfilePlan plan;
  plan.algorithms = {"allreduce.ring", "allreduce.auto"};
  plan.sizes = {64, 4096};
  plan.world_sizes = {2};
  plan.rounds = 2;
  plan.warmup = 2;
  plan.iterations = 6;
  return plan;
}

Profiler::Options profiled_workers() {
  Profiler::Options options;
  options.runner.program = test::rankscope_binary().string();
  return options;
}

}  // namespace

TEST_CASE("repetitions are OSU's, spread over the rounds and cut to fit the budget", "[profiler]") {
  ProfilePlan plan;
  plan.rounds = 5;
  plan.budget_s = 1;
  CHECK(repetitions_of(plan, 8192, 1e-6).iterations == 200);
  CHECK(repetitions_of(plan, 8192, 1e-6).warmup == 20);
  CHECK(repetitions_of(plan, 8193, 1e-6).iterations == 20);
  CHECK(repetitions_of(plan, 8193, 1e-6).warmup == 2);
  CHECK(repetitions_of(plan, 1 << 20, 0.05).iterations == 4);
  CHECK(repetitions_of(plan, 1 << 20, 100).iterations == 1);
  CHECK(repetitions_of(plan, 1 << 20, 100).warmup == 1);
  plan.iterations = 50;
  plan.warmup = 0;
  CHECK(repetitions_of(plan, 1 << 20, 100).iterations == 10);
  CHECK(repetitions_of(plan, 1 << 20, 100).warmup == 0);
}

TEST_CASE("a size is what nccl-tests calls it", "[profiler]") {
  CHECK(count_of(Collective::allreduce, 1024, 8, DType::float32) == 256);
  CHECK(count_of(Collective::allgather, 1024, 8, DType::float32) == 32);
  CHECK(count_of(Collective::reduce_scatter, 1024, 8, DType::float32) == 256);
  CHECK(count_of(Collective::allgather, 8, 8, DType::float32) == 1);
  CHECK(bytes_of(Collective::allgather, 1, 8, DType::float32) == 32);
  CHECK(bytes_of(Collective::alltoall, 256, 8, DType::float32) == 1024);
}

TEST_CASE("a plan that cannot be run is refused", "[profiler]") {
  ProfilePlan plan = small_plan();
  CHECK_NOTHROW(plan.validate());
  plan.algorithms = {"allreduce.ring", "broadcast.flat"};
  CHECK_THROWS_AS(plan.validate(), UserError);
  plan.algorithms = {"allreduce.rin"};
  CHECK_THROWS_AS(plan.validate(), UserError);
  plan.algorithms = {"allreduce.ring"};
  plan.baselines = {"nccl"};
  CHECK_THROWS_AS(plan.validate(), UserError);
}

TEST_CASE("two ranks are profiled for real", "[profiler]") {
  Profiler profiler(profiled_workers());
  const Profile profile = profiler.run(small_plan());
  REQUIRE(profile.records.size() == 4);
  for (const auto& record : profile.records) {
    INFO(record.error);
    REQUIRE(record.ok());
    CHECK(record.np == 2);
    CHECK(record.transport == "ipc");
    CHECK(record.launches == 2);
    CHECK(record.iterations == 3);
    CHECK(record.min_s > 0);
    CHECK(record.min_s <= record.median_s);
    CHECK(record.median_s <= record.p99_s);
    CHECK(record.p99_s <= record.max_s);
    CHECK(record.busbw <= record.algbw * 1.001);  // the factor is 1 on two ranks
    CHECK(record.chosen.empty() == (record.algorithm != "allreduce.auto"));
  }
}

TEST_CASE("records keep their fields as JSON and CSV", "[profiler]") {
  ProfileRecord record;
  record.algorithm = "allreduce.ring";
  record.collective = "allreduce";
  record.transport = "tcp";
  record.np = 4;
  record.bytes = 1000;
  record.launches = 1;
  summarize_into(record, {0.001, 0.002, 0.003});
  CHECK(record.median_s == 0.002);
  const auto json = parse_json(to_json({record}));
  for (const char* name : {"algorithm", "transport", "np", "bytes", "min_s", "median_s", "p99_s",
                           "max_s", "algbw", "busbw"}) {
    INFO(name);
    CHECK(json.at(0).contains(name));
  }
  CHECK(json.at(0).at("algbw") == 500000.0);
  CHECK(json.at(0).at("busbw") == 750000.0);
  REQUIRE(json.size() == 1);
  CHECK(json.at(0).at("bytes") == 1000);
  CHECK(json.at(0).at("p99_s") == record.p99_s);
  const std::string csv = to_csv({record});
  CHECK(csv.starts_with("algorithm,collective,transport,baseline,np,bytes,"));
  CHECK(csv.find("allreduce.ring,allreduce,tcp,0,4,1000,1,") != std::string::npos);
}

TEST_CASE("allreduce.auto is resolved before the job goes out, and the result says to what",
          "[profiler]") {
  const ChoiceTable table({{"allreduce", "ipc", 4, 100, "allreduce.tree"},
                           {"allreduce", "ipc", 4, ChoiceRule::kNoLimit, "allreduce.ring"}});
  JobSpec spec;
  spec.call.algorithm = "allreduce.auto";
  spec.call.shape = {25};
  CHECK(resolve_auto(spec, table).call.algorithm == "allreduce.tree");
  spec.call.shape = {26};
  CHECK(resolve_auto(spec, table).call.algorithm == "allreduce.ring");
  CHECK_FALSE(is_auto("barrier.auto"));
  InprocRunner runner;
  CollectingSink sink;
  for (const char* name : {"allreduce.auto", "broadcast.auto", "allgather.auto",
                           "reduce_scatter.auto", "alltoall.auto"}) {
    spec.call.algorithm = name;
    const JobResult result = runner.run(spec, sink);
    CHECK(result.ok());
    CHECK(find_algorithm(result.algorithm) != nullptr);
  }
}

TEST_CASE("a fitted choice survives its file", "[profiler]") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "config/auto.json";
  CHECK_FALSE(read_choice_file(file));
  write_choice_file(file, ChoiceTable::built_in());
  const auto table = read_choice_file(file);
  REQUIRE(table);
  CHECK(table->rules() == ChoiceTable::built_in().rules());
  CHECK_THROWS_AS(choice_table_from_json("{}"), UserError);
  // Every rule names an algorithm that there is.
  for (const auto& rule : ChoiceTable::built_in().rules())
    CHECK(find_algorithm(rule.algorithm) != nullptr);
}

TEST_CASE("a baseline that is not built says how to get it, and the rest is measured",
          "[profiler]") {
  // The command alone in a folder: no baseline beside it, and none on the PATH.
  const test::TemporaryFolder folder;
  const std::string program = folder / "rankscope";
  std::filesystem::copy_file(test::rankscope_binary(), program);
  test::ProcessOptions options;
  options.environment = {{"PATH", folder.path()}};
  const auto done =
      test::run_process({program, "profile", "allreduce", "--algorithms", "ring", "--np", "2",
                         "--sizes", "64", "--iterations", "5", "--baseline", "gloo,openmpi"},
                        options);
  INFO(done.err);
  CHECK(done.exit_code == 0);
  CHECK(done.err.find("libgloo-dev") != std::string::npos);
  CHECK(done.err.find("libopenmpi-dev openmpi-bin") != std::string::npos);
  CHECK(done.out.find("allreduce.ring") != std::string::npos);
}
