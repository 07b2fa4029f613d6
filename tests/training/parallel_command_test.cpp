// `rankscope parallel` in real processes: right steps, bytes as by formula, traces that other commands read.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/training/job/parallel_run.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using namespace rankscope::training;
using nlohmann::json;

namespace {

test::Finished parallel(const test::TemporaryFolder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "parallel");
  return test::run_rankscope(words, {.folder = folder.path()});
}

}  // namespace

TEST_CASE("training: each parallel form runs in processes, and its trace is in order",
          "[parallel]") {
  const test::TemporaryFolder folder;
  for (const ParallelForm& form : parallel_forms())
    for (const int ranks : {2, 4}) {
      const std::string name(form.name), trace = folder / (name + ".rankscope");
      INFO(fmt::format("{} on {} ranks", name, ranks));
      const auto done = parallel(
          folder, {name, "--np", fmt::format("{}", ranks), "-o", trace, "--json", "--seed", "9"});
      INFO(done.err);
      REQUIRE(done.exit_code == 0);
      const json result = parse_json(done.out);
      CHECK(result.at("ok") == true);
      CHECK(result.at("missing_elements") == 0);
      CHECK(result.at("largest_error").get<double>() < 1e-10);
      CHECK(result.at("other_bytes") == 0);
      CHECK(!result.at("lines").empty());
      for (const json& line : result.at("lines")) {
        INFO(line.at("name"));
        CHECK(line.at("bytes") == line.at("counted"));
      }
      REQUIRE(result.at("ranks").size() == std::size_t(ranks));
      for (const json& rank : result.at("ranks")) CHECK(rank.at("elements").get<int>() > 100);

      const auto check = test::run_rankscope({"check", trace});
      INFO(check.out);
      CHECK(check.exit_code == 0);
    }
}

TEST_CASE("training: the command prints a step's lines and draws its trace", "[parallel]") {
  const test::TemporaryFolder folder;
  const auto done = parallel(folder, {"tensor", "--np", "2", "--layers", "1", "--dtype", "float32",
                                      "--allreduce", "allreduce.bde"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("forward: sum after o_proj") &&
                           ContainsSubstring("allreduce.bde") && ContainsSubstring("float32") &&
                           ContainsSubstring("[64, 32]") && ContainsSubstring("8192") &&
                           ContainsSubstring("The step is the serial network's") &&
                           ContainsSubstring("tensor-n2.rankscope"));
  const auto picture = test::run_rankscope({"export", "tensor-n2.rankscope", "-o", "a.svg"},
                                           {.folder = folder.path()});
  CHECK(picture.exit_code == 0);
  std::ifstream svg(folder / "a.svg");
  CHECK_THAT(std::string(std::istreambuf_iterator<char>(svg), {}),
             ContainsSubstring("tensor parallel, 2 ranks"));
  const auto stats = test::run_rankscope({"trace", "stats", folder / "tensor-n2.rankscope"});
  CHECK_THAT(stats.out, ContainsSubstring("backward: sum before fc1"));
}

TEST_CASE("training: without a form the command lists all of them", "[parallel]") {
  const test::TemporaryFolder folder;
  const auto text = parallel(folder, {}), listed = parallel(folder, {"--json"});
  REQUIRE(text.exit_code == 0);
  const json all = parse_json(listed.out);
  REQUIRE(all.size() == parallel_forms().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].at("name") == parallel_forms()[i].name);
    CHECK_THAT(text.out, ContainsSubstring(std::string(parallel_forms()[i].name)));
  }
}

TEST_CASE("training: what a parallel step cannot be is refused, and nothing is left",
          "[parallel]") {
  const test::TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"tensr"}, "did you mean 'tensor'?"},
      {{"tensor", "--np", "0"}, "--np is 1 or more"},
      {{"tensor", "--np", "16"}, "too few for 16 ranks"},
      {{"ulysses", "--np", "3"}, "3 ranks do not divide 8"},
      {{"ring-attention", "--sequence", "3"}, "too short for 4 ranks"},
      {{"tensor", "--heads", "5"}, "do not divide the width"},
      {{"tensor", "--layers", "0"}, "at least 1 layer"},
      {{"tensor", "--dtype", "int8"}, "--dtype is float64 or float32"},
      {{"tensor", "--allreduce", "allgather.ring"}, "is no allreduce"},
      {{"tensor", "-t", "post"}, "post"},
      {{"tensor", "-o", ""}, ""}};
  for (const auto& [words, says] : cases) {
    const auto done = parallel(folder, words);
    INFO(says << done.err);
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring(says));
    CHECK(done.out.empty());
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("training: settings of a parallel step come back from their JSON", "[parallel]") {
  ParallelRun run;
  run.form = "ulysses";
  run.settings.shape = {.layers = 3,
                        .batch = 5,
                        .sequence = 7,
                        .width = 18,
                        .heads = 9,
                        .inner = 11,
                        .vocabulary = 13};
  run.settings.microbatches = 2;
  run.settings.experts = 6;
  run.settings.seed = 77;
  run.settings.float64 = false;
  run.settings.alltoall = "alltoall.bruck";
  run.reports = "x";
  CHECK(to_json(parallel_run_from_json(to_json(run))) == to_json(run));
  CHECK(parallel_run_from_json(to_json(run)).settings.shape == run.settings.shape);
  CHECK_THROWS_AS(parallel_run_from_json("{}"), UserError);
  CHECK_THROWS_AS(parallel_run_from_json("no"), UserError);
}

TEST_CASE("training: a report that is missing or wrong is not taken for a right step",
          "[parallel]") {
  const ScratchFolder folder("reports");
  CHECK_THROWS_WITH(read_step_report(folder.path(), 3), ContainsSubstring("rank 3"));
  std::ofstream(folder.path() / "rank0.json") << R"({"rank": 0})";
  CHECK_THROWS_AS(read_step_report(folder.path(), 0), UserError);

  const ParallelSettings settings;
  StepReport report;
  report.lines = {{"a", "allreduce.ring", "[4]", 1, 24, "x"}};
  report.counts = {{{24, 16}, {1, 1}}, {{0, 0}, {0, 0}}};
  report.ranks = {{0, {1e-15, 1e-14, "q", 10}, {}}};
  CHECK(report.ok(settings));
  const auto refused = [&](const auto& change) {
    StepReport changed = report;
    change(changed);
    return !changed.ok(settings);
  };
  CHECK(refused([](StepReport& r) { r.ranks[0].error.gradients = 1e-6; }));
  CHECK(refused([](StepReport& r) { r.ranks[0].error.outputs = 1e-6; }));
  CHECK(refused([](StepReport& r) { r.counts[0].bytes[0] = 25; }));
  CHECK(refused([](StepReport& r) { r.counts[1].bytes[1] = 1; }));  // outside of all lines
  CHECK(refused([](StepReport& r) { r.missing = 1; }));
}
