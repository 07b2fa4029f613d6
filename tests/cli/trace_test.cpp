// `rankscope trace` and `rankscope export`, end to end.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/bench/trace_speed.h"
#include "cli/command.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using nlohmann::json;
using test::check_refused;
using test::has;
using test::read;
using test::run_rankscope;

namespace {

void write_trace(const std::string& path, const test::Body& body) {
  TraceMeta meta;
  meta.world_size = 3;
  meta.algorithm = "allreduce.ring";
  meta.outcome.emplace().status = JobResult::Status::ok;
  TraceWriter writer(path, meta);
  for (auto& batch : test::record(3, body)) writer.deliver(std::move(batch));
  writer.close(meta);
}

}  // namespace

TEST_CASE("cli: trace tells what is in a file") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_trace(file, test::ring_of(6));
  const auto info = run_rankscope({"trace", "info", file});
  CHECK(info.exit_code == cli::kOk);
  CHECK(has(info.out, "allreduce.ring"));
  CHECK(info.err.empty());
  auto facts = parse_json(run_rankscope({"trace", "info", file, "--json"}).out);
  CHECK(facts["ranks"] == 3);
  CHECK(facts["complete"] == true);
  CHECK(facts["result"]["status"] == "ok");

  const auto stats = run_rankscope({"trace", "stats", file});
  CHECK(has(stats.out, "12 messages in 4 rounds"));
  CHECK(has(stats.out, "reduce-scatter"));
  facts = parse_json(run_rankscope({"trace", "stats", file, "--json"}).out);
  CHECK(facts["rounds"] == 4);
  CHECK(facts["total"]["messages"] == 12);

  const auto print = run_rankscope({"trace", "print", file, "--rank", "1", "--limit", "5"});
  CHECK(std::ranges::count(print.out, '\n') == 5);
  CHECK_FALSE(has(print.out, "rank 0    posted"));
  std::istringstream lines(run_rankscope({"trace", "print", file, "--json"}).out);
  CHECK(parse_json(lines.str().substr(0, lines.str().find('\n')))["type"] == "run");

  const auto chosen = run_rankscope(
      {"trace", "print", file, "--json", "--rank", "1", "--from", "4", "--limit", "5"});
  CHECK(std::ranges::count(chosen.out, '\n') == 6);  // the run, then five events
  std::istringstream rows(chosen.out);
  std::string row;
  for (std::getline(rows, row); std::getline(rows, row);) {
    CHECK(parse_json(row)["rank"] == 1);
    CHECK(parse_json(row)["index"] >= 4);
  }
}

TEST_CASE("cli: check says how bad what it finds is, and a warning is no failure") {
  const test::TemporaryFolder folder;
  const auto file = folder / "student.rankscope";
  test::ScriptedRun run(3);
  const bool unreceived = GENERATE(false, true);
  run.line(4, "gather", 9);
  const OpId one = run.send(1, 0), two = run.send(2, 0, 16, unreceived ? 3 : 0);
  run.recv(0, one, true);
  if (!unreceived) run.recv(0, two, true);
  run.line(12, "my_all_reduce");
  for (Rank rank = 0; rank < 3; ++rank) {
    run.call(rank, "allreduce");
    run.returned(rank);
  }
  run.end_all();
  {
    TraceWriter writer(file, run.meta);
    for (auto batch : run.batches()) writer.deliver(std::move(batch));
    writer.close(run.meta);
  }
  const auto check = run_rankscope({"check", file});
  CHECK(check.exit_code == cli::kOk);
  CHECK(has(check.out, unreceived ? "warning: unreceived message" : "hint: receive from anybody"));
  CHECK(has(check.out, "worker.py:4"));
  const auto facts = parse_json(run_rankscope({"check", file, "--json"}).out);
  REQUIRE(facts["findings"].size() == 1);
  CHECK(facts["findings"][0]["severity"] == (unreceived ? "warning" : "hint"));
  REQUIRE(facts["built_in_calls"].size() == 1);
  CHECK(facts["built_in_calls"][0]["what"] ==
        "my_all_reduce calls the built-in allreduce at worker.py:12");
  CHECK(facts["built_in_calls"][0]["times"] == 3);
}

TEST_CASE("cli: check fails for a run that failed, and for an error that it finds") {
  const test::TemporaryFolder folder;
  const auto file = folder / "student.rankscope";
  test::ScriptedRun run(2);
  run.line(7);
  const bool error = GENERATE(false, true);
  if (error) run.note(Note::self_send, 1);
  else run.status(JobResult::Status::timeout);
  run.end_all();
  {
    TraceWriter writer(file, run.meta);
    for (auto batch : run.batches()) writer.deliver(std::move(batch));
    writer.close(run.meta);
  }
  const auto check = run_rankscope({"check", file});
  CHECK(check.exit_code == cli::kFailed);
  CHECK(has(check.out, error ? "worker.py:7" : "The run did not end well: timeout"));
}

TEST_CASE("cli: trace diff finds the first difference") {
  const test::TemporaryFolder folder;
  const auto a = folder / "a.rankscope", b = folder / "b.rankscope", c = folder / "c.rankscope";
  write_trace(a, test::ring_of(6));
  write_trace(b, test::ring_of(6));
  write_trace(c, test::ring_of(9));
  CHECK(run_rankscope({"trace", "diff", a, b}).exit_code == cli::kOk);
  const auto differ = run_rankscope({"trace", "diff", a, c});
  CHECK(differ.exit_code == cli::kFailed);
  CHECK(has(differ.out, "bytes: 48 on the left, 72 on the right"));
  CHECK(parse_json(run_rankscope({"trace", "diff", a, c, "--json"}).out)["equal"] == false);
  CHECK(run_rankscope({"trace", "diff", a}).exit_code == cli::kBadInput);
}

TEST_CASE("cli: bad trace files are explained") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  auto run = run_rankscope({"trace", "info", file});
  check_refused(run, "cannot open");
  std::ofstream(file) << "this is not a trace";
  run = run_rankscope({"export", file});
  check_refused(run, "is not a rankscope trace");
  CHECK(run_rankscope({"trace", "inof", file}).exit_code == cli::kBadInput);
  write_trace(file, test::ring_of(6));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 100);
  run = run_rankscope({"trace", "info", file});
  check_refused(run, "cut");
  CHECK(has(run.out, "allreduce.ring"));  // what is whole is shown
  CHECK(run_rankscope({"export", file, "-o", "-", "--quiet"}).exit_code == cli::kBadInput);
  CHECK(run_rankscope({"replay", file}).exit_code == cli::kBadInput);
  CHECK(parse_json(run_rankscope({"trace", "info", file, "--json"}).out)["complete"] == false);
}

TEST_CASE("cli: a trace of a killed recorder is no bad input") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  {
    TraceMeta meta;
    meta.world_size = 3;
    TraceWriter writer(file, meta);
    for (auto& batch : test::record(3, test::ring_of(6))) writer.deliver(std::move(batch));
  }
  const auto run = run_rankscope({"trace", "info", file});
  CHECK(run.exit_code == cli::kOk);
  CHECK(has(run.err, "not closed properly"));
}

TEST_CASE("cli: export writes whole files or none") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_trace(file, test::ring_of(6));
  CHECK(run_rankscope({"export", file}).exit_code == cli::kOk);
  CHECK(parse_json(read(folder / "ring.json"))["traceEvents"].size() > 20);
  CHECK(run_rankscope({"export", file, "--format", "csv"}).exit_code == cli::kOk);
  CHECK(has(read(folder / "ring.csv"), "index,time_ns"));
  const auto out = run_rankscope({"export", file, "--format", "jsonl", "-o", "-"});
  CHECK(has(out.out, "\"type\":\"run\""));
  CHECK(has(out.out, "\"clock_ns\":"));
  CHECK(run_rankscope({"export", file, "--format", "xml"}).exit_code == cli::kBadInput);
  check_refused(run_rankscope({"export", file, "-o", folder / "no/such/place.json"}),
                "cannot write");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK_FALSE(has(entry.path().string(), ".part"));
}

TEST_CASE("cli: the benchmark of traces measures something") {
  const test::TemporaryFolder folder;
  const auto result = cli::bench_trace(20000, folder.path());
  CHECK(result.events >= 20000);
  CHECK(result.recorded_per_s > 0);
  CHECK(result.file_bytes > 0);
  CHECK(std::filesystem::is_empty(folder.path()));
}
