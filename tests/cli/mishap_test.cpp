// The command in circumstances that nobody meant: files that stand in its way, closed descriptors,
// limits of the system.
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/core/trace_file.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::run_rankscope;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_ring(const std::string& path) {
  TraceMeta meta;
  meta.world_size = 3;
  meta.algorithm = "allreduce.ring";
  TraceWriter writer(path, meta);
  for (auto& batch : test::record(3, test::ring_of(6))) writer.deliver(std::move(batch));
  writer.close(meta);
}

}  // namespace

TEST_CASE("cli: two runs do not write one trace") {
  const test::TemporaryFolder folder;
  const auto file = folder / "a.rankscope";
  const auto run_it = [&](const std::string& output) {
    return run_rankscope({"run", "allreduce.ring", "-n", "2", "-t", "inproc", "-o", output});
  };
  {
    TraceMeta meta;
    meta.world_size = 2;
    TraceWriter other(file, meta);
    const auto whole = read(file);
    const auto run = run_it(file);
    INFO(run.err);
    CHECK(run.exit_code == cli::kBadInput);
    CHECK(has(run.err, "another run is writing it: choose another -o"));
    CHECK(read(file) == whole);
    CHECK(TraceReader::open(file).world_size() == 2);  // readers are free
  }
  CHECK(run_it(file).exit_code == cli::kOk);
  CHECK(run_it(file).exit_code == cli::kOk);  // and once more, over the older one
  CHECK(run_it("/dev/null").exit_code == cli::kOk);
}

TEST_CASE("cli: export does not replace the trace that it reads") {
  const test::TemporaryFolder folder;
  write_ring(folder / "a.rankscope");
  for (const char* name : {"lesson.json", "lesson.svg", "lesson-001.png"})
    std::filesystem::copy_file(folder / "a.rankscope", folder / name);
  std::filesystem::create_symlink(folder / "a.rankscope", folder / "link.csv");
  const auto whole = read(folder / "a.rankscope");
  const std::vector<std::vector<std::string>> mistakes{
      {"a.rankscope", "--format", "csv", "-o", "./a.rankscope"},
      {"a.rankscope", "-o", "link.csv"},
      {"lesson.json"},
      {"lesson.svg", "--diagram", "spacetime"},
      {"a.rankscope", "--format", "svg", "-o", folder / "a.rankscope"},
      {"lesson-001.png", "-o", "lesson.png", "--sequence"}};
  for (auto arguments : mistakes) {
    const auto file = folder / arguments.front();
    arguments.insert(arguments.begin(), "export");
    const auto run = run_rankscope(arguments, {.folder = folder.path()});
    INFO(file << ": " << run.err);
    CHECK(run.exit_code == cli::kBadInput);
    CHECK(has(run.err, "that is the trace itself"));
    CHECK(read(file) == whole);
  }
}
