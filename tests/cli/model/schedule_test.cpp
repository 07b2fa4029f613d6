// `rankscope schedule`: proofs, files of each format, comparisons, and what it refuses.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

namespace {

std::string with_file(const std::string& path, std::string_view text) {
  std::ofstream(path) << text;
  return path;
}
std::string whole_file(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

constexpr std::string_view kPair =
    "1: 0 -> 1 chunk 1 add; 1: 1 -> 0 chunk 0 add\n2: 0 -> 1 chunk 0 keep; 2: 1 -> 0 chunk 1 "
    "keep\n";

}  // namespace

TEST_CASE("cli: schedule prove accepts a right table and refuses a wrong one with its step") {
  const test::TemporaryFolder folder;
  const std::string file = with_file(folder / "pair.txt", kPair);
  const std::vector<std::string> prove{"schedule", "prove",        file,       "-n",
                                       "2",        "--collective", "allreduce"};
  CHECK(run_rankscope(prove).exit_code == cli::kOk);
  auto blocking = prove;
  blocking.insert(blocking.end(), {"--posting", "blocking", "--json"});
  const auto cycle = run_rankscope(blocking);
  CHECK(cycle.exit_code == cli::kFailed);
  const auto json = nlohmann::json::parse(cycle.out);
  CHECK(json["right"] == false);
  CHECK(json["faults"][0]["kind"] == "cycle");
  CHECK(json["faults"][0]["counter_example"].size() == 2);
  blocking.insert(blocking.end(), {"--send-mode", "buffered"});
  CHECK(run_rankscope(blocking).exit_code == cli::kOk);
  with_file(file, std::string(kPair) + "2: 0 -> 1 chunk 1 add\n");
  const auto wrong = run_rankscope(prove);
  CHECK(wrong.exit_code == cli::kFailed);
  CHECK(has(wrong.out, "contribution doubled: rank 1"));
  CHECK(has(wrong.out, "step 2"));
  auto drawn = prove;
  drawn.insert(drawn.end(), {"--picture", folder / "pair.svg"});
  CHECK(run_rankscope(drawn).exit_code == cli::kFailed);
  CHECK(has(whole_file(folder / "pair.svg"), "contribution doubled"));
}

TEST_CASE("cli: schedule convert goes through all formats and back") {
  const test::TemporaryFolder folder;
  const std::string first = with_file(folder / "pair.txt", kPair);
  const auto convert = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"schedule", "convert"});
    const auto run = run_rankscope(words);
    INFO(run.err);
    CHECK(run.exit_code == cli::kOk);
  };
  convert({first, folder / "a.xml", "-n", "2", "--collective", "allreduce"});
  convert({folder / "a.xml", folder / "b.goal", "--bytes", "64"});
  CHECK(has(whole_file(folder / "b.goal"), "send 32b to 1 tag 0"));
  convert({folder / "b.goal", folder / "c.et"});
  CHECK(std::filesystem::exists(folder / "c.1.et"));
  convert({folder / "c.et", folder / "d.schedule"});
  CHECK(whole_file(folder / "d.schedule") ==
        "# allreduce on 2 ranks\n1: 0 -> 1 chunk 1 add\n1: 1 -> 0 chunk 0 add\n2: 0 -> 1 chunk 0 "
        "keep\n2: 1 -> 0 chunk 1 keep\n");
  const auto shown = run_rankscope({"schedule", "show", folder / "a.xml"});
  CHECK(shown.out == whole_file(folder / "d.schedule"));
}

TEST_CASE("cli: a recorded run becomes a schedule that costs what its closed form says") {
  const test::TemporaryFolder folder;
  REQUIRE(run_rankscope({"run", "allreduce.ring", "-n", "4", "--transport", "inproc", "-o",
                         folder / "r.rankscope"})
              .exit_code == cli::kOk);
  REQUIRE(run_rankscope({"schedule", "from-trace", folder / "r.rankscope", "-o", folder / "r.xml"})
              .exit_code == cli::kOk);
  CHECK(run_rankscope({"schedule", "prove", folder / "r.xml"}).exit_code == cli::kOk);
  const auto compared = run_rankscope(
      {"schedule", "compare", folder / "r.xml", "--bytes", "1000", "--gamma", "20GB/s", "--json"});
  REQUIRE(compared.exit_code == cli::kOk);
  const auto json = nlohmann::json::parse(compared.out);
  nlohmann::json own, ring;
  for (const auto& row : json["rows"]) {
    if (row["own"] == true) own = row;
    else if (row["name"] == "allreduce.ring") ring = row;
  }
  CHECK(own["time_s"].get<double>() == Approx(ring["time_s"].get<double>()).epsilon(1e-12));
  CHECK(own["rounds"] == ring["rounds"]);
  CHECK(own["busiest_bytes"] == ring["busiest_bytes"]);
}

TEST_CASE("cli: schedule synthesise writes what prove accepts") {
  const test::TemporaryFolder folder;
  const auto found = run_rankscope({"schedule", "synthesise", "--topology", "hypercube:8",
                                    "--latency", "0", "-o", folder / "h.xml", "--json"});
  REQUIRE(found.exit_code == cli::kOk);
  CHECK(nlohmann::json::parse(found.out)["share_of_bound"].get<double>() >= 0.95);
  CHECK(run_rankscope({"schedule", "prove", folder / "h.xml", "--send-mode", "rendezvous"})
            .exit_code == cli::kOk);
  // A topology that comes with rankscope, with links that its ranks share.
  const auto server = run_rankscope({"schedule", "synthesise", "--topology", "puzzler",
                                     "--collective", "allgather", "-o", folder / "p.goal"});
  INFO(server.err);
  CHECK(server.exit_code == cli::kOk);
  CHECK(run_rankscope({"schedule", "prove", folder / "p.goal"}).exit_code == cli::kOk);
}

TEST_CASE(
    "cli: on the puzzler's server a found schedule beats a ring in order of ranks as its links "
    "say") {
  const test::TemporaryFolder folder;
  const auto seconds = [](const std::vector<std::string>& arguments, const char* key) {
    const auto done = run_rankscope(arguments);
    INFO(done.err);
    REQUIRE(done.exit_code == cli::kOk);
    return nlohmann::json::parse(done.out)[key].get<double>();
  };
  const double best = seconds({"schedule", "synthesise", "--topology", "puzzler", "--bytes",
                               "256MiB", "-o", folder / "p.txt", "--json"},
                              "time_s");
  const double naive = seconds({"sim", "allreduce.ring", "-n", "8", "--topology", "puzzler",
                                "--count", "67108864", "--dtype", "float32", "--json"},
                               "finish_s");
  // The hops 1 to 2 and 5 to 6 share the 20.8 GB/s between the sockets; the ring of NVLinks has 100 GB/s everywhere.
  CHECK(naive / best == Approx(100 / (20.8 / 2)).epsilon(0.01));
}

TEST_CASE("cli: schedule runs moves(n) of a program in Python") {
  const test::TemporaryFolder folder;
  const std::string file =
      with_file(folder / "ring.py",
                "from rankscope.schedule import send\n"
                "def moves(n):\n"
                "    print('not a move')\n"
                "    for step in range(1, n):\n"
                "        for rank in range(n):\n"
                "            yield send(step, rank, (rank + 1) % n, (rank - step) % n, 'add')\n");
  const auto proved = run_rankscope(
      {"schedule", "prove", file, "-n", "5", "--collective", "reduce_scatter", "--no-sandbox"});
  INFO(proved.err);
  CHECK(proved.exit_code == cli::kOk);
  const std::string wrong = with_file(
      folder / "wrong.py",
      "from rankscope.schedule import send\ndef moves(n):\n    yield send(1, 0, n / 2)\n");
  const auto refused = run_rankscope(
      {"schedule", "prove", wrong, "-n", "4", "--collective", "broadcast", "--no-sandbox"});
  CHECK(refused.exit_code == cli::kBadInput);
  CHECK(has(refused.err, "wrong.py, line 3"));
  CHECK(has(refused.err, "dst should be a whole number, not 2.0"));
}

TEST_CASE("cli: schedule refuses what it cannot do, and says what to do") {
  const test::TemporaryFolder folder;
  const std::string file = with_file(folder / "pair.txt", kPair);
  const auto refused = [](std::vector<std::string> words, std::string_view what) {
    words.insert(words.begin(), "schedule");
    const auto run = run_rankscope(words);
    CHECK(run.exit_code == cli::kBadInput);
    INFO(run.err);
    CHECK(has(run.err, what));
  };
  refused({"prov", file}, "did you mean 'prove'");
  refused({"prove", file}, "--ranks and --collective");
  refused({"prove", file, "-n", "2", "--collective", "allreduces"}, "is no collective");
  refused({"prove", file, "-n", "1", "--collective", "allreduce"}, "there is no rank 1");
  refused({"prove", file, "-n", "2", "--collective", "allreduce", "--alpha", "1us"},
          "takes no --alpha");
  refused({"prove", folder / "none.xml"}, "cannot be read");
  refused({"convert", file, folder / "x.json", "-n", "2", "--collective", "allreduce"},
          "Known are");
  refused({"convert", file}, "takes a file to read and one to write");
  refused({"synthesise", "--topology", "ring:200"}, "2 to 128");
  refused({"synthesise", "--topology", "rings"}, "rings");
  refused({"from-trace", file}, "pair.txt");
}
