// `rankscope sim`: fibers, schedules and closed forms agree, and Ctrl-C ends it with a sentence.
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::has;
using test::run_rankscope;

TEST_CASE("cli: sim with fibers and as a schedule takes what the closed form says") {
  // In each of these, messages wait for ports.
  for (const char* algorithm : {"alltoall.linear", "allreduce.swing", "broadcast.double_tree"}) {
    CAPTURE(algorithm);
    std::vector<double> finishes;
    for (const bool as_schedule : {false, true}) {
      std::vector<std::string> words{"sim", algorithm, "-n", "13", "--shape", "1001", "--json"};
      if (as_schedule) words.emplace_back("--schedule-mode");
      const auto run = run_rankscope(words);
      INFO(run.err);
      REQUIRE(run.exit_code == cli::kOk);
      const auto json = nlohmann::json::parse(run.out);
      finishes.push_back(json["finish_s"]);
      CHECK(finishes.back() == Approx(json["closed_form_s"].get<double>()).epsilon(1e-9));
      CHECK(json["messages"] > 0);
    }
    CHECK(finishes[0] == finishes[1]);
  }
}

TEST_CASE("cli: Ctrl-C ends a simulation") {
  for (const bool as_schedule : {false, true}) {
    CAPTURE(as_schedule);
    std::vector<std::string> words{"timeout",
                                   "--foreground",
                                   "--preserve-status",
                                   "-s",
                                   "INT",
                                   "1",
                                   test::rankscope_binary().string(),
                                   "sim",
                                   "allreduce.ring",
                                   "-n",
                                   as_schedule ? "65536" : "4096"};
    if (as_schedule) words.emplace_back("--schedule-mode");
    const auto run = test::run_process(words);
    INFO(run.out << run.err);
    CHECK(run.exit_code == cli::kInterrupted);
    CHECK(has(run.err, "rankscope: interrupted"));
  }
}
