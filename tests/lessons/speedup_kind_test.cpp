// The kind of question that compares a measured table of k*(N) with reference runs: tolerance, parts, misreadings.
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "lessons/grading/grade.h"
#include "lessons/kinds/speedup_answer.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using nlohmann::json;
using test::has;
using test::KindBench;
using State = Verdict::State;

// Seconds rise with the number of workers; k* falls, and less than 1/N.
constexpr const char* kRuns =
    "# made by hand\n"
    "ranks,seed,iterations,best_accuracy,computing_s,communicating_s\n"
    "1,1,1000,0.97,20,1\n1,2,1100,0.97,20,1\n1,3,900,0.97,20,1\n1,4,1050,0.97,20,1\n"
    "2,1,700,0.97,20,9\n2,2,770,0.97,20,9\n2,3,640,0.97,20,9\n2,4,720,0.97,20,9\n"
    "4,1,500,0.97,20,20\n4,2,540,0.97,20,20\n4,3,470,0.97,20,20\n4,4,520,0.97,20,20\n";

json data(bool more = false) {
  return {{"worlds", {1, 2, 4}}, {"reference", kRuns}, {"until", 0.97}, {"every", 10},
          {"batch", 32},         {"pictures", 60000},  {"curve", more}, {"linear", more}};
}

Verdict speedup_verdict(const json& answer, bool more = false) {
  KindBench bench;
  return bench.grade(KindBench::question("speedup", data(more)), answer);
}

TEST_CASE("A further run's interval covers its seeds, and the formula by hand",
          "[lessons][speedup]") {
  const auto rows = read_reference_runs(kRuns);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].runs == 4);
  CHECK(rows[1].seconds == Approx(29));
  for (const ReferenceRow& row : rows) {
    const auto range = row.prediction(0);
    REQUIRE(range);
    for (const double value : row.iterations) CHECK(range->holds(value));
    CHECK(!range->holds(row.mean() * 2));
    CHECK(!range->holds(row.mean() / 2));
  }
  // Two runs, 100 and 121: logarithms 2 ln 1.1 apart, s = sqrt(2) ln 1.1, t = 63.657, sqrt(1 + 1/2).
  const auto two = read_reference_runs("ranks,iterations\n1,100\n1,121\n").front().prediction(3);
  REQUIRE(two);
  const double half = 63.657 * std::sqrt(2.0) * std::log(1.1) * std::sqrt(1.5);
  CHECK(two->most == Approx(110 * std::exp(half) + 3));
  CHECK(two->least == Approx(110 * std::exp(-half) - 3));
}

TEST_CASE("Reference runs that cannot be read are named by their line", "[lessons][speedup]") {
  const auto why = [](const char* csv) -> std::string {
    try {
      read_reference_runs(csv);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(has(why(""), "rankscope train"));
  CHECK(has(why("ranks,seed\n1,1\n"), "no column 'iterations'"));
  CHECK(has(why("ranks,iterations\n1,100\n2,many\n"), "line 3"));
  CHECK(has(why("ranks,iterations\n0,100\n"), "line 2"));
  CHECK(has(why("ranks,iterations\n1,-5\n"), "'-5'"));
  const auto never = read_reference_runs("ranks,seed,iterations\r\n1,1,\r\n1,2,50\r\n");
  CHECK(never.front().runs == 2);
  CHECK(never.front().iterations.size() == 1);
}

TEST_CASE("Each reference run is a right answer", "[lessons][speedup]") {
  for (const auto& k : {json{1000, 700, 500}, json{1100, 640, 540}, json{900, 770, 470}}) {
    json speedup = json::array();
    for (const json& one : k) speedup.push_back(k[0].get<double>() / one.get<double>());
    INFO(k);
    CHECK(speedup_verdict({{"k", k}, {"speedup", speedup}}).state == State::right);
  }
}

TEST_CASE("The parts of a table of k*(N) count by themselves", "[lessons][speedup]") {
  const Verdict one = speedup_verdict({{"k", {1000, 700, 3000}}, {"speedup", {1, 1.43, 0.33}}});
  CHECK(one.points == Approx((5 * 2.0 / 3 + 2) / 7));
  CHECK(has(one.says, "k*(4) is larger"));
  const Verdict upside = speedup_verdict({{"k", {1000, 700, 500}}, {"speedup", {1, 0.7, 0.5}}});
  CHECK(has(upside.says, "upside down"));
  CHECK(upside.points == Approx((5 + 2.0 / 3) / 7));
  CHECK(has(speedup_verdict({{"k", {1000, 700, 500}}, {"speedup", {1, 2, 4}}}).says,
            "one would wish for"));
  CHECK(has(speedup_verdict({{"k", {1000, 700, 500}}, {"speedup", {1, 1.3, 2}}}).says, "N = 2"));
  CHECK(has(speedup_verdict({{"k", {1000, 700, "-"}}, {"speedup", {1, 1.43, "-"}}}).says,
            "k*(4) is missing"));
  CHECK(speedup_verdict({{"k", {1000, 700}}}).state == State::malformed);
  CHECK(speedup_verdict({{"k", {1000, 700, 0}}}).state == State::malformed);
  CHECK(speedup_verdict({{"kk", {1000, 700, 500}}}).state == State::malformed);
}

TEST_CASE("Usual misreadings of k*(N) are named", "[lessons][speedup]") {
  const auto says = [](const json& k) { return speedup_verdict({{"k", k}}).says; };
  CHECK(has(says({1, 1, 1}), "epochs"));
  CHECK(has(says({0.53, 0.75, 1.07}), "epochs"));
  CHECK(has(says({25, 35, 45}), "seconds"));
  CHECK(has(says({120.5, 80.25, 61.5}), "seconds"));
  CHECK(has(says({1000, 500, 250}), "exactly k*(1)/N"));
  CHECK(has(says({1000, 1400, 2000}), "added up"));
  CHECK(has(says({32000, 22400, 16000}), "numbers of pictures"));
  CHECK(has(says({32000, 44800, 64000}), "numbers of pictures"));
  CHECK(has(says({400, 300, 220}), "training pictures"));
  // And what is only wrong is not one of them.
  CHECK(has(says({1000, 700, 4000}), "spread of our 4 runs"));
}

TEST_CASE("A curve has to reach the accuracy where k* says", "[lessons][speedup]") {
  const auto with = [](const std::string& curve) {
    return speedup_verdict(
        {{"k", {1000, 700, 500}}, {"speedup", {1, 1.43, 2}}, {"linear", "no"}, {"curve", curve}},
        true);
  };
  const std::string good =
      "ranks,iteration,accuracy\n1,990,0.9691\n1,1000,0.9702\n2,690,0.9699\n2,700,0.9703\n"
      "4,490,0.9688\n4,500,0.9701\n";
  CHECK(with(good).state == State::right);
  CHECK(has(with(good.substr(0, good.size() - 28)).says, "N = 4 has no curve"));
  CHECK(has(with("1 980 0.971 1 1000 0.972").says,
            "first reaches 0.97 at iteration 980, and k* is 1000"));
  CHECK(has(with("1 1000 0.9 1 990 0.97").says, "do not ascend"));
  CHECK(has(with("1 100 96.9 1 1000 97.2").says, "not from 0 to 1"));
  CHECK(with("1 100").state == State::malformed);
  CHECK(has(with("").says, "plot's data are missing"));
  // Multiples of 1/32: 30/32, 31/32.
  std::string of_batches;
  for (const char* const n : {"1", "2", "4"})
    of_batches += std::string(n) + " 100 0.875, " + n + " 200 0.9375, " + n + " 300 0.9688, " + n +
                  " 400 1, ";
  const json early = {
      {"k", {400, 400, 400}}, {"speedup", {1, 1, 1}}, {"linear", "no"}, {"curve", of_batches}};
  CHECK(has(speedup_verdict(early, true).says, "training batches"));
}

TEST_CASE("What cannot be read in a table of k*(N) is named with its place", "[lessons][speedup]") {
  const Question question = KindBench::question("speedup", data(true));
  const auto fault = [&](const json& answer) { return fault_in_form(question, {}, answer); };
  const auto rows = [&](const std::string& curve) { return fault({{"curve", curve}}); };
  CHECK(rows("1 10 0.9\nqrs\ntuv\nwxy") == "row 2 of the curve: 'qrs' is not a number");
  CHECK(rows("a1 1180 0.968\n8 340 0.97o") == "row 1 of the curve: 'a1' is not a number");
  CHECK(rows("1 1180 0.968, 8 340 0.97o") == "row 2 of the curve: '0.97o' is not a number");
  CHECK(rows("1 1180\n1 1200 0.97") ==
        "row 1 of the curve has 2 numbers of three: N, iteration, accuracy");
  CHECK(has(rows("qrs\ntuv"), "no rows"));
  CHECK(has(rows("N iteration 1 100 0.9"), "row 1 of the curve: 'N'"));
  // The heads of files in a row, with which one may paste them.
  const std::string file = "ranks,iteration,accuracy\n1,100,90%\n";
  CHECK(rows(file + file + "\n2,100,0.9\n").empty());
  CHECK(rows("N, iteration, accuracy, 1, 100, 0.9").empty());
  CHECK(rows("| N | iteration | accuracy |\n|---|---|---|\n| 1 | 100 | 0.9 |").empty());
  CHECK(has(fault({{"k", {1000, "x", 500}}}), "k*(2): "));
  CHECK(has(fault({{"k", {1000, 700, 500}}, {"speedup", {1, 1.43, "y"}}}), "k*(1)/k*(4): "));
}

TEST_CASE("Whether the speedup is linear is what the reference says", "[lessons][speedup]") {
  const json answer = {{"k", {1000, 700, 500}}, {"speedup", {1, 1.43, 2}}, {"linear", "Yes"}};
  CHECK(has(speedup_verdict(answer, true).says, "not linear"));
  json linear = data(true);
  linear["reference"] =
      "ranks,iterations\n1,1000\n1,1100\n1,900\n2,500\n2,550\n2,450\n4,250\n4,275\n4,225\n";
  KindBench bench;
  CHECK(bench.key(KindBench::question("speedup", linear))["linear"] == "yes");
  CHECK(bench.key(KindBench::question("speedup", data(true)))["linear"] == "no");
}

TEST_CASE("A table of k*(N) may be typed", "[lessons][speedup]") {
  KindBench bench;
  const Question question = KindBench::question("speedup", data(true));
  const char* const typed =
      "k: 1000, 700, 500; speedup: 1, 1.43, 2; linear: no; curve: 1 0 0.1, 1 1000 0.97, 2 0 0.1, 2 "
      "700 0.98, 4 0 0.1, 4 "
      "500 0.97";
  CHECK(bench.grade(question, typed).state == State::right);
  CHECK(bench.grade(question, "k: 1000 700; what: 1").state == State::malformed);
  CHECK(bench.grade(question, "k: -, -, -").points == 0);
}

}  // namespace
}  // namespace rankscope
