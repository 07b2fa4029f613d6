// `rankscope train` as one types it.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/scratch_folder.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/training/made_up_pictures.h"

using namespace rankscope;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() { test::write_pictures(folder_.path() / "data", test::made_up_pictures(200, 100)); }

  std::string operator/(const char* name) const { return (folder_.path() / name).string(); }
  test::Finished train(std::vector<std::string> more) const {
    std::vector<std::string> words{"train",  "lenet",       "--data",  *this / "data",
                                   "-o",     *this / "out", "--batch", "8",
                                   "--step", "0.05",        "--every", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_rankscope(words);
  }

 private:
  ScratchFolder folder_{"train"};
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("training: the command prints the table of k*(N), and writes it", "[training]") {
  const Folder folder;
  const std::vector<std::string> words{"--np",    "1,2", "--seeds", "2",
                                       "--until", "0.5", "--most",  "300"};
  const test::Finished done = folder.train(words);
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("k*(N)") && ContainsSubstring("2 of 2"));
  CHECK_THAT(done.err,
             ContainsSubstring(
                 "batch 8 a worker, step 0.05, momentum 0, test pictures every 5 iterations"));
  CHECK_THAT(text_of(folder / "out/speedup.md"),
             ContainsSubstring("| 1 | ") && ContainsSubstring("| 2 | "));
  CHECK_THAT(text_of(folder / "out/speedup.tex"), ContainsSubstring("\\begin{tabular}"));
  CHECK_THAT(text_of(folder / "out/runs.csv"),
             ContainsSubstring("ranks,seed,iterations") && ContainsSubstring("\n2,2,"));
  for (const char* plot : {"out/loss.svg", "out/accuracy.svg", "out/speedup.svg"})
    CHECK_THAT(text_of(folder / plot), ContainsSubstring("</svg>"));
  CHECK(!fs::exists(folder / "out/np1-seed1"));  // no checkpoints of finished runs

  // Again: nothing is run a second time.
  const std::string log = text_of(folder / "out/np2-seed1.jsonl");
  auto again = words;
  again.emplace_back("--json");
  const test::Finished same = folder.train(again);
  REQUIRE(same.exit_code == 0);
  CHECK(text_of(folder / "out/np2-seed1.jsonl") == log);
  const json result = parse_json(same.out);
  CHECK(result.at("accuracy") == 0.5);
  REQUIRE(result.at("table").size() == 2);
  CHECK(result.at("table")[0].at("speedup").at("mean") == 1.0);
  CHECK(result.at("table")[1].at("ranks") == 2);
  CHECK(result.at("runs").size() == 4);
  for (const json& run : result.at("runs")) CHECK(run.at("iterations").get<int>() % 5 == 0);

  SECTION("other settings are not mixed with them") {
    auto other = words;
    other.insert(other.end(), {"--momentum", "0.5"});
    const test::Finished refused = folder.train(other);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err,
               ContainsSubstring("holds runs with other settings") && ContainsSubstring("--again"));
    other.emplace_back("--again");
    CHECK(folder.train(other).exit_code == 0);
    CHECK(text_of(folder / "out/np2-seed1.jsonl") != log);
  }
}

TEST_CASE("training: runs that never reach the accuracy count as such", "[training]") {
  const Folder folder;
  const test::Finished done = folder.train({"--np", "2", "--seeds", "1", "--until", "1", "--most",
                                            "5", "--average", "gossip", "--json"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const json result = parse_json(done.out);
  CHECK(result.at("table")[0].at("reached") == 0);
  CHECK(result.at("table")[0].at("iterations").is_null());
  CHECK(result.at("runs")[0].at("iterations").is_null());
}

TEST_CASE("training: what the command cannot do is refused, with what to do", "[training]") {
  const Folder folder;
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"--average", "sums"}, "--average is one of parameters, gradients, gossip, not 'sums'"},
      {{"--share", "x"}, "--share is one of sampled, sharded"},
      {{"--style", "x"}, "--style is one of 1998, today"},
      {{"--until", "97"}, "such as 0.97"},
      {{"--seeds", "0"}, "--seeds is 1 or more"},
      {{"--np", "0"}, "--np"},
      {{"--allreduce", "allreduce.rng"}, "allreduce.ring"},
      {{"--allreduce", "broadcast.flat"}, "is no allreduce"},
      {{"--average", "gossip", "--period", "3"}, "average the parameters"},
      {{"--momentum", "1"}, "less than 1"}};
  for (const auto& [words, says] : cases) {
    const test::Finished done = folder.train(words);
    INFO(says);
    CHECK(done.exit_code == 2);
    CHECK_THAT(done.err, ContainsSubstring(says));
    CHECK(done.out.empty());
  }
  const test::Finished nothing = test::run_rankscope(
      {"train", "lenet"}, {.environment = {{"XDG_DATA_HOME", folder / "empty"}}});
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err,
             ContainsSubstring("mnist is not here: `rankscope data mnist` fetches it"));
  // Pictures under the name of a data set whose they are not.
  test::write_pictures(folder / "home/rankscope/data/mnist", test::made_up_pictures(20, 10));
  const test::Finished damaged = test::run_rankscope(
      {"train", "lenet", "--data", "mnist"}, {.environment = {{"XDG_DATA_HOME", folder / "home"}}});
  CHECK(damaged.exit_code == 2);
  CHECK_THAT(damaged.err, ContainsSubstring("images-idx3-ubyte") &&
                              ContainsSubstring("its checksum differs") &&
                              ContainsSubstring("Remove ") &&
                              ContainsSubstring("`rankscope data mnist` fetches it"));
  const test::Finished network =
      test::run_rankscope({"train", "resnet", "--data", folder / "data"});
  CHECK(network.exit_code == 2);
  CHECK_THAT(network.err, ContainsSubstring("there is no network 'resnet'"));
  const test::Finished data = test::run_rankscope({"train", "--data", folder / "nowhere"});
  CHECK(data.exit_code == 2);
  CHECK_THAT(data.err, ContainsSubstring("there is no folder") &&
                           ContainsSubstring("mnist-small, fashion-mnist"));
}
