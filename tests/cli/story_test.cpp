// Runs shown round by round: `rankscope demo` and `rankscope replay`.
#include "cli/run/story.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

TEST_CASE("cli: the demo tells a ring allreduce of real processes") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = run_rankscope({"demo", "-n", "3", "-c", "3"}, options);
  INFO(run.out << run.err);
  REQUIRE(run.exit_code == cli::kOk);
  CHECK(has(run.out, "3 processes ran the ring allreduce (4 rounds)."));
  CHECK(has(run.out,
            "At the start\n"
            "Each of the 3 ranks begins with its own vector of 3 elements, cut into 3 chunks; 4 "
            "steps follow.\n"
            "  rank 0   1 │ 1 │ 1\n"
            "  rank 1   2 │ 2 │ 2\n"
            "  rank 2   3 │ 3 │ 3\n"
            "\n"
            "Round 1 of 4: reduce-scatter\n"
            "Every rank sends one of its own chunks to its right neighbour, which adds it: after "
            "this step one\n"
            "chunk on each rank holds 2 of 3.\n"
            "  rank 0 → rank 1  chunk 0 (4 B), rank 1 adds it\n"
            "  rank 1 → rank 2  chunk 1 (4 B), rank 2 adds it\n"
            "  rank 2 → rank 0  chunk 2 (4 B), rank 0 adds it\n"
            "  rank 0   1 │ 1 │ 4*\n"
            "  rank 1   3*│ 2 │ 2\n"
            "  rank 2   3 │ 5*│ 3\n"));
  CHECK(has(run.out, "Round 4 of 4: allgather\n"));
  CHECK(has(run.out, "\nAfter 4 steps every rank holds the sum of all 3 vectors.\n"));
  CHECK(has(run.out, "The result is right on every rank."));
  CHECK(has(run.out, "rankscope replay demo-allreduce.ring-n3.rankscope"));

  const auto replay = run_rankscope({"replay", "demo-allreduce.ring-n3.rankscope"}, options);
  CHECK(replay.exit_code == cli::kOk);
  const auto start = run.out.find("At the start"), end = run.out.find("The result is right");
  CHECK(has(replay.out, run.out.substr(start, end - start)));

  options.environment = {{"LC_ALL", "C"}};
  CHECK(has(run_rankscope({"replay", "demo-allreduce.ring-n3.rankscope"}, options).out,
            "rank 0 -> rank 1"));
  CHECK(has(
      run_rankscope({"replay", "demo-allreduce.ring-n3.rankscope", "--color", "always"}, options)
          .out,
      "\x1b["));
}

TEST_CASE("cli: a trace is narrated, a sentence a step") {
  const test::TemporaryFolder folder;
  const auto file = folder / "t.rankscope";
  REQUIRE(run_rankscope({"run", "allreduce.ring", "-n", "3", "--transport", "inproc", "-o", file})
              .exit_code == cli::kOk);
  const auto told = run_rankscope({"trace", "narrate", file, "--from", "4", "--limit", "1"});
  CHECK(has(told.out,
            "allreduce.ring: 3 ranks, 4 steps\n"
            "Step 4  Every rank passes on the chunk that it received last: now every rank"));
  CHECK_FALSE(has(told.out, "After 4 steps"));
  const auto json = parse_json(run_rankscope({"trace", "narrate", file, "--json"}).out);
  CHECK(json["steps"] == 4);
  REQUIRE(json["sentences"].size() == 6);
  CHECK(json["sentences"][5]["text"] == "After 4 steps every rank holds the sum of all 3 vectors.");
  check_refused(run_rankscope({"trace", "narrate", file, "--from", "6"}), "--from");
}

TEST_CASE("cli: every algorithm can be told") {
  const test::TemporaryFolder folder;
  const auto file = folder / "t.rankscope";
  for (const auto& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    const auto run = run_rankscope({"demo", std::string(algorithm.name), "-n", "5", "-o", file,
                                    "--transport", "inproc", "--json"});
    INFO(run.err);
    REQUIRE(run.exit_code == cli::kOk);
    const auto json = parse_json(run.out);
    CHECK(json["rounds"] == algorithm.rounds({.n = 5}));
    std::size_t messages = 0;
    for (const auto& chapter : json["chapters"]) messages += chapter["messages"].size();
    CHECK(messages > 0);

    const auto story = cli::build_story(TraceAnalysis(TraceReader::open(file)), 64);
    const cli::Style plain(false, true);
    for (std::size_t i = 0; i < story.chapters.size(); ++i)
      CHECK_FALSE(cli::chapter_text(story, i, plain, 100).empty());
    // Every rank's sum is there in the end, and nothing changed where no message came.
    if (algorithm.collective != Collective::allreduce) continue;
    for (const auto& buffer : story.chapters.back().buffers)
      for (const auto& cell : buffer.cells) CHECK(cell.value == "15");
  }
}

TEST_CASE("cli: a demo that fails says so, with --json too") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const std::string transport = GENERATE("ipc", "inproc");
  std::vector<std::string> command{"demo",    "p2p.ping", "-n",       "2",         "--transport",
                                   transport, "--delay",  "0=900000", "--timeout", "300ms"};
  const auto plain = run_rankscope(command, options);
  INFO(plain.out << plain.err);
  CHECK(plain.exit_code == cli::kFailed);
  CHECK(plain.out.empty());
  CHECK(has(plain.err, "rankscope: timeout: "));
  CHECK(has(plain.err, "rankscope replay demo-p2p.ping-n2.rankscope"));

  command.emplace_back("--json");
  const auto run = run_rankscope(command, options);
  CHECK(run.exit_code == cli::kFailed);
  const auto json = parse_json(run.out);
  CHECK(json["result"]["status"] == "timeout");
  CHECK(json["result"]["failures"].size() == 2);
  CHECK(json["trace_file"] == "demo-p2p.ping-n2.rankscope");
  CHECK(run_rankscope({"replay", "demo-p2p.ping-n2.rankscope"}, options).exit_code == cli::kOk);

  const auto refused = run_rankscope({"demo", "p2p.ping", "--timeout", "soon", "--json"}, options);
  CHECK(refused.exit_code == cli::kBadInput);
  CHECK(refused.out.empty());
  CHECK(parse_json(refused.err)["error"]["exit_code"] == cli::kBadInput);
}

TEST_CASE("cli: what has no room is left out, and says so") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = run_rankscope({"demo", "--transport", "inproc", "-c", "5000"}, options);
  CHECK(run.exit_code == cli::kOk);
  CHECK(has(run.out, "Only the first element of each chunk is shown."));
  CHECK(has(run.out, "  rank 0    1  1  1  1\n"));
}

TEST_CASE("cli: replay refuses what is no trace") {
  const test::TemporaryFolder folder;
  CHECK(run_rankscope({"replay", folder / "none.rankscope"}).exit_code == cli::kBadInput);
  const auto directory = run_rankscope({"replay", folder.path()});
  CHECK(directory.exit_code == cli::kBadInput);
  check_refused(run_rankscope({"replay", "/etc/passwd"}), "rankscope: error: ");
}
