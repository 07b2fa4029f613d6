// `rankscope parallel` of pipelines: pictures of the schedule, and what is kept.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using nlohmann::json;

namespace {

test::Finished pipeline(const test::TemporaryFolder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "parallel");
  return test::run_rankscope(words, {.folder = folder.path()});
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("training: `rankscope parallel` draws a pipeline's schedule, planned and as it ran",
          "[parallel]") {
  const test::TemporaryFolder folder;
  const std::string picture = folder / "schedule.svg";
  const auto done = pipeline(
      folder, {"1f1b", "--np", "3", "--microbatches", "4", "--schedule", picture, "--json"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const std::string svg = contents(picture);
  CHECK_THAT(svg, ContainsSubstring("1F1B: 3 stages, 4 microbatches"));
  CHECK_THAT(svg, ContainsSubstring("2/6 = 33.3 %"));
  CHECK_THAT(svg, ContainsSubstring("as it ran"));
  CHECK_THAT(svg, ContainsSubstring("idle: the bubble") &&
                      ContainsSubstring("waits for a message, or is done") &&
                      ContainsSubstring("neither computes nor communicates"));
  for (const char* keeps : {"keeps 3", "keeps 2", "keeps 1"})
    CHECK_THAT(svg, ContainsSubstring(keeps));
  // Each slot is there twice: 3 stages, 4 microbatches, both ways.
  std::size_t bars = 0;
  for (std::size_t at = svg.find("of microbatch"); at != std::string::npos;
       at = svg.find("of microbatch", at + 1))
    ++bars;
  CHECK(bars >= 2 * 3 * 4 * 2);
  const json memory = parse_json(done.out).at("memory");
  CHECK(memory.at(1).at("here") == 3);
  CHECK(memory.at(1).at("serial") == 4);

  const std::string dark = folder / "dark.svg";
  REQUIRE(
      pipeline(folder, {"gpipe", "--np", "2", "--schedule", dark, "--theme", "dark"}).exit_code ==
      0);
  CHECK(contents(dark) != svg);
}

TEST_CASE("training: pictures of schedules that cannot be are refused before anything runs",
          "[parallel]") {
  const test::TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> words, const char* says) {
    const auto done = pipeline(folder, std::move(words));
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring(says));
  };
  refused({"tensor", "--schedule", "a.svg"}, "--schedule is for pipelines");
  refused({"gpipe", "--schedule", "a.gif"}, ".svg, .png or .pdf");
  refused({"gpipe", "--schedule", "a.svg", "--theme", "pink"}, "light, dark or print");
  refused({"gpipe", "--np", "8"}, "take 8 layers or fewer ranks");
  refused({"gpipe", "--microbatches", "9"}, "fewer microbatches");
  refused({"experts", "--experts", "2"}, "take 4 experts or fewer ranks");
  refused({"sharded", "--batch", "2"}, "take a batch of 4 or fewer ranks");
  CHECK(std::filesystem::is_empty(folder.path()));
}
