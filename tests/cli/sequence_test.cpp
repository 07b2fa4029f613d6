// `rankscope export --sequence`: all frames or none.
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/core/base/json_text.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using nlohmann::json;
using test::check_refused;
using test::files_in;
using test::has;
using test::read;
using test::run_process;
using test::run_rankscope;
using test::write_ring;

TEST_CASE("cli: export numbers the files of a sequence") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file, 3);
  const auto run = run_rankscope({"export", file, "-o", folder / "r.png", "--sequence", "--json"});
  REQUIRE(run.exit_code == cli::kOk);
  CHECK(parse_json(run.out)["files"].size() == 5);
  CHECK(read(folder / "r-001.png").starts_with("\x89PNG"));
  CHECK(std::filesystem::exists(folder / "r-005.png"));
  CHECK(files_in(folder.path()) == 6);
}

TEST_CASE("cli: a failed sequence leaves nothing and takes nothing") {
  const test::TemporaryFolder folder;
  write_ring(folder / "ring.rankscope");
  std::filesystem::create_directory(folder / "r-004.png");
  test::write_ring(folder / "r-001.png");  // somebody's
  const auto before = read(folder / "r-001.png");
  check_refused(
      run_rankscope({"export", folder / "ring.rankscope", "-o", folder / "r.png", "--sequence"}),
      "r-004.png");
  CHECK(read(folder / "r-001.png") == before);
  CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("cli: frames of a longer sequence are not mixed with a new one") {
  const test::TemporaryFolder folder;
  write_ring(folder / "long.rankscope", 4);  // 7 frames
  write_ring(folder / "short.rankscope");    // 5
  const auto sequence = [&](const std::string& file) {
    return run_rankscope({"export", folder / file, "-o", folder / "r.png", "--sequence"});
  };
  REQUIRE(sequence("long.rankscope").exit_code == cli::kOk);
  REQUIRE(files_in(folder.path()) == 9);
  const auto first = read(folder / "r-001.png");
  check_refused(sequence("short.rankscope"), "r-006.png to r-007.png are of another sequence");
  CHECK(read(folder / "r-001.png") == first);
  CHECK(files_in(folder.path()) == 9);
  CHECK(sequence("long.rankscope").exit_code == cli::kOk);  // over its own
  std::filesystem::remove(folder / "r-006.png");
  std::filesystem::remove(folder / "r-007.png");
  write_ring(folder / "r-20240131.png");  // a date, not a frame
  CHECK(sequence("short.rankscope").exit_code == cli::kOk);
  std::filesystem::copy_file(folder / "r-001.png", folder / "r-0002.png");
  CHECK(has(sequence("short.rankscope").err, "r-0002.png is of another sequence"));
}

TEST_CASE("cli: Ctrl-C in the middle of an animation leaves nothing") {
  const test::TemporaryFolder folder;
  write_ring(folder / "ring.rankscope");
  // It has begun when there is a second file.
  const std::string script =
      "\"$0\" export \"$1/ring.rankscope\" -o \"$1/r.png\" --sequence --fps 50 --dpi 200 & pid=$!\n"
      "while kill -0 $pid && [ $(ls \"$1\" | wc -l) -lt 2 ]; do :; done\n"
      "kill -INT $pid; wait $pid";
  const auto run =
      run_process({"/bin/sh", "-c", script, test::rankscope_binary().string(), folder.path()});
  INFO(run.out << run.err);
  CHECK(run.exit_code == cli::kInterrupted);
  CHECK(has(run.err, "nothing was written"));
  CHECK(files_in(folder.path()) == 1);
}
