// `rankscope predict` and `rankscope sweep`: figures, files, and what they refuse.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

TEST_CASE("cli: predict sorts by time and names where the fastest changes") {
  const auto run = run_rankscope({"predict", "allreduce.ring", "allreduce.bde", "--ranks", "8",
                                  "--bytes", "64KiB", "--alpha", "5us", "--bandwidth", "80Gb/s"});
  CHECK(run.exit_code == cli::kOk);
  CHECK(run.out.find("allreduce.bde  ") < run.out.find("allreduce.ring  "));
  // 3 (a + n b) = 14 a + 14/8 n b: n = 44 bytes of a/b = 50,000 bytes, divided by 5.
  CHECK(has(run.out, "allreduce.bde is the fastest up to 430 KiB, then allreduce.ring"));
  CHECK(has(run.out, "2(N−1)α + 2·(N−1)/N·nβ + (N−1)/N·nγ"));
}

TEST_CASE("cli: predict as JSON has the terms that make its times") {
  const auto run = run_rankscope({"predict", "reduce", "--ranks", "7", "--bytes", "4KB", "--gamma",
                                  "20GB/s", "--root", "5", "--json"});
  REQUIRE(run.exit_code == cli::kOk);
  const auto json = nlohmann::json::parse(run.out);
  REQUIRE(json["predictions"].size() == 4);
  double before = 0;
  for (const auto& one : json["predictions"]) {
    const double seconds = one["rounds"].get<double>() * json["alpha_s"].get<double>() +
                           one["bytes"].get<double>() * json["beta_s"].get<double>() +
                           one["reduced_bytes"].get<double>() * json["gamma_s"].get<double>();
    CHECK(one["time_s"].get<double>() == Approx(seconds).epsilon(1e-12));
    CHECK(one["time_s"] >= before);
    CHECK(one["time_s"] >= one["lower_bound_s"]);
    before = one["time_s"];
  }
}

TEST_CASE("cli: sweep writes the same figures as a table, CSV and JSON, and plots them") {
  const test::TemporaryFolder folder;
  const std::string csv = folder / "out.csv", svg = folder / "out.svg";
  const std::vector<std::string> command{
      "sweep", "--over", "ranks", "2..16", "allreduce.bde", "allreduce.ring",
      "--csv", csv,      "--svg", svg,     "--json"};
  const auto run = run_rankscope(command);
  REQUIRE(run.exit_code == cli::kOk);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["ranks"] == nlohmann::json{2, 4, 8, 16});
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  CHECK(line == "ranks,allreduce.bde,allreduce.ring,lower_bound");
  for (std::size_t i = 0; i < 4; ++i) {
    std::getline(file, line);
    double ranks = 0, bde = 0, ring = 0;
    char comma = 0;
    std::istringstream(line) >> ranks >> comma >> bde >> comma >> ring;
    CHECK(ranks == json["ranks"][i]);
    CHECK(bde == json["times_s"]["allreduce.bde"][i]);
    CHECK(ring == json["times_s"]["allreduce.ring"][i]);
  }
  std::ifstream picture(svg);
  std::stringstream text;
  text << picture.rdbuf();
  for (const char* word : {"allreduce: predicted time", "ranks", "bde", "ring", "lower bound"})
    CHECK(has(text.str(), word));
}

TEST_CASE("cli: predict and sweep refuse what they cannot answer") {
  check_refused(run_rankscope({"predict", "allreduce.rin"}), "did you mean allreduce.ring");
  check_refused(run_rankscope({"predict", "allreduce.ring", "--alpha", "5"}), "--alpha", "5us");
  check_refused(run_rankscope({"predict", "allreduce.ring", "--bandwidth", "-1GB/s"}),
                "--bandwidth", "400Gb/s");
  check_refused(run_rankscope({"predict", "allreduce.ring", "--bytes", "1001"}), "--dtype uint8");
  check_refused(run_rankscope({"predict", "broadcast", "--root", "8"}), "0 to 7");
  check_refused(run_rankscope({"predict", "reduce_scatter.direct", "--ranks", "4001"}),
                "fewer ranks");
  check_refused(run_rankscope({"sweep", "64..2", "allreduce.ring", "--over", "ranks"}),
                "larger one");
  check_refused(run_rankscope({"sweep", "1KiB", "allreduce.ring"}), "FROM..TO");
  check_refused(run_rankscope({"sweep", "1KiB..1MiB", "allreduce.ring", "--png", "x.svg"}), ".png");
}
