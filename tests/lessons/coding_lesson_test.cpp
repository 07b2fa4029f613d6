// The keys of a coding exercise in a lesson.
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/coding.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;

constexpr const char* kExercise = R"toml([[coding]]
id = "c"
title = "C"
contract = "do"
points = 4
file = "c.py"
starter = "c.py"
defining = "values"
[coding.call]
harness = "function"
function = "my_sum"
platform = "torch"
collective = "allreduce"
worlds = [1, 2, 4]
shapes = ["2N", "2 x 3"]
dtypes = ["float32"]
[[coding.rule]]
kind = "values"
says = "right"
points = 3
[[coding.rule]]
kind = "rounds"
at_most = "2*ceil(log2 N)"
says = "few rounds"
points = 1
)toml";

/// The complaints about the exercise with one text replaced by another.
std::string complaints_with(const std::string& old, const std::string& now,
                            const std::string& head = "") {
  std::string text = head + kExercise;
  const auto at = text.find(old);
  REQUIRE(at != std::string::npos);
  text.replace(at, old.size(), now);
  const LessonFolder folder;
  folder.lesson("01-x", text, "@coding c\n");
  folder.write("content/01-x/c.py", "def my_sum(tensor):\n    pass\n");
  return folder.complaints();
}

TEST_CASE("A coding exercise that is whole has no complaints", "[lessons][coding]") {
  CHECK(complaints_with("do", "do") == "");
}

TEST_CASE("From edition 2 on, a coding exercise names its defining rule", "[lessons][coding]") {
  const std::string missing = "coding exercise c: 'defining' is missing: the rule that says";
  CHECK(complaints_with("defining = \"values\"", "") == "");
  CHECK(has(complaints_with("defining = \"values\"", "", "edition = 2\n"), missing));
}

TEST_CASE("What is wrong with a coding exercise has its line", "[lessons][coding]") {
  const struct {
    const char *old, *now, *says;
  } kWrong[] = {
      {"points = 4", "points = 5",
       ":2: coding exercise c: its rules' points add up to 4, it has 5"},
      {"file = \"c.py\"", "fiel = \"c.py\"", ":7: there is no 'fiel' here; did you mean 'file'?"},
      {"file = \"c.py\"", "file = \"../c.py\"",
       ":7: 'file' is the name of a file, without folders"},
      {"\"function\"", "\"funktion\"",
       ":11: there is no harness 'funktion'; did you mean 'function'?"},
      {"function = \"my_sum\"", "", "the harness 'function' needs 'function'"},
      {"my_sum", "my_max", ":2: coding exercise c: its starter c.py has no 'my_max'"},
      {"\"torch\"", "\"troch\"", ":13: there is no platform 'troch'; did you mean 'torch'?"},
      {"\"allreduce\"", "\"reduce\"", ":14: there is no collective 'reduce'"},
      {"\"allreduce\"", "\"alltoall\"", "an all-to-all needs 'dims'"},
      {"\"allreduce\"", "\"allreduce\"\nsrc = \"all\"", "'src' is of a broadcast"},
      {"\"allreduce\"", "\"allreduce\"\nreturns = false", "either in place or returned"},
      {"[1, 2, 4]", "[0, 2, 4]", ":15: 'worlds' is a list of whole numbers from 1 to 64"},
      {"\"2N\"", "\"N/3\"", "'N/3' is no shape for 1 ranks"},
      {"\"2N\"", "\"2 N x x\"", "coding exercise c: "},
      {"\"float32\"", "\"float23\"", ":17: there is no type 'float23'"},
      {"kind = \"rounds\"", "kind = \"round\"",
       ":23: there is no kind of rule 'round'; did you mean 'rounds'?"},
      {"kind = \"values\"", "kind = \"ends\"", "no [[coding.rule]] has the kind 'values'"},
      {"at_most = \"2*ceil(log2 N)\"", "", ":22: a rule 'rounds' has a limit"},
      {"at_most = \"2*ceil(log2 N)\"", "at_most = \"2*K\"",
       ":22: coding exercise c: rule 'rounds': "},
      {"at_most = \"2*ceil(log2 N)\"", "at_most = \"N - 3\"",
       ":22: coding exercise c: rule 'rounds': the limit is -2 for 1 ranks and 2 elements"},
      {"at_most = \"2*ceil(log2 N)\"", "at_most = \"1\"\nwhere = \"N > 4\"",
       "rule 'rounds' applies to no run"},
      {"at_most = \"2*ceil(log2 N)\"", "at_most = \"1\"\nworlds = [3]",
       "'worlds' has 3, which the exercise"},
      {"at_most = \"2*ceil(log2 N)\"", "at_most = \"1\"\ndirection = \"left\"",
       ":25: there is no 'direction' here"},
      {"says = \"few rounds\"", "", ":22: 'says' is missing"},
      {"points = 1", "points = 1\nremark = true", "a remark has no points, and is not required"},
      {"defining = \"values\"", "defining = \"tree\"",
       ":2: coding exercise c: 'defining' names 'tree', which is no rule of it"},
      {"kind = \"rounds\"", "kind = \"rounds\"\nname = \"values\"",
       "'defining' names 'values', and 2 rules are called so"},
      {"points = 1", "points = 1\nbonus = true", "its rules' points add up to 3, it has 4"},
      {"kind = \"rounds\"\nat_most = \"2*ceil(log2 N)\"", "kind = \"adds\"", ""},
      {"points = 1", "points = -1", "'points' is a number that is not negative"},
  };
  for (const auto& [old, now, says] : kWrong) {
    INFO(old << " -> " << now);
    const std::string complaints = complaints_with(old, now);
    INFO(complaints);
    CHECK(has(complaints, says));
  }
}

TEST_CASE("Shapes are formulas in the number of ranks", "[lessons][coding]") {
  CHECK(shape_for("4N", 3) == std::vector<Count>{12});
  CHECK(shape_for("2N x 3", 4) == std::vector<Count>{8, 3});
  CHECK(shape_for("1 x N + 1 x 5", 2) == std::vector<Count>{1, 3, 5});
  CHECK_THROWS(shape_for("N - 3", 2));
  CHECK_THROWS(shape_for("", 2));
  CHECK(dims_fit({8, 4}, {0, 1}, 4));
  CHECK(dims_fit({3, 8}, {-1, 0}, 4));
  CHECK_FALSE(dims_fit({3, 8}, {0, 1}, 4));
  CHECK_FALSE(dims_fit({8}, {0, 1}, 4));
}

TEST_CASE("A student's copy names the file, and tells no rule", "[lessons][coding]") {
  const LessonFolder folder;
  std::string text = kExercise;
  folder.lesson("01-x", "student_copy = true\n" + text.substr(0, text.find("[coding.call]")),
                "@coding c\n");
  folder.write("content/01-x/c.py", "");
  Complaints complaints;
  const Lesson lesson = read_lesson(folder.path("content/01-x"), complaints);
  CHECK(complaints.to_string() == "");
  CHECK(lesson.coding.at(0).file == "c.py");
  CHECK_FALSE(lesson.coding.at(0).graded());
}

}  // namespace
}  // namespace rankscope
