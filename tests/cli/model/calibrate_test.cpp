// `rankscope calibrate`: a short fit, its file, and predictions by it.
#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
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
  CHECK(json["machines"][0]["alpha_s"].get<double>() >= 0);
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
