// `rankscope calibrate`: a short fit, its file, and predictions by it.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/model/recorded_plan.h"
#include "engine/model/costs/machine_costs.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

TEST_CASE("cli: calibrate fits a machine, keeps it in a file and compares") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "machines.json";
  const std::vector<std::string> command{
      "calibrate",     "broadcast",  "--np", "2",        "--sizes",
      "64,4KiB,64KiB", "--held-out", "1KiB", "--rounds", "1",
      "--budget",      "0.002",      "-o",   file,       "--json"};
  const auto run = run_rankscope(command);
  REQUIRE(run.exit_code == cli::kOk);
  const auto json = nlohmann::json::parse(run.out);
  REQUIRE(json["machines"].size() == 1);
  CHECK(json["machines"][0]["ranks"] == 2);
  CHECK(json["machines"][0]["transport"] == "ipc");
  CHECK(json["machines"][0]["seconds"]["latency"].get<double>() >= 0);
  REQUIRE(json["held_out"].size() == json["fitted"].size() / 3);
  for (const auto& one : json["held_out"]) {
    CHECK(one["bytes"] == 1024);
    CHECK(one["error"].get<double>() ==
          Approx(one["predicted_s"].get<double>() / one["measured_s"].get<double>() - 1));
  }
  // Again: the entry is replaced, not added.
  REQUIRE(run_rankscope(command).exit_code == cli::kOk);
  std::ifstream in(file);
  CHECK(nlohmann::json::parse(in)["machines"].size() == 1);
}

TEST_CASE("cli: predict --machine uses the fit of this machine, and says how to make one") {
  const test::TemporaryFolder folder;
  const test::ProcessOptions options{.environment = {{"XDG_CONFIG_HOME", folder.path()}}};
  const auto predict = [&] {
    return run_rankscope({"predict", "broadcast", "--ranks", "2", "--machine", "--json"}, options);
  };
  check_refused(predict(), "rankscope calibrate --np 2 --transport ipc");
  REQUIRE(run_rankscope({"calibrate", "broadcast", "--np", "2", "--sizes", "64,4KiB", "--held-out",
                         "", "--rounds", "1", "--budget", "0.002"},
                        options)
              .exit_code == cli::kOk);
  const auto run = predict();
  REQUIRE(run.exit_code == cli::kOk);
  double before = 0;
  const auto json = nlohmann::json::parse(run.out);
  for (const auto& one : json["predictions"]) {
    CHECK(one["machine_time_s"] >= before);
    before = one["machine_time_s"];
  }
  CHECK(before > 0);
}

TEST_CASE(
    "cli: calibrate fits records that were measured before, and predicts sizes between them") {
  const test::TemporaryFolder folder;
  const std::string records = folder / "records.json", file = folder / "machines.json";
  // Times that a machine gives whose messages take 20 us and 1 ns for a byte, one after the other.
  nlohmann::json profile;
  const auto add = [&](const char* algorithm, int messages, std::uint64_t bytes) {
    profile.push_back({{"algorithm", algorithm},
                       {"transport", "ipc"},
                       {"np", 4},
                       {"bytes", bytes},
                       {"median_s", messages * (20e-6 + 1e-9 * static_cast<double>(bytes))}});
  };
  for (const std::uint64_t bytes : {64, 256, 1024, 4096, 8192, 16384, 32768}) {
    add("broadcast.binomial", 2, bytes);
    add("broadcast.chain", 3, bytes);  // one segment
  }
  std::ofstream(records) << profile;
  const std::vector<std::string> command{"calibrate",      "broadcast", "--np",  "4",  "--held-out",
                                         "256,4KiB,16KiB", "--records", records, "-o", file,
                                         "--json"};
  const auto run = run_rankscope(command);
  REQUIRE(run.exit_code == cli::kOk);
  const auto json = nlohmann::json::parse(run.out);
  REQUIRE(json["held_out"].size() == 6);
  CHECK(json["held_out_within_20_percent"] == 1.0);
  CHECK(run_rankscope(command).out == run.out);  // nothing is measured
  std::ofstream(records) << "[{}]";
  check_refused(run_rankscope(command), "rankscope profile COLLECTIVE --json");
}

TEST_CASE("cli: what calibrate records of a program is what its ranks do") {
  const Algorithm& ring = require_algorithm("allreduce.ring");
  const RunPlan plan = cli::recorded_plan(ring, {.n = 4, .shape = Shape::flat(1000)});
  REQUIRE(plan.lines.size() == 4);
  const auto in_call = std::ranges::count_if(
      plan.messages, [](const RunPlan::Message& one) { return one.bytes == 1000; });
  CHECK(in_call == 4 * 6);  // chunks of 250 elements
  for (const RunPlan::Line& line : plan.lines) {
    const auto begin = std::ranges::find(line.steps, RunPlan::Step::begin, &RunPlan::Step::kind);
    REQUIRE(begin != line.steps.end());
    const auto count = [&](RunPlan::Step::Kind kind) {
      return std::count_if(begin, line.steps.end(),
                           [&](const auto& one) { return one.kind == kind; });
    };
    CHECK(count(RunPlan::Step::send) == 6);
    CHECK(count(RunPlan::Step::receive) == 6);
    CHECK(count(RunPlan::Step::reduce) == 3);
  }
  // Every algorithm's plan ends, also of those that split communicators or begin strands.
  MachineCosts costs;
  costs.seconds.fill(1e-6);
  for (const Algorithm& one : algorithms()) {
    INFO(one.name);
    CHECK(planned_time(costs, cli::recorded_plan(one, {.n = 4, .shape = Shape::flat(64)}), 2)
              .seconds > 0);
  }
}

TEST_CASE("cli: calibrate refuses what is no file of machines before it measures") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "notes.json";
  std::ofstream(file) << "{\"rules\": []}";
  const auto run = run_rankscope({"calibrate", "-o", file});
  CHECK(run.exit_code == cli::kBadInput);
  CHECK(has(run.err, "no file of fitted machines"));
  check_refused(run_rankscope({"calibrate", "allreduce.rung"}), "allreduce.rung");
  check_refused(run_rankscope({"calibrate", "--np", "1"}), "--np");
}
