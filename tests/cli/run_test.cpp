// `rankscope run` and `rankscope list`, end to end: real processes.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/analysis/findings/findings.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

namespace {

nlohmann::json json_of(const test::Finished& run) {
  INFO(run.err);
  REQUIRE(run.exit_code == cli::kOk);
  return parse_json(run.out);
}

}  // namespace

TEST_CASE("cli: list shows every algorithm with its costs") {
  const auto text = run_rankscope({"list"});
  REQUIRE(text.exit_code == cli::kOk);
  for (const auto& algorithm : algorithms()) CHECK(has(text.out, std::string(algorithm.name)));
  const auto json =
      json_of(run_rankscope({"list", "allreduce", "-n", "8", "--bytes", "32MiB", "--json"}));
  CHECK(json["ranks"] == 8);
  CHECK(json["bytes"] == 32 << 20);
  for (const auto& row : json["algorithms"]) {
    CHECK(row["collective"] == "allreduce");
    if (row["name"] != "allreduce.ring") continue;
    CHECK(row["rounds"] == 14);
    CHECK(row["busiest_bytes"] == 2.0 * 7 / 8 * (32 << 20));
  }
  CHECK(json_of(run_rankscope({"list", "-c", "10", "--json"}))["bytes"] == 40);
  CHECK(has(run_rankscope({"list", "reduce-scatter"}).out, "reduce_scatter.ring"));
}

TEST_CASE("cli: the kinds of findings are listed") {
  const auto text = run_rankscope({"list", "--findings"});
  CHECK(text.exit_code == cli::kOk);
  const auto rows = json_of(run_rankscope({"list", "--findings", "--json"}))["findings"];
  REQUIRE(rows.size() == std::size(kFindingKinds));
  std::set<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i]["name"] == to_string(static_cast<Finding::Kind>(i)));
    CHECK(names.insert(rows[i]["name"].get<std::string>()).second);
    CHECK(has(text.out, rows[i]["name"].get<std::string>()));
    CHECK(has(text.out, rows[i]["summary"].get<std::string>().substr(0, 20)));
  }
  CHECK(rows[1] == nlohmann::json({{"name", "deadlock"},
                                   {"severity", "error"},
                                   {"summary", "ranks wait for each other"}}));
}

TEST_CASE("cli: exercises are listed where they are asked for") {
  CHECK_FALSE(has(run_rankscope({"list"}).out, "exercise."));
  CHECK_FALSE(has(run_rankscope({"list", "allreduce"}).out, "exercise."));
  const auto text = run_rankscope({"list", "--exercises"});
  CHECK(text.exit_code == cli::kOk);
  for (const auto& exercise : exercises()) CHECK(has(text.out, std::string(exercise.name)));
  CHECK_FALSE(has(text.out, "allreduce.ring"));
  const auto json = json_of(run_rankscope({"list", "--exercises", "alltoall", "--json"}));
  CHECK(json["exercises"].size() == 3);
  CHECK(json["exercises"][0]["name"] == "exercise.alltoall_a");
  CHECK(has(run_rankscope({"list", "--exercises", "rign_a"}).err, "ring_a"));
  CHECK(has(run_rankscope({"run", "exercise.rign_a"}).err, "exercise.ring_a"));
}

TEST_CASE("cli: a run with values of one's own") {
  const test::TemporaryFolder folder;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"-o", folder / "t.rankscope", "--dtype", "int32", "--json"});
    return run_rankscope(words);
  };
  auto json = json_of(run({"allreduce.ring", "--values", "5,3,7,2"}));
  CHECK(json["job"]["values"] == parse_json("[[5],[3],[7],[2]]"));
  CHECK(json["job"]["shape"] == parse_json("[16]"));
  CHECK(json["result"]["status"] == "ok");
  json = json_of(run({"allgather.ring", "-n", "3", "--values", "0,10;1,11;2,12"}));
  CHECK(json["job"]["shape"] == parse_json("[2]"));
  CHECK(run({"allreduce.ring", "--values", "5,3"}).exit_code == cli::kBadInput);
  CHECK(run({"allreduce.ring", "--values", "5,3,7,x"}).exit_code == cli::kBadInput);
  CHECK(run({"allgather.ring", "-n", "2", "-c", "3", "--values", "0,10;1,11"}).exit_code ==
        cli::kBadInput);
  CHECK(run({"allreduce.ring", "--values", "1,2,3,4", "--input", "real"}).exit_code != cli::kOk);
  const auto wrong = run({"exercise.flat_a", "--values", "1,2,3,4"});
  CHECK(wrong.exit_code != cli::kOk);
  CHECK(has(wrong.out, "element 0 is 9, it should be 10"));
}

TEST_CASE("cli: a run of a schedule, as words or from a file") {
  const test::TemporaryFolder folder;
  const auto run = [&](const std::string& schedule) {
    return run_rankscope({"run", "allreduce.schedule", "-n", "2", "-o", folder / "t.rankscope",
                          "--schedule", schedule});
  };
  const auto right = run("1: 0 -> 1 all add; 2: 1 -> 0 all keep");
  CHECK(right.exit_code == cli::kOk);
  CHECK(has(right.out, "The result is right"));
  CHECK_FALSE(has(right.out, "closed form"));
  CHECK(has(run("1: 0 -> 1 all add").err, "it should be"));
  std::ofstream(folder / "table.txt") << "1: 0 -> 1 all add\n1: 1 -> 0 all add\n";
  CHECK(run(folder / "table.txt").exit_code == cli::kOk);
  CHECK(has(run("1: 0 -> 2 all add").err, "there is no rank 2"));
  CHECK(has(run(folder / "none.txt").err, "neither a file"));
  CHECK(has(run_rankscope({"run", "allreduce.schedule"}).err, "give a schedule"));
}

TEST_CASE("cli: list explains what it does not know") {
  check_refused(run_rankscope({"list", "rign"}), "allreduce.ring");
  CHECK(run_rankscope({"list", "-n", "0"}).exit_code == cli::kBadInput);
  CHECK(run_rankscope({"list", "--bytes", "-1"}).exit_code == cli::kBadInput);
}

TEST_CASE("cli: a run checks its result and leaves a trace") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = run_rankscope({"run", "allreduce.ring", "-n", "8"}, options);
  INFO(run.out << run.err);
  REQUIRE(run.exit_code == cli::kOk);
  CHECK(has(run.out, "allreduce.ring: 8 ranks over ipc, 16 float32 (64 B) each, SUM"));
  CHECK(has(run.out, "The result is right on every rank."));
  CHECK(has(run.out, "14 rounds"));
  CHECK_FALSE(has(run.out, "\x1b["));
  const auto trace = TraceReader::open(folder / "allreduce.ring-n8.rankscope");
  CHECK(trace.meta().algorithm == "allreduce.ring");
  CHECK(trace.meta().complete);
  CHECK(trace.meta().hosts.size() == 8);
  REQUIRE(trace.meta().sources.size() == 1);
  CHECK(has(trace.meta().sources[0].second, "allreduce_ring"));
  REQUIRE(trace.meta().outcome);
  CHECK(trace.meta().outcome->ok());
  CHECK(trace.size() > 8 * 14);
}

TEST_CASE("cli: one algorithm of every collective runs, over each transport") {
  const test::TemporaryFolder folder;
  std::string_view last = "none";
  const std::vector<std::string> transports{"ipc", "tcp", "inproc"};
  std::size_t turn = 0;
  for (const auto& algorithm : algorithms()) {
    if (to_string(algorithm.collective) == last) continue;
    last = to_string(algorithm.collective);
    const auto& transport = transports[turn++ % transports.size()];
    CAPTURE(algorithm.name, transport);
    const auto json =
        json_of(run_rankscope({"run", std::string(algorithm.name), "-n", "3", "-c", "7",
                               "--transport", transport, "-o", folder / "t.rankscope", "--json"}));
    CHECK(json["result"]["status"] == "ok");
    CHECK(json["result"]["ranks"].size() == 3);
    CHECK(json["result"]["ranks"][0]["checked"] == true);
    CHECK(json["trace_file"] == folder / "t.rankscope");
    CHECK(TraceReader::open(folder / "t.rankscope").world_size() == 3);
  }
}

TEST_CASE("cli: run passes its options on") {
  const auto json = json_of(run_rankscope(test::words(
      "run reduce.binomial -n 3 --bytes 64B --dtype INT64 --op bxor --root 2 --input index "
      "--seed 7 --send-mode rendezvous --eager-limit 1KiB --segment 4KiB --group 2 --left-ring "
      "--delay 1=10 --delay 0=5 --warmup 1 --iterations 3 --timeout 5000ms --trace off --json")));
  const auto& job = json["job"];
  CHECK(job["shape"] == std::vector<int>{8});
  CHECK(job["dtype"] == "int64");
  CHECK(job["op"] == "BXOR");
  CHECK(job["root"] == 2);
  CHECK(job["input"] == "index");
  CHECK(job["seed"] == 7);
  CHECK(job["send_mode"] == "rendezvous");
  CHECK(job["eager_limit"] == 1024);
  CHECK(job["segment_bytes"] == 4096);
  CHECK(job["group_size"] == 2);
  CHECK(job["left_ring"] == true);
  CHECK(job["delays_us"] == std::vector<double>{5, 10, 0});
  CHECK(job["iterations"] == 3);
  CHECK(job["timeout_s"] == 5.0);
  CHECK(json["trace_file"].is_null());
  CHECK(json["result"]["times_s"].size() == 3);
}

TEST_CASE("cli: a bad value is refused before anything runs") {
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  const std::vector<Case> cases{{{"-n", "0"}, "world size"},
                                {{"-n", "-3"}, "world size"},
                                {{"-n", "many"}, "'many' is not a whole number"},
                                {{"-c", "-5"}, "--count: -5 is out of range"},
                                {{"-c", "9999999999999"}, "memory"},
                                {{"--count", "99999999999999999999"}, "out of range"},
                                {{"--root", "4"}, "root 4 does not exist"},
                                {{"--dtype", "float31"}, "did you mean 'float32'"},
                                {{"--op", "BAND"}, "not defined for float32"},
                                {{"--op", "sun"}, "did you mean 'SUM'"},
                                {{"--transport", "udp"}, "none of ipc, tcp, inproc"},
                                {{"--send-mode", "bufered"}, "did you mean 'buffered'"},
                                {{"--trace", "ful"}, "did you mean 'full'"},
                                {{"--input", "x"}, "none of exact"},
                                {{"--bytes", "7"}, "no whole number of float32"},
                                {{"--bytes", "8", "--count", "2"}, "excludes"},
                                {{"--shape", "2x"}, "--shape"},
                                {{"--delay", "9=1"}, "--delay"},
                                {{"--timeout", "soon"}, "is no time"},
                                {{"--iterations", "0"}, "iterations"},
                                {{"--trace", "off", "-o", "x.rankscope"}, "--trace off"},
                                {{"-o", "/nowhere/x.rankscope"}, "/nowhere/x.rankscope"},
                                {{"--transport", "inproc", "--step"}, "--step"},
                                {{"--key-file", "key"}, "--join"},
                                {{"-t", "ipc", "--join", "tcp://127.0.0.1:0"}, "--transport tcp"},
                                {{"--iterration", "3"}, "did you mean '--iterations'"}};
  for (const auto& [words, says] : cases) {
    std::vector<std::string> command{"run", "allreduce.ring"};
    command.insert(command.end(), words.begin(), words.end());
    const auto run = run_rankscope(command);
    CAPTURE(words, run.err);
    check_refused(run, says, "rankscope: error: ");
    CHECK(run.out.empty());
  }
  check_refused(run_rankscope({"run", "allreduce.rign"}), "allreduce.ring");
}

TEST_CASE("cli: a run that takes too long says where every rank stood") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = run_rankscope(
      {"run", "p2p.ping", "-n", "2", "--delay", "0=900000", "--timeout", "300ms"}, options);
  INFO(run.out << run.err);
  CHECK(run.exit_code == cli::kFailed);
  CHECK(has(run.err, "rankscope: timeout: "));
  CHECK(has(run.err, "blocked in recv from rank 0"));
  CHECK(has(run.err, "p2p_ping.cpp:"));
  CHECK(has(run.err, "rankscope replay p2p.ping-n2.rankscope"));
}

TEST_CASE("cli: Ctrl-C ends a run and its processes") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = test::run_process(
      {"timeout", "--foreground", "--preserve-status", "-s", "INT", "1",
       test::rankscope_binary().string(), "run", "p2p.ping", "-n", "2", "--delay", "0=20000000"},
      options);
  INFO(run.out << run.err);
  CHECK(run.exit_code == cli::kInterrupted);
  CHECK(has(run.err, "rankscope: interrupted"));
}

TEST_CASE("cli: a run can be driven step by step") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const std::vector<std::string> command{"run", "allreduce.ring", "-n", "3", "-c", "6", "--step"};
  options.input = "i\nr\ns 0\nnonsense\nb phase allgather\nc\nd\nc\n";
  const auto run = run_rankscope(command, options);
  INFO(run.out << run.err);
  CHECK(run.exit_code == cli::kOk);
  CHECK(has(run.out, "rank 0   held     before send to rank 1"));
  CHECK(has(run.out, "round 1: 3 message(s) released"));
  CHECK(has(run.out, "'nonsense' is no command"));
  CHECK(has(run.out, "stopped at a breakpoint"));
  CHECK(has(run.out, "[allgather]"));
  CHECK(has(run.out, "The result is right on every rank."));

  options.input = "q\n";
  CHECK(run_rankscope(command, options).exit_code == cli::kInterrupted);
  options.input = "b rank 1\n";  // the end of the input lets the run go on
  CHECK(run_rankscope(command, options).exit_code == cli::kOk);
}

TEST_CASE("cli: a run that does not start leaves the older trace alone") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto file = folder / "p2p.ping-n2.rankscope";
  const std::vector<std::string> nonsense{"run", "p2p.ping", "-n", "2", "--join", "nonsense"};
  CHECK(run_rankscope(nonsense, options).exit_code == cli::kBadInput);
  CHECK(std::filesystem::is_empty(folder.path()));
  REQUIRE(run_rankscope({"run", "p2p.ping", "-n", "2"}, options).exit_code == cli::kOk);
  const auto size = std::filesystem::file_size(file);
  CHECK(run_rankscope(nonsense, options).exit_code == cli::kBadInput);
  CHECK(std::filesystem::file_size(file) == size);
  REQUIRE(run_rankscope({"run", "p2p.ping", "-n", "2"}, options).exit_code == cli::kOk);
  CHECK(TraceReader::open(file).meta().complete);
  CHECK(run_rankscope({"run", "p2p.ping", "-n", "2", "-o", folder.path()}, options).exit_code ==
        cli::kBadInput);
}

TEST_CASE("cli: with --json only JSON is on the standard output") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  options.input = "b allreduce_rign.cpp:5\nr\nc\n";
  const auto stepped =
      run_rankscope({"run", "allreduce.ring", "-n", "2", "--step", "--json"}, options);
  CHECK(json_of(stepped)["result"]["status"] == "ok");
  CHECK(has(stepped.err, "allreduce_ring.cpp"));
  CHECK(has(stepped.err, "no breakpoint was set"));
}

TEST_CASE("cli: a worker's rank is no negative number") {
  check_refused(run_rankscope({"worker", "--rank", "-7", "--key-file", "none"}), "--rank");
}
