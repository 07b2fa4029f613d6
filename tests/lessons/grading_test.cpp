// Answer files, marks and reports, without the command.
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/json_text.h"
#include "lessons/grading/answer_file.h"
#include "lessons/reports/gradebook.h"
#include "lessons/reports/report_html.h"
#include "lessons/reports/results_json.h"
#include "lessons/text/encodings.h"
#include "lessons/text/foreign_text.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::has;
using test::TemporaryFolder;

void write(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

constexpr std::string_view kAllRight = R"(course = "small"
student = "Anna"
[answers]
"sums/root" = 10
"sums/sums" = [3, 6, 10]
"sums/why" = "All others send to the root, one after the other."
"sums/least" = "a"
"sums/my-sum" = "def my_sum(x): ..."
)";

struct Class {
  explicit Class(const std::string& name = "small") : course(lessons.course(name)) {}

  LessonLibrary lessons{test::source_root() / "tests/lessons/fixtures"};
  Course course;
  CourseGrader grader{lessons, course};

  StudentReport grade(std::string bytes, const StudentMarks* marks = nullptr,
                      std::optional<std::uint64_t> seed = {}) {
    std::vector<SubmissionHead> heads =
        read_heads({{"anna.toml", "anna", {}, std::move(bytes), "", {}}});
    name_heads(heads, {});
    return grader.grade(heads.front(), seed, marks);
  }
};

std::string all(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

TEST_CASE("The fixture's lessons are whole", "[grading]") {
  const Class small;
  Complaints complaints = small.lessons.complaints();
  LessonRuns runs;
  for (const Lesson& lesson : small.lessons.lessons()) check_lesson(lesson, runs, complaints);
  INFO(complaints.to_string());
  CHECK(complaints.empty());
}

TEST_CASE("A program that could not be run is tried again, and one that was ended says nothing",
          "[grading]") {
  const test::LessonFolder folder;
  folder.lesson(
      "01-x",
      "[[coding]]\nid = \"c\"\ntitle = \"C\"\npoints = 1\ncontract = \"C\"\nfile = \"c.py\"\n"
      "[[coding.rule]]\nkind = \"values\"\nsays = \"Right.\"\npoints = 1\n",
      "@coding c\n");
  folder.write("courses/k.toml",
               "title = \"K\"\n[[part]]\ntitle = \"P\"\npoints = 1\n[[part.item]]\n"
               "exercise = \"x/c\"\npoints = 1\n");
  folder.write("anna/c.py", "");
  const LessonLibrary lessons(folder.path(""));
  const Course course = lessons.course("k");
  CourseGrader grader(lessons, course);
  std::vector<SubmissionHead> heads =
      read_heads({{"anna.toml", "anna", {}, "course = \"k\"\n[answers]\n", "", {}}});
  heads.front().folder = folder.path("anna");
  grader.grade_code_by([](auto&, auto&, auto&) -> CodeItem { throw UserError("no memory"); });
  const StudentReport report = grader.grade(heads.front(), {}, nullptr);
  CHECK_FALSE(report.repeatable);
  CHECK(has(all(report.complaints), "was not run: no memory"));
  grader.grade_code_by([](auto&, auto&, auto&) -> CodeItem { throw GradingStopped(); });
  CHECK_THROWS_AS(grader.grade(heads.front(), {}, nullptr), GradingStopped);
}

TEST_CASE("Answer files are TOML or JSON", "[grading]") {
  const AnswerFile toml = read_answers(kAllRight, "a.toml");
  CHECK(toml.fault == "");
  CHECK(toml.complaints.to_string() == "");
  CHECK(toml.course == "small");
  CHECK(toml.answers.at("sums/sums") == json({3, 6, 10}));
  CHECK_FALSE(toml.seed);

  const AnswerFile js = read_answers(
      R"({"course": "small", "student": "B", "seed": 7, "answers": {"sums/root": "10"}})",
      "b.json");
  CHECK(js.fault == "");
  CHECK(js.seed == 7);
  CHECK(js.answers.at("sums/root") == "10");
}

TEST_CASE("One slip in an answer file takes one answer, and is named", "[grading]") {
  const AnswerFile quote = read_answers(
      "course = \"a\"\n[answers]\n\"m/one\" = b\n\"m/two\" = 3\n\"m/three\" = = 1\n", "x.toml");
  CHECK(quote.fault == "");
  CHECK(quote.answers == std::map<std::string, json>{{"m/two", 3}});
  CHECK(has(quote.complaints.to_string(), "x.toml:3: "));
  CHECK(
      has(quote.complaints.to_string(), "The line '\"m/one\" = b' is left out, the others count"));
  CHECK(has(quote.complaints.to_string(), "x.toml:5: "));

  const AnswerFile latin = read_answers(
      "student = \"M\xfcller\"\n[answers]\n\"m/two\" = \"gr\xf6\xdf"
      "er\"\n",
      "x.toml");
  CHECK(latin.fault == "");
  CHECK(latin.student == "Müller");
  CHECK(latin.answers.at("m/two") == "größer");
  CHECK(has(latin.complaints.to_string(), "x.toml:1: is not UTF-8 and was read as Windows-1252"));

  for (const bool little : {true, false}) {
    std::string wide = little ? "\xff\xfe" : "\xfe\xff";
    for (const char c : std::string("[answers]\r\n\"m/two\" = 3\r\n")) {
      if (!little) wide += '\0';
      wide += c;
      if (little) wide += '\0';
    }
    const AnswerFile utf16 = read_answers(wide, "x.toml");
    CHECK(utf16.fault == "");
    CHECK(utf16.answers.at("m/two") == 3);
    CHECK(has(utf16.complaints.to_string(), "was read as UTF-16"));
  }
}

TEST_CASE("Broken answer files are told apart, by line", "[grading]") {
  const auto fault = [](std::string_view bytes, const char* name = "x.toml") {
    return read_answers(bytes, name).fault;
  };
  CHECK(has(fault(std::string_view("a = \0", 5)), "zero bytes"));
  CHECK(has(fault("dear TA, ..."), "x.toml:1: is not TOML"));
  CHECK(has(fault("{\"answers\":\n {\"a\": }}", "x.json"), "x.json:2: is not JSON"));
  CHECK(has(fault(""), "is empty"));
  CHECK(has(fault("[1, 2]", "x.json"), "no table"));
  CHECK(has(fault("course = \"small\"\n"), "has no [answers]"));
  CHECK(has(fault("answers = 3\n"), "must be a table"));
  CHECK(fault("course = \"small\"\n\"sums/root\" = 10\n") == "");  // as answer sheets have it
  CHECK(has(fault(std::string(AnswerFile::kMostBytes + 1, ' ')), "more than"));
  CHECK(has(
      fault("{\"answers\":{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}}"),
      "too deep"));
  CHECK(fault(std::string(100'000, '[') + "answers") != "");
  // Brackets in a text are none.
  CHECK(fault("{\"answers\": {\"a/b\": \"\\\"" + std::string(100, '[') + "\"}}") == "");
  const AnswerFile odd = read_answers("studnet = \"A\"\nseed = -3\n[answers]\n", "x.toml");
  CHECK(has(odd.complaints.to_string(), "did you mean 'student'"));
  CHECK(has(odd.complaints.to_string(), "x.toml:2: 'seed' must be"));
}

TEST_CASE("Marks are scaled, and what cannot be graded is no 0", "[grading]") {
  Class small;
  CHECK(small.grade("course = \"small\"\n\"sums/root\" = 10\n\"sums/sums\" = \"\"\n").points() ==
        4);
  const StudentReport right = small.grade(std::string(kAllRight));
  CHECK(all(right.complaints) == "");
  CHECK(right.points() == 12);
  CHECK(right.most() == 12);
  CHECK(right.open() == 8);
  CHECK(right.items[2].state() == "to be marked by hand");
  CHECK(right.items[4].state() == "not graded");
  CHECK_FALSE(right.items[4].points);
  CHECK(right.items[5].state() == "not yet here");

  const StudentReport partly = small.grade("course = \"small\"\n[answers]\n\"sums/root\" = 6\n");
  CHECK(partly.points() == 2);  // half of the 4 points: the ranks themselves were added
  CHECK(partly.items[0].verdict.misconception == "counts-from-zero");
  CHECK(partly.most() == 20);  // an empty written answer needs no TA

  const StudentReport list = small.grade(
      "course = \"small\"\n[answers]\n\"sums/root\" = [[[]], {}]\n"
      "\"sums/why\" = [1]\n\"sums/least\" = { a = 1 }\n");
  CHECK(list.points() == 0);
}

TEST_CASE("The seed of the file, or another one, draws the numbers", "[grading]") {
  Class small;
  const auto ranks = [&](std::uint64_t seed) {
    return small.grade("[answers]\n", nullptr, seed).items[0].variant.values.at("N");
  };
  CHECK(ranks(0) == 4);
  std::uint64_t other = 1;
  while (ranks(other) == 4) ++other;
  const double n = ranks(other);
  const std::string text =
      fmt::format("seed = {}\n[answers]\n\"sums/root\" = {}\n", other, n * (n + 1) / 2);
  CHECK(small.grade(text).points() == 4);
  CHECK(small.grade(text, nullptr, 0).points() == 0);
}

TEST_CASE("An order's letters are the same for every seed, as a printed sheet has them",
          "[grading]") {
  Class other("other");
  const Question& question = *other.lessons.need("sums").find_question("phases");
  LessonRuns runs;
  std::set<std::string> keys;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const json key = question.kind->key(question, variant_of(question, seed), runs);
    keys.insert(dump_json(key));
    const json file = {{"course", "other"}, {"answers", {{"sums/phases", key}}}};
    CHECK(other.grade(dump_json(file), nullptr, seed).points() == 2);
  }
  CHECK(keys.size() == 1);
}

TEST_CASE("Unknown keys, courses and students are told", "[grading]") {
  Class small;
  const StudentReport typo =
      small.grade("course = \"small\"\n[answers]\n\"sums/rot\" = 10\n\"sums/least\" = \"a\"\n");
  CHECK(has(all(typo.complaints), "no exercise 'sums/rot'; did you mean 'sums/root'"));
  CHECK(typo.points() == 2);
  const StudentReport unknown = small.grade("course = \"smal\"\n[answers]\n\"sums/root\" = 10\n");
  CHECK(has(all(unknown.complaints), "no course 'smal'; did you mean 'small'"));
  CHECK(unknown.points() == 4);  // a slip of the pen takes no answer
  const StudentReport other = small.grade("course = \"other\"\n[answers]\n\"sums/root\" = 10\n");
  CHECK(has(all(other.complaints), "for the course 'other'"));
  CHECK(other.points() == 0);
}

TEST_CASE("A TA's marks count, and wrong ones are told by line", "[grading]") {
  Class small;
  const TemporaryFolder folder;
  write(folder / "marks.toml", R"([Anna]
comment = "Well done."
[Anna."sums/why"]
rubric = [3, 0]
comment = "How many messages?"
[Anna."sums/my-sum"]
override = 15
[Anna."sums/sums"]
override = 7
[Anna."sums/whi"]
override = 1
[Anna."sums/root"]
rubric = [1]
[Bert."sums/why"]
rubric = [4, 0]
[Nobody."sums/why"]
rubric = [1, 1, 1]
)");
  Complaints complaints;
  const Marks marks(folder / "marks.toml", small.course, small.lessons, complaints);
  marks.check_students({"Anna", "Berta"}, {}, complaints);
  const std::string told = complaints.to_string();
  CHECK(has(told, "marks.toml:9: sums/sums has 6 points; 7 is not"));
  CHECK(has(told, "marks.toml:10: the course has no exercise 'sums/whi'; did you mean 'sums/why'"));
  CHECK(has(told, "marks.toml:13: sums/root has no rubric"));
  CHECK(has(told, "marks.toml:15: row 1 of the rubric (\"names the root\") has 3 points; 4"));
  CHECK(has(told, "has 2 rows, not 3"));
  CHECK(has(told, "no student 'Bert' among the submissions; did you mean 'Berta'"));

  const StudentReport report = small.grade(std::string(kAllRight), marks.find("Anna"));
  CHECK(report.points() == 12 + 6 + 15);  // 3 of the rubric's 4 points, of 8
  CHECK(report.most() == 12 + 8 + 20);
  CHECK(report.open() == 0);
  const json results = results_json(report, small.course);
  CHECK(has(results["output"].get<std::string>(), "Well done."));
  CHECK(has(results["tests"][2]["output"].get<std::string>(), "names the root: 3 of 3"));
  CHECK(has(results["tests"][2]["output"].get<std::string>(), "How many messages?"));
}

TEST_CASE("results.json is what Gradescope reads", "[grading]") {
  Class small;
  std::ifstream in(test::source_root() / "tests/lessons/results.schema.json");
  const test::JsonSchema schema(json::parse(in));
  for (const char* bytes :
       {kAllRight.data(), "not toml", "course = \"small\"\n[answers]\n\"sums/root\" = 6\n"}) {
    StudentReport report = small.grade(bytes);
    report.digest = hash_text("x");
    const json results = parse_json(results_text(report, small.course, "key"));
    CHECK(all(schema.errors(results)) == "");
    CHECK_FALSE(results["tests"][4].contains("score"));
    CHECK(results["tests"][4]["extra_data"]["state"] == "not graded");
    CHECK(results["tests"][0]["number"] == "1.1");
  }
  // The validator itself.
  json results = parse_json(results_text(small.grade(std::string(kAllRight)), small.course, "key"));
  CHECK_FALSE(schema.errors(results).empty());  // no digest
  results["extra_data"]["rankscope"]["digest"] = hash_text("x");
  CHECK(schema.errors(results).empty());
  results["max_score"] = 3;
  results["tests"][0].erase("status");
  CHECK(schema.errors(results).size() == 2);
}

TEST_CASE("A kept row is the row that was written", "[grading]") {
  Class small;
  StudentReport report =
      small.grade("course = \"small\"\n[answers]\n\"sums/root\" = 6\n\"sums/x\" = 1\n");
  report.digest = hash_text("x");
  const std::string text = results_text(report, small.course, "key");
  const auto kept = kept_results(text, "key");
  REQUIRE(kept);
  CHECK(kept->fault.empty());
  CHECK(kept->digest == report.digest);
  CHECK(gradebook_csv({kept->row}, small.grader.entries()) ==
        gradebook_csv({row_of(report)}, small.grader.entries()));
  CHECK_FALSE(kept_results("{\"score\": 3}", "key"));
  CHECK_FALSE(kept_results(text.substr(0, text.size() / 2), "key"));
}

TEST_CASE("Edited results are believed in nothing", "[grading]") {
  Class small;
  StudentReport report = small.grade(std::string(kAllRight));
  report.programs = {{"sums/code", "digest", "files", {2, 6, "half", true, {}}}};
  const std::string text = results_text(report, small.course, "key");
  const auto kept = kept_results(text, "key");
  REQUIRE(kept);
  CHECK(kept->programs.find("digest") != nullptr);
  const auto after = [&](const std::function<void(json&)>& edit) {
    json edited = parse_json(text);
    edit(edited);
    const auto out = kept_results(edited.dump(), "key");
    REQUIRE(out);
    CHECK(out->programs.find("digest") == nullptr);
    return out->fault;
  };
  CHECK(has(after([](json& one) { one["score"] = 99; }), "was edited"));
  CHECK(has(after([](json& one) { one["tests"][0]["score"] = 99; }), "was edited"));
  CHECK(has(after([](json& one) { one["extra_data"]["rankscope"]["row"]["points"] = 99; }),
            "was edited"));
  CHECK(has(after([](json& one) { one["extra_data"]["rankscope"].erase("seal"); }),
            "by an earlier version"));
  CHECK(has(kept_results(text, "another key")->fault, "another"));
  // Layout is nothing that anybody was graded by.
  CHECK(kept_results(parse_json(text).dump(), "key")->fault.empty());
}

TEST_CASE("Reports show texts of students as texts", "[grading]") {
  Class small;
  const std::string bytes =
      "course = \"small\"\nstudent = \"=cmd|<script>\"\n[answers]\n\"sums/why\" = \"<img src=x> "
      "]]>\"\n"
      "\"sums/root\" = \"</dd><script>\"\n";
  const StudentReport report = small.grade(bytes);
  ReportPictures pictures(small.grader);
  const std::string page = report_html(report, small.course, &pictures);
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "<img src=x"));
  CHECK_FALSE(has(page, "<b>HTML"));  // of the prompt
  CHECK(has(page, "&lt;img src=x&gt;"));
  CHECK(has(page, "data:image/svg+xml;base64,"));
  CHECK(has(page, "the sum of 1 to 4"));
  CHECK_FALSE(has(report_html(report, small.course, nullptr), "the sum of 1 to 4"));
  CHECK_FALSE(has(page, "://"));
  const std::string junit = junit_xml(report, small.course);
  CHECK(has(junit, "&lt;script&gt;"));
  CHECK(has(junit, "<skipped message=\"not graded (20 points)\"/>"));
  const std::string csv = gradebook_csv({row_of(report)}, small.grader.entries());
  CHECK(has(csv, "\n'=cmd"));
  CHECK(has(csv, ",not graded,"));
}

TEST_CASE("grading: comments and empty lines of a lesson are no part of it, what strings hold is") {
  constexpr std::string_view kLesson = R"(id = 'a#b' # why

# more
text = """
# a title

\"""# still""""  # end
n = 1
)";
  CHECK(without_toml_comments(kLesson) == R"(id = 'a#b'
text = """
# a title

\"""# still""""
n = 1
)");
  CHECK(without_toml_comments("a = 1 # one\r\n   # two\nb = '''\n#'''#") ==
        "a = 1\nb = '''\n#'''\n");
  CHECK(without_toml_comments("a = \"x") == "a = \"x\n");
  CHECK(without_toml_comments("a = \"\\").starts_with("a"));
  CHECK(without_toml_comments("").empty());
}

}  // namespace
}  // namespace rankscope
