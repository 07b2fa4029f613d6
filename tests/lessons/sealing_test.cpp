// Sealed formulas: a student's copy tells nothing that a right guess does not open.
#include <set>

#include "lessons/course/read_lesson.h"
#include "lessons/grading/sealed_formula.h"
#include "lessons/text/encodings.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using nlohmann::json;

/// A guess for nothing: students' copies made in tests must not take minutes.
constexpr SealCost kCheapGuess{4, 1, 1};

Question copy_with_seals(const Question& question, std::string_view own = "") {
  Question out = question;
  out.student_copy = true;
  out.misconceptions.clear();
  out.explanation.clear();
  out.data = {{"domain", question.data.at("domain")},
              {"sealed", sealed_json(seal_formula(question, kCheapGuess), kCheapGuess, own)}};
  return out;
}

TEST_CASE("sealing: scrypt gives what RFC 7914 prints", "[lessons]") {
  CHECK(hex_of(slow_key("password", "NaCl", {10, 8, 16})) ==
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162");
  CHECK_THROWS(slow_key("x", "y", {40, 8, 1}));
  // RFC 4231, test case 2.
  CHECK(hex_of(keyed_hash("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("sealing: a box opens with its key only", "[lessons]") {
  const std::string key = slow_key("right", "salt", kCheapGuess);
  const std::string other = slow_key("wrong", "salt", kCheapGuess);
  for (const std::size_t length : {0U, 1U, 255U, 256U, 1000U}) {
    const std::string text(length, 'x'), box = sealed(text, key);
    CHECK(unsealed(box, key) == text);
    CHECK(unsealed(box, other) == std::nullopt);
    CHECK(sealed(text, key) != box);
    const std::string closed = closed_text(text, "x/q/domain");
    CHECK(closed_text(text, "x/q/domain") == closed);
    CHECK(opened_text(closed, "x/q/domain") == text);
    CHECK(opened_text(closed, "x/q/where") == std::nullopt);
    CHECK(opened_text(sealed(text, keyed_hash("rankscope", "closed texts")), "x/q/where") == text);
    std::string damaged = *bytes_of_base64(box);
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    CHECK(unsealed(base64(damaged), key) == std::nullopt);
  }
  CHECK(sealed("short", key).size() == sealed("a text that is longer", key).size());
  CHECK(unsealed("no base64!", key) == std::nullopt);
  CHECK(unsealed("", key) == std::nullopt);
}

TEST_CASE("sealing: a copy says of all our stored answers what the lecturer's grade says",
          "[lessons]") {
  std::size_t right = 0, mistakes = 0, wrong = 0;
  for (const auto& folder : lesson_folders(test::source_root() / "lessons/content")) {
    Complaints complaints;
    const Lesson lesson = read_lesson(folder, complaints);
    test::KindBench bench(lesson.runs);
    for (const Question& question : lesson.questions) {
      if (question.kind != &formula_kind()) continue;
      const Question copy = copy_with_seals(question);
      REQUIRE(has_seals(copy));
      const Variant variant = variant_of(question, 0);
      for (const StoredAnswer& one : question.stored) {
        const json answer = one.answer == "key" ? question.data.at("answer") : one.answer;
        INFO(lesson.slug << "/" << question.id << ": " << answer.dump());
        const Verdict full = grade(question, variant, answer, bench.runs);
        const Verdict local = grade(copy, variant, answer, bench.runs);
        CHECK(local.state == full.state);
        CHECK(local.points == full.points);
        CHECK(local.misconception == full.misconception);
        if (full.state == Verdict::State::right) {
          ++right;
          CHECK(local.says == full.says);
          CHECK(local.why == fill_in(question.explanation, variant.values));
        } else if (!full.misconception.empty()) {
          ++mistakes;
          CHECK(local.says == full.says);
        } else {
          ++wrong;
          CHECK(local.why.empty());
        }
      }
    }
  }
  CHECK(right > 30);
  CHECK(mistakes > 20);
  CHECK(wrong > 5);
}

TEST_CASE("sealing: another reading of the question counts, and an off-by-one is named",
          "[lessons]") {
  test::KindBench bench;
  const Question question = test::KindBench::question("formula", json::parse(R"json({
    "answer": "n - 2^(i-1)", "domain": [["i", "1..5"], ["n", "0..31"]],
    "condition": "n mod 2^i == 2^(i-1)", "shift": ["i"],
    "also": [{"answer": "n - 2^(i-1)", "domain": [["i", "1..5"], ["n", "1..32"]],
              "condition": "(n-1) mod 2^i == 2^(i-1)", "says": "Counted from 1."}]})json"));
  const Question copy = copy_with_seals(question);
  CHECK(copy.data.dump().find("2^") == std::string::npos);  // the condition is half of the answer
  CHECK(bench.grade(copy, "n xor 2^(i-1)").state == Verdict::State::right);
  CHECK(bench.grade(copy, "n - ((n-1) mod 2^i)").says == "Counted from 1.");
  CHECK(bench.grade(copy, "n - 2^i").says == bench.grade(question, "n - 2^i").says);
  CHECK(bench.grade(copy, "n - 2^i").says.find("off by one in i") != std::string::npos);
  CHECK(bench.grade(copy, "n + 7").state == Verdict::State::wrong);
  CHECK(bench.grade(copy, "n + 7").says.empty());
  CHECK(bench.grade(copy, "n + q").state == Verdict::State::malformed);
}

TEST_CASE("sealing: copies of two students have no box in common, and hold no text of the key",
          "[lessons]") {
  Question question = test::KindBench::question(
      "formula", json::parse(R"({"answer": "17*N + 4", "domain": [["N", "2..40"]]})"));
  question.explanation = "A reason.";
  question.misconceptions.push_back({"m", "13*N", "A mistake.", 0});
  const auto groups = seal_formula(question, kCheapGuess);
  const json one = sealed_json(groups, kCheapGuess, "anna"),
             two = sealed_json(groups, kCheapGuess, "ben");
  std::set<std::string> boxes;
  for (const json* list : {&one, &two})
    for (const json& box : list->at(0).at("boxes")) CHECK(boxes.insert(box).second);
  CHECK(boxes.size() == 4);
  for (const char* told : {"reason", "mistake", "right", "N + 4"})
    CHECK(one.dump().find(told) == std::string::npos);
}

}  // namespace
}  // namespace rankscope
