// Answers as text: what is shown as the right answer is right when it is typed, or written into a sheet.
#include <set>

#include <fmt/format.h>

#include "engine/toml/toml_text.h"
#include "lessons/grading/answer_file.h"
#include "lessons/handout/answer_sheet.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
using State = Verdict::State;

TEST_CASE("Shown keys, written into the sheet, get full marks", "[lessons][content]") {
  const LessonLibrary library(lessons_folder());
  LessonRuns runs;
  for (const std::string& name : library.course_names())
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto entries = entries_of(library.course(name), library);
      std::string sheet = answer_sheet(entries, {name, "Ada", seed}, runs);
      std::size_t filled = 0;
      const auto graded = [](const CourseEntry& entry) {
        return entry.question != nullptr && !entry.question->kind->marked_by_hand();
      };
      const auto key_of = [&](const CourseEntry& entry) {
        runs.know(entry.lesson->runs);
        return entry.question->kind->key(*entry.question, variant_of(*entry.question, seed), runs);
      };
      const auto id_of = [](const CourseEntry& entry) {
        return entry.lesson->slug + "/" + entry.question->id;
      };
      for (const CourseEntry& entry : entries) {
        if (!graded(entry)) continue;
        const std::string line = toml_quoted(id_of(entry)) + " = ";
        const auto at = sheet.find("\n" + line + "\"\"\n");
        INFO(line);
        REQUIRE(at != std::string::npos);
        const std::string text = entry.question->kind->show(*entry.question, key_of(entry));
        sheet.replace(at + 1, line.size() + 2, line + toml_quoted(text));
        ++filled;
      }
      CHECK(filled > 0);
      const AnswerFile answers = read_answers(sheet, "sheet.toml");
      INFO(answers.fault << answers.complaints.to_string());
      REQUIRE(answers.fault.empty());
      for (const CourseEntry& entry : entries) {
        if (!graded(entry)) continue;
        const json& answer = answers.answers.at(id_of(entry));
        INFO(name << ", seed " << seed << ": " << id_of(entry) << " = " << answer);
        const json key = key_of(entry);
        const Verdict got =
            grade(*entry.question, variant_of(*entry.question, seed), key, answer, runs);
        INFO(got.says);
        CHECK(got.state == State::right);
        CHECK(got.points == entry.question->points);
      }
    }
}

TEST_CASE("A table may be written on one line", "[lessons][kinds]") {
  KindBench bench;
  const Question table = KindBench::question(
      "table",
      {{"rows", 3},
       {"columns",
        {{{"name", "buffered"}, {"answer", "ok"}}, {{"name", "bytes"}, {"answer", "=8*row"}}}}});
  CHECK(bench.grade(table, "buffered: ok, ok, ok; bytes: 0, 8, 16").state == State::right);
  CHECK(bench.grade(table, "bytes: 0 8 16; buffered: OK ok ok").state == State::right);
  CHECK(bench.grade(table, "ok ok ok; 0 8 16").state == State::right);
  CHECK(bench.grade(table, "buffered: ok, ok, ok").points == 0.5);
  CHECK(bench.grade(table, "buffered: ok, ok, ok, ok").state == State::malformed);
  CHECK(bench.grade(table, "bytes: 0; bytes: 8").state == State::malformed);
  // A mistyped column is reported, and not one that is missing.
  for (const json& mistyped :
       {json("bufered: ok, ok, ok"), json({{"bufered", {"ok", "ok", "ok"}}})}) {
    const Verdict got = bench.grade(table, mistyped);
    CHECK(got.state == State::malformed);
    CHECK(has(got.says, "there is no column 'bufered'; did you mean 'buffered'?"));
  }
  // Known mistakes may be texts, too.
  Question known = table;
  known.misconceptions = {{"all", "buffered: no no no; bytes: 0 8 16", "None of them.", 0}};
  CHECK(bench.grade(known, "buffered: no, no, no; bytes: 0, 8, 16").misconception == "all");
  // In the only row's cell blanks are blanks.
  const Question row = KindBench::question(
      "table", {{"rows", 1}, {"columns", {{{"name", "x"}, {"answer", "two words"}}}}});
  CHECK(bench.grade(row, "x: two words").state == State::right);
}

TEST_CASE("Whole numbers and counts are exact", "[lessons][kinds]") {
  KindBench bench(
      {run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 4}, {"count", 1 << 20}})});
  const Question whole = KindBench::question("number", {{"answer", 58720256}, {"whole", true}});
  CHECK(bench.grade(whole, 58720256).state == State::right);
  CHECK(bench.grade(whole, "2*7*2^22").state == State::right);
  for (const json& wrong : {json(58720257), json(58720240), json(58720256.3), json("58720256.3")}) {
    INFO(wrong);
    CHECK(bench.grade(whole, wrong).state == State::wrong);
  }
  CHECK(has(bench.grade(whole, 58720256.3).says, "A whole number"));
  const Question small = KindBench::question("number", {{"answer", 1000000}, {"whole", true}});
  CHECK(bench.grade(small, 1000000.4).state == State::wrong);
  CHECK(bench.grade(small, 1000001).state == State::wrong);
  // Measured: exact by itself, in any unit; unless the question says how far off one may be.
  const json measured = {{"run", "ring"}, {"measure", "bytes"}};
  const Question bytes = KindBench::question("number", {{"answer", measured}, {"unit", "B"}});
  const auto right = bench.key(bytes).get<double>();
  REQUIRE(right > 1e6);
  CHECK(bench.grade(bytes, right).state == State::right);
  CHECK(bench.grade(bytes, fmt::format("{} MiB", right / 1024 / 1024)).state == State::right);
  CHECK(bench.grade(bytes, right + 1).state == State::wrong);
  const Question about =
      KindBench::question("number", {{"answer", measured}, {"unit", "B"}, {"tolerance", 0.1}});
  CHECK(bench.grade(about, right * 1.05).state == State::right);
  // A number that a formula computes has the default tolerance.
  const Question time = KindBench::question("number", {{"answer", "=1/3"}});
  CHECK(bench.grade(time, 0.3333334).state == State::right);
  CHECK(bench.grade(time, 0.33334).state == State::wrong);
}

TEST_CASE("Orders by letters or by the items' texts, shuffled by the question's name",
          "[lessons][kinds]") {
  KindBench bench;
  Question order = KindBench::question("order", {{"items", {"wake", "eat", "{N} work", "sleep"}}});
  const Values n{{"N", 3}};
  CHECK(bench.grade(order, {"wake", "eat", "3 work", "sleep"}, n).state == State::right);
  CHECK(bench.grade(order, {"wake", "eat", "{N} work", "sleep"}, n).state == State::right);
  CHECK(bench.grade(order, {"eat", "wake", "3 work", "sleep"}, n).state == State::wrong);
  // Names of one length do not share their shuffle.
  std::set<std::string> keys;
  for (const char* id : {"ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"}) {
    order.id = id;
    const json key = bench.key(order, n);
    keys.insert(key.get<std::string>());
    CHECK(key != "abcd");
    CHECK(bench.grade(order, key, n).state == State::right);
  }
  CHECK(keys.size() > 2);
}

}  // namespace
}  // namespace rankscope
