// What a run that went wrong is said to be, and what is advised.
#include "cli/run/run_report.h"

#include <filesystem>

#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using namespace rankscope::cli;
using test::has;

namespace {

std::string advice(JobResult::Status status, TraceLevel trace) {
  JobSpec spec;
  spec.recording.trace = trace;
  JobResult result;
  result.status = status;
  const std::string file = trace == TraceLevel::off ? "" : "a.rankscope";
  return failure_text({spec, result, file, 0}, Style(false, true));
}

}  // namespace

TEST_CASE("cli: advice names a trace only where there is one") {
  using Status = JobResult::Status;
  for (const auto status :
       {Status::failed, Status::wrong_result, Status::timeout, Status::interrupted}) {
    CAPTURE(to_string(status));
    const auto traced = advice(status, TraceLevel::full);
    CHECK(has(traced, "See what happened: rankscope replay a.rankscope"));
    CHECK_FALSE(has(traced, "--trace full"));
    const auto untraced = advice(status, TraceLevel::off);
    CHECK_FALSE(has(untraced, "See what happened"));
    CHECK_FALSE(has(untraced, "The trace"));
  }
  CHECK(has(advice(Status::wrong_result, TraceLevel::off), "again with --trace full"));
  // No contents, so nobody can see where a value came from.
  CHECK(has(advice(Status::wrong_result, TraceLevel::light), "again with --trace full"));
}

TEST_CASE("cli: of many ranks that failed, a few are named") {
  JobSpec spec;
  JobResult result;
  result.status = JobResult::Status::timeout;
  RankStatus status;
  status.state = RankState::failed;
  for (Rank rank = 0; rank < 1024; ++rank)
    result.failures.push_back({rank, "did not end in time", status.describe(), 0});
  const auto text = failure_text({spec, result, "", 0}, Style(false, true));
  CHECK(has(text, "rank 0 did not end in time; it was failing\n"));
  CHECK(has(text, "rank 7 "));
  CHECK_FALSE(has(text, "rank 8 "));
  CHECK(has(text, "... and 1016 more"));
}

TEST_CASE("cli: an interrupt is called so once") {
  JobResult result;
  result.status = JobResult::Status::interrupted;
  result.message = "interrupted while the ranks were being started";
  const auto text = failure_text({JobSpec{}, result, "", 0}, Style(false, true));
  CHECK(has(text, "rankscope: interrupted while the ranks were being started\n"));
}

TEST_CASE("cli: a run without a trace that fails points to none") {
  const test::TemporaryFolder folder;
  test::ProcessOptions options{.folder = folder.path()};
  const auto run = test::run_rankscope(
      {"run", "p2p.ping", "-n", "2", "--delay", "0=900000", "--timeout", "300ms", "--trace", "off"},
      options);
  INFO(run.out << run.err);
  CHECK(run.exit_code == kFailed);
  CHECK(has(run.err, "rankscope: timeout: "));
  CHECK(has(run.err, "blocked in recv from rank 0"));
  for (const auto& text : {run.out, run.err}) CHECK_FALSE(has(text, "trace"));
  CHECK(std::filesystem::is_empty(folder.path()));
}
