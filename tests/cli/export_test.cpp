// `rankscope export` to pictures, end to end.
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/diagrams.h"
#include "cli/write_file.h"
#include "engine/core/error.h"
#include "engine/core/trace_file.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

using namespace rankscope;
using nlohmann::json;
using test::run_rankscope;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_ring(const std::string& path, int ranks) {
  TraceMeta meta;
  meta.world_size = ranks;
  meta.algorithm = "allreduce.ring";
  TraceWriter writer(path, meta);
  if (ranks > 0)
    for (auto& batch : test::record(ranks, test::ring_of(2 * ranks)))
      writer.deliver(std::move(batch));
  writer.close(meta);
}

std::size_t files_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("cli: export draws, in the format of the file's ending") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file, 3);
  struct {
    const char* name;
    const char* begin;
  } const kinds[] = {{"a.svg", "<?xml"},  {"a.pdf", "%PDF"},       {"a.png", "\x89PNG"},
                     {"a.gif", "GIF89a"}, {"a.html", "<!DOCTYPE"}, {"a.HTML", "<!DOCTYPE"}};
  for (const auto& kind : kinds) {
    const auto run = run_rankscope({"export", file, "-o", folder / kind.name, "--json"});
    INFO(kind.name << ": " << run.err);
    REQUIRE(run.exit_code == cli::kOk);
    CHECK(read(folder / kind.name).starts_with(kind.begin));
    const auto facts = json::parse(run.out);
    CHECK(facts["bytes"] == std::filesystem::file_size(folder / kind.name));
    CHECK(facts["diagram"] == "spacetime");
  }
  CHECK(run_rankscope({"export", file, "--format", "svg"}).exit_code == cli::kOk);
  CHECK(has(read(folder / "ring.svg"), "allreduce.ring, 3 ranks"));
  const auto out =
      run_rankscope({"export", file, "--format", "svg", "-o", "-", "--title", "Mine & yours"});
  CHECK(out.out.starts_with("<?xml"));
  CHECK(has(out.out, "Mine &amp; yours"));
}

TEST_CASE("cli: export numbers the files of a sequence") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file, 3);
  const auto run = run_rankscope({"export", file, "-o", folder / "r.png", "--sequence", "--json"});
  REQUIRE(run.exit_code == cli::kOk);
  CHECK(json::parse(run.out)["files"].size() == 5);
  CHECK(read(folder / "r-001.png").starts_with("\x89PNG"));
  CHECK(std::filesystem::exists(folder / "r-005.png"));
  CHECK(files_in(folder.path()) == 6);
}

TEST_CASE("cli: export says what is wrong, and writes nothing") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope", empty = folder / "empty.rankscope";
  write_ring(file, 3);
  write_ring(empty, 0);
  struct {
    std::vector<std::string> arguments;
    const char* says;
  } const mistakes[] = {
      {{file, "-o", folder / "x.tiff", "--diagram", "spacetime"}, "--format"},
      {{file, "--format", "sgv"}, "did you mean 'svg'"},
      {{file, "-o", folder / "x.svg", "--diagram", "spacetim"}, "did you mean 'spacetime'"},
      {{file, "-o", folder / "no/x.svg"}, "cannot write"},
      {{file, "-o", folder / "x.svg", "--steps", "3:9"}, "1:4"},
      {{file, "-o", folder / "x.svg", "--steps", "3:2"}, "ends before it starts"},
      {{file, "-o", folder / "x.svg", "--ranks", "0,7"}, "from 0 to 2"},
      {{file, "-o", folder / "x.svg", "--ranks", "1,0-2"}, "twice"},
      {{file, "-o", folder / "x.png", "--dpi", "99999"}, "24 to 2400"},
      {{file, "-o", folder / "x.png", "--dpi", "2400", "--size", "4000x4000"}, "lower --dpi"},
      {{file, "-o", folder / "x.svg", "--dpi", "96"}, "--dpi is for"},
      {{file, "-o", folder / "x.png", "--fps", "5"}, "--fps is for"},
      {{file, "-o", folder / "x.svg", "--theme", "drak"}, "did you mean 'dark'"},
      {{file, "-o", folder / "x.svg", "--labels", "some"}, "none of all"},
      {{file, "-o", folder / "x.svg", "--size", "big"}, "slide"},
      {{file, "-o", folder / "x.csv", "--title", "x"}, "for diagrams"},
      {{file, "-o", folder / "x.svg", "--round", "2"}, "says nothing about"},
      {{file, "-o", "-", "--format", "png"}, "standard output"},
      {{empty, "-o", folder / "x.svg"}, "empty"},
      {{empty, "-o", folder / "x.html"}, "empty"},
  };
  for (const auto& mistake : mistakes) {
    auto arguments = mistake.arguments;
    arguments.insert(arguments.begin(), "export");
    const auto run = run_rankscope(arguments);
    INFO(mistake.says << " in: " << run.err);
    CHECK(run.exit_code == cli::kBadInput);
    CHECK(has(run.err, mistake.says));
    CHECK(files_in(folder.path()) == 2);
  }
}

TEST_CASE("cli: lists of ranks and ranges of steps") {
  CHECK(cli::parse_ranks("3,0-2", 4) == std::vector<Rank>{3, 0, 1, 2});
  CHECK_THROWS_AS(cli::parse_ranks("", 4), UserError);
  CHECK_THROWS_AS(cli::parse_ranks("1,", 4), UserError);
  CHECK_THROWS_AS(cli::parse_ranks("-1", 4), UserError);
  CHECK(cli::parse_steps("2:5") == std::pair(2, 5));
  CHECK(cli::parse_steps("2:") == std::pair(2, 0));
  CHECK(cli::parse_steps(":5") == std::pair(1, 5));
  CHECK(cli::parse_steps("4") == std::pair(4, 4));
  CHECK_THROWS_AS(cli::parse_steps("0:2"), UserError);
  CHECK_THROWS_AS(cli::parse_steps("a"), UserError);
}

TEST_CASE("cli: a link to a file stays a link, a device stays a device") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "file", link = folder / "link";
  cli::write_whole(file, "old");
  std::filesystem::create_symlink(file, link);
  cli::write_whole(link, "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read(file) == "new");
  cli::write_whole("/dev/null", "nothing");
  CHECK_FALSE(std::filesystem::is_regular_file("/dev/null"));
  CHECK(files_in(folder.path()) == 2);
}
