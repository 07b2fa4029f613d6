// The complaints of `rankscope lesson check`.
#include <limits>

#include "engine/core/base/error.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using namespace test;
namespace fs = std::filesystem;

// The complaints about a question with these keys besides id, prompt and stored answers.
std::string complaints_of(const std::string& question,
                          const std::string& stored = "\"key\", 0, 1") {
  const LessonFolder folder;
  std::string toml = "[[question]]\nid = \"a\"\nprompt = \"?\"\n" + question + "\n";
  std::string_view rest = stored;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(", "), rest.size());
    const std::string answer(rest.substr(0, end));
    toml += "[[question.stored]]\nname = 'x'\nanswer = " + answer + "\n";
    if (answer != "\"key\"") toml += "share = 0\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  folder.lesson("01-x", toml, "@question a\n");
  return folder.complaints();
}

std::string complaints_of_run(const std::string& fields) {
  const LessonFolder folder;
  folder.lesson("01-x", "[run.one]\nalgorithm = \"allreduce.flat\"\nranks = 4\n" + fields,
                "@run one\n");
  return folder.complaints();
}

constexpr const char* kNumber = "kind = \"number\"\nanswer = 5\n";

TEST_CASE("A question that is whole has no complaints", "[lessons][check]") {
  CHECK(complaints_of(kNumber) == "");
  CHECK(complaints_of_run("count = 4\nat = \"round 1\"\nview = \"player\"\n") == "");
}

TEST_CASE("Points, shares and attempts are within their bounds", "[lessons][check]") {
  for (const char* share : {"1", "1.5", "-0.1", "nan", "inf"}) {
    INFO(share);
    const std::string wrong = complaints_of(std::string(kNumber) +
                                            "[[question.misconception]]\nid = \"m\"\nanswer = 7\n"
                                            "says = \"no\"\nshare = " +
                                            share);
    CHECK(has(wrong, "01-x/lesson.toml:11: a mistake's 'share'"));
  }
  for (const char* points : {"-1", "nan", "inf"})
    CHECK(has(complaints_of(std::string(kNumber) + "points = " + points), "'points' is a number"));
  CHECK(has(complaints_of(std::string(kNumber) + "attempts = -2"), "lesson.toml:7: 'attempts'"));
}

TEST_CASE("Whatever share a misconception names, it gets no more than the points",
          "[lessons][kinds]") {
  KindBench bench;
  Question question = KindBench::question("number", {{"answer", 5}});
  for (const double share : {7.0, std::numeric_limits<double>::quiet_NaN(), -3.0}) {
    question.misconceptions = {{"m", 7, "no", share}};
    const Verdict got = bench.grade(question, 7);
    CHECK(got.misconception == "m");
    CHECK(got.points >= 0);
    CHECK(got.points <= 1);
  }
}

TEST_CASE("One right and two wrong stored answers, at least", "[lessons][check]") {
  CHECK(has(complaints_of(kNumber, "\"key\", 0"), "1 right and 1 wrong"));
  CHECK(has(complaints_of(kNumber, "0, 1, 2"), "0 right and 3 wrong"));
  CHECK(has(complaints_of(kNumber, ""), "0 right and 0 wrong"));
}

TEST_CASE("Every draw is checked, not only some seeds", "[lessons][check]") {
  // Wrong for one of 200 values only.
  const std::string rare =
      "kind = \"number\"\nvariables = { N = \"1..200\" }\n"
      "answer = \"=N == 137 ? 1 : 5\"";
  CHECK(has(complaints_of(rare),
            "question a (N = 137): stored answer 'x' gets 1 of 1 points, not 0"));
  const std::string choice =
      "kind = \"choice\"\nvariables = { N = [4, 20, 6, 12] }\nmultiple = true\n"
      "options = [{ text = \"one\", right = \"=N < 12\" }, { text = \"two\" }, { text = \"three\" "
      "}]";
  CHECK(has(complaints_of(choice, "\"key\", \"b\", \"c\""), "no answer is right"));
  const std::string one =
      "kind = \"choice\"\nvariables = { N = [4, 20, 6, 12] }\n"
      "options = [{ text = \"one\", right = \"=N < 12\" }, { text = \"two\", right = \"=N > 5\" }, "
      "{ text = \"three\" }]";
  CHECK(has(complaints_of(one, "\"key\", \"c\", \"c\""), "one letter is expected, not several"));
  // Right for one of them in every draw: nothing to complain about.
  const std::string either =
      "kind = \"choice\"\nvariables = { N = [4, 20, 6, 12] }\n"
      "options = [{ text = \"one\", right = \"=N < 12\" }, { text = \"two\", right = \"=N >= 12\" "
      "}, "
      "{ text = \"three\" }]";
  CHECK(complaints_of(either, "\"key\", \"c\", \"c\"") == "");
  CHECK(has(
      complaints_of(
          "kind = \"choice\"\noptions = [{ text = \"one\", right = \"yes\" }, { text = \"b\" }]",
          "\"key\", \"b\", \"b\""),
      "'right' is true, false or a formula"));
}

TEST_CASE("All draws: variables that need each other, and what 'where' forbids", "[lessons]") {
  const VariableRules rules{{{"n", "0..N-1"}, {"N", {2, 3}}}, {{"s", "N + n"}}, "s != 3"};
  const auto all = all_draws(rules, 10);
  REQUIRE(all);
  REQUIRE(all->size() == 3);  // of (2,0) (2,1) (3,0) (3,1) (3,2)
  for (const Values& values : *all) CHECK(values.at("s") == values.at("N") + values.at("n"));
  CHECK_FALSE(all_draws(rules, 2));
  CHECK_FALSE(all_draws({{{"N", "1..1000000"}}, {}, ""}, 300));
  CHECK_FALSE(all_draws({{{"N", "M"}}, {}, ""}, 300));
  for (std::uint64_t seed = 1; seed < 50; ++seed)
    CHECK(std::ranges::find(*all, draw(rules, seed)) != all->end());
}

TEST_CASE("A key that cannot be judged is the lesson's fault, not the answer's",
          "[lessons][kinds]") {
  KindBench bench;
  const Question question = KindBench::question(
      "choice",
      {{"options", {{{"text", "x"}, {"right", true}}, {{"text", "y"}, {"right", true}}}}});
  CHECK_THROWS_AS(bench.grade(question, "zebra"), UserError);
  CHECK_THROWS_AS(bench.grade(question, "a"), UserError);
}

TEST_CASE("Runs: unknown fields, places and views are told with their lines", "[lessons][check]") {
  CHECK(has(complaints_of_run("count = 4\nrankz = 3"),
            "lesson.toml:6: there is no 'rankz' here; did you"));
  CHECK(has(complaints_of_run("count = 4\nat = \"rond 77\""), "lesson.toml:6: 'at' is"));
  CHECK(has(complaints_of_run("count = 4\nat = \"round 77\""), "and no 'round 77'"));
  CHECK(
      has(complaints_of_run("count = 4\nview = \"nonsense\""), "lesson.toml:6: there is no view"));
  CHECK(has(complaints_of_run("count = \"four\""), "lesson.toml:2: run one"));
  CHECK(has(complaints_of_run("count = \"=N\"\nvalues = \"=r\""), "lesson.toml:2: run one"));
  const LessonFolder folder;
  folder.lesson("01-x", "[run]\none = 5\n", "hello\n");
  CHECK(has(folder.complaints(), "a run is a table"));
}

// A page with question "a", of the newest edition.
std::string complaints_of_page(const std::string& question, const std::string& page,
                               const std::string& run = "values = \"=r+1\"") {
  const LessonFolder folder;
  std::string toml =
      "edition = 2\n[run.one]\nalgorithm = \"allreduce.flat\"\nranks = 4\ncount = 1\n" + run +
      "\n[[question]]\nid = \"a\"\nprompt = \"?\"\n" + question + "\n";
  for (const char* answer : {"\"key\"", "1", "2"})
    toml += std::string("[[question.stored]]\nname = 'x'\nanswer = ") + answer +
            (answer[0] == '"' ? "\n" : "\nshare = 0\n");
  folder.lesson("01-x", toml, page);
  return folder.complaints();
}

TEST_CASE("A page does not give the answer of its question away", "[lessons][check]") {
  const std::string number = "kind = \"number\"\nanswer = ";
  const std::string formula =
      "kind = \"formula\"\nanswer = \"2*ceil(log2(N))*(alpha+D*beta)\"\n"
      "domain = [[\"N\", \"2..9\"], [\"D\", \"1..9\"], [\"alpha\", \"1..9 real\"], [\"beta\", "
      "\"1..9 real\"]]";
  const auto given = [](const std::string& question, const std::string& text) {
    const std::string said = complaints_of_page(question, text + "\n\n@question a\n");
    return has(said, "01-x/1.md") && has(said, "gives the answer of question a away");
  };
  CHECK(given(number + "10", "After the second phase both hold 10, and the others 3."));
  CHECK(given(number + "\"=800/9\"", "It reaches 88.9 GB/s."));
  CHECK(given(number + "36000", "It takes 36,000 bytes."));
  CHECK(given(formula, "So it takes 2⌈log2 N⌉ (α + Dβ), twice the reduce."));
  CHECK(given("kind = \"vector\"\nanswer = [3, 6, 10]", "The root holds 3, 6 and 10."));
  CHECK(given("kind = \"fill\"\nrun = \"one\"\nbuffer = \"data\"\nshow = \"values\"",
              "All hold 10."));
  CHECK(given(number + "10", "::: reveal How many?\nIt is 10.\n:::"));
  // Texts that only look like the answer.
  CHECK_FALSE(given(number + "5", "Five ranks hold 5 each."));
  CHECK_FALSE(given(number + "10", "Rank r holds 10r, and 2^10 or 0.10 of it, or 100."));
  CHECK_FALSE(given(formula, "With D in place of 1: 3 · 2⌈log2 N⌉ (α + Dβ)/N."));
  CHECK_FALSE(given("kind = \"vector\"\nanswer = [3, 6, 10]", "3 ranks send, and 6 receive."));
  CHECK_FALSE(given(number + "10", "::: note\nIt is 10.\n:::"));
  // A text that waits for another question may open before this one is answered.
  CHECK_FALSE(given(number + "10", "::: reveal How many? after a\nIt is 10.\n:::"));
  CHECK(given(number + "10\n[[question]]\nid = \"b\"\nprompt = \"?\"\n" + number + "7",
              "@question b\n\n::: reveal How many? after b\nIt is 10.\n:::"));
}

TEST_CASE("A contract does not state the formula that a question of its lesson asks for",
          "[lessons][check]") {
  const auto said = [](const std::string& contract) {
    return complaints_of_page(
        "kind = \"formula\"\nanswer = \"2*ceil(log2(N))\"\ndomain = [[\"N\", \"2..9\"]]",
        "@question a\n\n@coding c\n",
        "values = \"=r+1\"\n[[coding]]\nid = \"c\"\ntitle = \"C\"\nfile = \"c.py\"\ncontract = \"" +
            contract + "\"");
  };
  CHECK(has(said("It takes 2⌈log2 N⌉ rounds of N ranks."),
            "the contract of c gives the answer of question a away"));
  CHECK_FALSE(has(said("It takes the rounds that you counted for N ranks, not 3 ⌈log2 N⌉."),
                  "gives the answer"));
}

TEST_CASE("A run is asked about before it is seen, and spoken of where it stands",
          "[lessons][check]") {
  const std::string asks =
      "kind = \"vector\"\nanswer = { run = \"one\", measure = \"history\", rank = 0 }";
  const std::string run = "\n\nStep through the run:\n\n@run one\n\n";
  CHECK(has(complaints_of_page(asks, run + "@question a\n"),
            "01-x/1.md:7: question a asks what @run one above it shows"));
  const std::string other = "kind = \"number\"\nanswer = 77";
  CHECK(complaints_of_page(other, run + "@question a\n") == "");
  CHECK(has(complaints_of_page(other, "A sum is useful.\n\n@run one\n\n@question a\n"),
            "01-x/1.md:3: the text beside @run one does not speak of it"));
  // A lesson without an edition is checked as before there were editions.
  CHECK(complaints_of_run("count = 4\n") == "");
}

TEST_CASE("A run that a question asks about opens after it, wherever it stands",
          "[lessons][check]") {
  const std::string asks =
      "kind = \"vector\"\nanswer = { run = \"one\", measure = \"history\", rank = 0 }";
  const std::string figure = "values = \"=r+1\"\n[figure.f]\nrun = \"one\"\ndiagram = \"grid\"";
  const std::string begin = "@question a\n\nStep through the run:\n\n";
  CHECK(complaints_of_page(asks, begin + "@run one after a\n") == "");
  CHECK(has(complaints_of_page(asks, begin + "@run one\n"),
            "01-x/1.md:5: @run one stands open below question a"));
  CHECK(has(complaints_of_page(asks, begin + "@figure f\n", figure),
            "01-x/1.md:5: @figure f stands open below question a"));
  CHECK(complaints_of_page(asks, begin + "@run one after a\n@figure f after a\n", figure) == "");
  // The author may lock a run that the question does not measure; but then all pictures of the run.
  const std::string other = "kind = \"number\"\nanswer = 77";
  CHECK(complaints_of_page(other, begin + "@run one\n") == "");
  CHECK(has(complaints_of_page(other, begin + "@run one after a\n@figure f\n", figure),
            "01-x/1.md:6: @figure f stands open, and run one opens only after question a"));
  // Locks that cannot be meant.
  CHECK(has(complaints_of_page(other, "Look at the run:\n\n@run one after a\n\n@question a\n"),
            "01-x/1.md:3: 'after a': no question of this id stands above it"));
  CHECK(has(complaints_of_page(other, begin + "@run one afterwards a\n"),
            "may only go on with the questions that open it: \"@run one after QUESTION\""));
  CHECK(
      has(complaints_of_page(other, "@question a after b\n"), "\"@question a\" ends with its id"));
}

TEST_CASE("A bug question says of some wrong line why it is right", "[lessons][check]") {
  const std::string faulty =
      "kind = \"bug\"\nrun = \"bad\"\nask = [\"line\"]\n"
      "right = [{ line = \"comm.phase(\\\"gradients\\\");\\nallreduce_ring(comm, args);\" }]\n";
  const std::string known =
      "[[question.misconception]]\nid = \"m\"\nsays = \"no\"\nanswer = { line = \"";
  const std::string run =
      "values = \"=r+1\"\n[run.bad]\nalgorithm = \"exercise.average_a\"\nranks = 4\ncount = 1\nop "
      "= \"avg\"";
  const auto said = [&](const std::string& more) {
    return complaints_of_page(faulty + more, "@question a\n", run);
  };
  CHECK(said(known + "comm.scale(gradient, comm.size());\" }") == "");
  CHECK(has(said(""), "bug question a has no [[question.misconception]]"));
  CHECK(has(said(known + "no such text\" }"), "no line of the program holds 'no such text'"));
}

TEST_CASE("Lessons that others need, and two of one name", "[lessons][check]") {
  const LessonFolder folder;
  folder.lesson("01-ring", "prerequisites = [\"rings\"]", "hello\n");
  folder.lesson("02-ring", "", "hello\n");
  const std::string wrong = folder.complaints();
  CHECK(
      has(wrong,
          "01-ring/lesson.toml:2: prerequisites: there is no lesson 'rings'; did you mean 'ring'"));
  CHECK(has(wrong, "02-ring/lesson.toml: 'ring' is also the name of 01-ring"));
}

TEST_CASE("A text that is no file, or too large, costs one lesson and no other",
          "[lessons][check]") {
  const LessonFolder folder;
  folder.lesson("01-good", "", "hello\n");
  folder.lesson("02-folder", "", "");
  fs::remove(folder.path("content/02-folder/1.md"));
  fs::create_directories(folder.path("content/02-folder/1.md"));
  folder.lesson("03-large", "", "");
  fs::resize_file(folder.path("content/03-large/1.md"), 5 << 20);
  folder.lesson("04-away", "", "");
  fs::remove(folder.path("content/04-away/1.md"));
  folder.write("secret.md", "secret\n");
  fs::create_symlink(folder.path("secret.md"), folder.path("content/04-away/1.md"));
  folder.write("content/05-up/lesson.toml",
               "title = \"T\"\n[[step]]\ntitle = \"S\"\ntext = \"../../secret.md\"\n");
  const LessonLibrary library(folder.path(""));
  REQUIRE(library.lessons().size() == 5);
  const std::string wrong = library.complaints().to_string();
  INFO(wrong);
  CHECK(library.need("good").steps.size() == 1);
  CHECK(library.complaints_about(library.need("good")).empty());
  CHECK(has(wrong, "02-folder/lesson.toml:3: '1.md' is no file"));
  CHECK(has(wrong, "03-large/lesson.toml:3: '1.md' has more than"));
  CHECK(has(wrong, "04-away/lesson.toml:3: '1.md' must lie in the lesson's folder"));
  CHECK(has(wrong, "05-up/lesson.toml:2: '../../secret.md' must lie in the lesson's folder"));
  for (const char* name : {"away", "up"}) {
    CHECK(library.need(name).steps.at(0).file.empty());  // refused, so not kept
    CHECK(library.need(name).steps.at(0).blocks.empty());
  }
}

TEST_CASE("Courses: points, exercises that are there twice, and what is later",
          "[lessons][check]") {
  const auto complaints = [](const std::string& parts) {
    const LessonFolder folder;
    folder.lesson("01-x",
                  "[[coding]]\nid = \"c\"\ntitle = \"C\"\ncontract = \"do\"\n"
                  "[[coding]]\nid = \"d\"\ntitle = \"D\"\ncontract = \"do\"\n",
                  "@coding c\n@coding d\n");
    folder.write("courses/one.toml", "title = \"T\"\n" + parts);
    return folder.complaints();
  };
  const std::string part = "[[part]]\ntitle = \"P\"\npoints = 4\n";
  const std::string item = "[[part.item]]\nexercise = \"x/c\"\npoints = ";
  const std::string later = "[[part.item]]\nlater = \"C9\"\ntitle = \"L\"\n";
  CHECK(complaints(part + item + "4\n") == "");
  CHECK(complaints(part + item + "3\n" + later) == "");
  CHECK(has(complaints(part + item + "5\n" + later), "add up to 5, the part has 4"));
  CHECK(has(complaints(part + item + "3\n" + later + "points = 1\n"),
            "what is 'later' has no points"));
  CHECK(has(complaints(part + item + "2\n" + item + "2\n"), "'x/c' is in this course twice"));
  CHECK(
      has(complaints(part + item + "2\n[[part.item]]\nexercise = \"1/c\"\npoints = 2\n"), "twice"));
  for (const char* bad : {"-4", "nan", "inf"}) {
    CHECK(has(complaints(part + item + bad + "\n"), "'points' is a number"));
    CHECK(has(complaints("[[part]]\ntitle = \"P\"\npoints = " + std::string(bad) + "\n"),
              "'points' is a number"));
  }
}

}  // namespace
}  // namespace rankscope
