// Results of programs that a later grading takes, and comments for many.
#include "lessons/reports/kept_programs.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/json_text.h"
#include "lessons/reports/gradebook.h"
#include "lessons/submissions/program_parts.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::has;

void put(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// The course of the assignment, whose programs are graded by a number in their text: nothing is run.
struct CountedClass {
  explicit CountedClass(const fs::path& root = lessons_folder()) : lessons(root) {
    put(fs::path(folder / "anna") / "my_broadcast.py", "4");
    put(fs::path(folder / "anna") / "answers.toml", "student = \"Anna\"\n[answers]\n");
    use_tools("tools 1");
  }

  void use_tools(const std::string& tools) {
    grader.grade_code_by(
        [this](const CodingExercise&, const fs::path& at, const std::string&) {
          ++runs;
          std::ifstream file(at / "my_broadcast.py");
          CodeItem out{0, 6, "rule by rule", repeatable, {}, "the rank's own words"};
          file >> out.points;
          out.bonus = bonus;
          if (during) during();
          return out;
        },
        tools);
  }

  StudentReport grade(const std::string& earlier = "") {
    SubmissionList found = find_submissions({folder / "anna"});
    std::vector<SubmissionHead> heads = read_heads(std::move(found.all));
    name_heads(heads, {});
    const auto kept = kept_results(earlier, "key");
    return grader.grade(heads.at(0), {}, nullptr, kept ? kept->programs : KeptPrograms());
  }
  /// By which the whole report is known again.
  std::string digest(const std::string& options = "", std::optional<std::uint64_t> seed = {}) {
    SubmissionList found = find_submissions({folder / "anna"});
    const std::vector<SubmissionHead> heads = read_heads(std::move(found.all));
    return grader.digest(grader.inputs(heads.at(0), seed, nullptr, options), "");
  }
  std::string text(const StudentReport& report) const {
    return results_text(report, course, "key");
  }

  test::TemporaryFolder folder;
  LessonLibrary lessons;
  Course course = lessons.course("send-recv");
  CourseGrader grader{lessons, course};
  int runs = 0;
  double bonus = 0;
  bool repeatable = true;
  std::function<void()> during;  ///< What happens while the program runs.
};

TEST_CASE("A program that has run does not run again until something changes", "[grading]") {
  CountedClass one;
  const StudentReport first = one.grade();
  REQUIRE(one.runs == 1);
  const std::string kept = one.text(first);
  const StudentReport second = one.grade(kept);
  CHECK(one.runs == 1);
  CHECK(second.programs_kept == 1);
  CHECK(second.points() == first.points());
  CHECK(one.text(second) == kept);
  one.use_tools("tools 2");
  one.grade(kept);
  CHECK(one.runs == 2);
  one.use_tools("tools 1");
  put(fs::path(one.folder / "anna") / "answers.toml", "student = \"Anna\"\nseed = 3\n[answers]\n");
  CHECK(one.grade(kept).programs_kept == 1);                  // no program asks for the answers
  put(fs::path(one.folder / "anna") / "helper.py", "x = 1");  // it may be imported
  CHECK(one.grade(kept).programs_kept == 0);
  fs::remove(fs::path(one.folder / "anna") / "helper.py");
  put(fs::path(one.folder / "anna") / "my_broadcast.py", "5");
  CHECK(one.grade(kept).points() > first.points());
}

TEST_CASE("Bonus points count on top where the course says so, also of a kept program",
          "[grading]") {
  CountedClass one;
  REQUIRE(one.course.counts_bonus);
  put(fs::path(one.folder / "anna") / "my_broadcast.py", "6");
  one.bonus = 0.5;
  const StudentReport first = one.grade();
  CHECK(first.points() == Approx(6.5));
  CHECK(first.items.at(0).item_state() == ItemState::right);
  const StudentReport second = one.grade(one.text(first));
  CHECK(second.programs_kept == 1);
  CHECK(second.points() == Approx(6.5));
  one.course.counts_bonus = false;
  CHECK(one.grade().points() == Approx(6));
}

TEST_CASE("A changed program runs again alone, and those that use it", "[grading]") {
  const test::TemporaryFolder folder;
  const std::set<std::string> all{"ring.py", "src/tree.py", "my_broadcast.py"};
  put(folder / "ring.py", "import helper\n");
  put(folder / "helper.py", "from my_broadcast import send\n");
  put(folder / "my_broadcast.py", "def send(x): pass\n");
  put(fs::path(folder / "src") / "tree.py", "name = 'ri' + 'ng'\n");
  using Names = std::set<std::string>;
  CHECK(unused_programs(folder.path(), "ring.py", all) == Names{"src/tree.py"});
  CHECK(unused_programs(folder.path(), "my_broadcast.py", all) == Names{"ring.py", "src/tree.py"});
  CHECK(unused_programs(folder.path(), "src/tree.py", all) == Names{"ring.py", "my_broadcast.py"});
  put(fs::path(folder / "src") / "tree.py", "load('.'.join(['ring', 'py']))\n");
  CHECK(unused_programs(folder.path(), "src/tree.py", all) == Names{"my_broadcast.py"});
  const auto without_ring = [&] { return files_hash(folder.path(), {"ring.py"}); };
  const std::string before = without_ring();
  put(folder / "ring.py", "import helper  # twice\n");
  CHECK(without_ring() == before);
  put(folder / "helper.py", "");
  CHECK(without_ring() != before);
}

TEST_CASE("A whole report is made again when the tools, the options or the seed change",
          "[grading]") {
  CountedClass one;
  const std::string before = one.digest("options");
  CHECK(one.digest("options") == before);
  CHECK(one.digest("others") != before);
  CHECK(one.digest("options", 7) != before);
  one.use_tools("tools 2");  // another interpreter or library, boxes or none
  CHECK(one.digest("options") != before);
  one.use_tools("tools 1");
  CHECK(one.digest("options") == before);
}

TEST_CASE("A program runs again when its lesson changes, but not for a comment in it",
          "[grading]") {
  const test::TemporaryFolder root;
  fs::copy(lessons_folder() / "content", root / "content", fs::copy_options::recursive);
  fs::copy(lessons_folder() / "courses", root / "courses", fs::copy_options::recursive);
  const fs::path lesson = fs::path(root / "content") / "03-broadcast" / "lesson.toml";
  const std::string kept = [&] {
    CountedClass one(root.path());
    return one.text(one.grade());
  }();
  const auto kept_after = [&](std::string_view line) {
    std::ofstream(lesson, std::ios::app) << line;
    CountedClass one(root.path());
    return one.grade(kept).programs_kept;
  };
  CHECK(kept_after("") == 1);
  CHECK(kept_after("\n# a comment\n") == 1);
  CHECK(kept_after("\n[[unknown]]\nx = 1\n") == 0);
}

TEST_CASE("Results of a program that cannot be told from others are not kept", "[grading]") {
  CountedClass one;
  one.use_tools("");  // the interpreter does not say what it is
  CHECK_FALSE(one.grade().repeatable);
}

TEST_CASE("What a busy machine may have caused is not kept", "[grading]") {
  CountedClass one;
  one.repeatable = false;
  const StudentReport report = one.grade();
  CHECK(report.programs.front().digest.empty());
  CHECK_FALSE(report.repeatable);
  CHECK(one.grade(one.text(report)).programs_kept == 0);
  CHECK(one.runs == 2);
}

TEST_CASE("Points for files that changed while they were graded are not kept", "[grading]") {
  CountedClass one;
  const fs::path helper = fs::path(one.folder / "anna") / "helper.py";
  one.during = [&] { put(helper, "x = 1"); };
  const StudentReport report = one.grade();
  CHECK_FALSE(report.repeatable);
  REQUIRE_FALSE(report.complaints.empty());
  CHECK_THAT(report.complaints.back(), Catch::Contains("changed while it was graded"));
  const std::string kept = one.text(report);
  CHECK(one.grade(kept).programs_kept == 0);
  fs::remove(helper);
  one.during = nullptr;
  CHECK(one.grade(kept).programs_kept == 0);
}

TEST_CASE("Programs that are not run keep their points while their files are the same",
          "[grading]") {
  CountedClass one;
  one.repeatable = false;  // even so
  const StudentReport before = one.grade();
  const std::string kept = one.text(before);
  one.grader.grade_code_by(nullptr);
  const StudentReport same = one.grade(kept);
  CHECK(one.runs == 1);
  CHECK(same.programs_kept == 1);
  CHECK(same.points() == before.points());
  CHECK(one.grade(one.text(same)).points() == before.points());
  put(fs::path(one.folder / "anna") / "helper.py", "x = 1");
  const StudentReport changed = one.grade(kept);
  CHECK(changed.most() < before.most());
  REQUIRE_FALSE(changed.complaints.empty());
  CHECK_THAT(changed.complaints.back(), Catch::Contains("changed since it was graded (4 of 6"));
}

TEST_CASE("What gets nothing says why in the class's rows", "[grading]") {
  CountedClass one;
  put(fs::path(one.folder / "anna") / "my_broadcast.py", "0");
  const StudentReport report = one.grade();
  const GradebookRow row = row_of(report);
  const std::string book = gradebook_csv({row}, one.grader.entries());
  CHECK_THAT(book, Catch::Contains("0 points: the rank's own words"));
  CHECK_THAT(class_html({row}, one.grader.entries(), one.course, {}),
             Catch::Contains("0 points: the rank's own words"));
}

struct MarkedClass {
  explicit MarkedClass(const std::string& text) {
    put(folder / "marks.toml", text);
    marks.emplace(folder / "marks.toml", course, lessons, complaints);
  }
  StudentReport grade(const std::string& answers) {
    std::vector<SubmissionHead> heads =
        read_heads({{"anna.toml", "anna", {}, "[answers]\n" + answers, "", {}}});
    name_heads(heads, {});
    StudentReport out = grader.grade(heads.front(), {}, marks->find("anna"));
    add_bulk_comments(marks->bulk(), out);
    return out;
  }

  test::TemporaryFolder folder;
  LessonLibrary lessons{test::source_root() / "tests/lessons/fixtures"};
  Course course = lessons.course("small");
  CourseGrader grader{lessons, course};
  Complaints complaints;
  std::optional<Marks> marks;
};

constexpr std::string_view kForMany = R"(["*"]
comment = "The sheet is online."
[["*"."sums/root"]]
mistake = "counts-from-zero"
comment = "Page 2, line 3."
[["*"."sums/root"]]
not_right = true
comment = "On Monday."
[["*"."sums/sums"]]
comment = "For everybody."
[["*"."sums/my-sum"]]
mistake = "Compiled"
comment = "Of programs."
[anna."sums/root"]
comment = "My own words."
)";

TEST_CASE("One comment reaches all who made the same mistake", "[grading]") {
  MarkedClass many{std::string(kForMany)};
  INFO(many.complaints.to_string());
  CHECK(many.complaints.empty());
  const StudentReport mistaken = many.grade("\"sums/root\" = 6\n");
  CHECK(mistaken.comment == "The sheet is online.");
  CHECK(mistaken.items[0].comment == "Page 2, line 3.\nOn Monday.\nMy own words.");
  CHECK(mistaken.items[1].comment == "For everybody.");
  const StudentReport other = many.grade("\"sums/root\" = 7\n");
  CHECK(other.items[0].comment == "On Monday.\nMy own words.");
  const StudentReport right = many.grade("\"sums/root\" = 10\n");
  CHECK(right.items[0].comment == "My own words.");
  CHECK(has(results_text(mistaken, many.course, "key"), "Comment: Page 2, line 3."));

  const auto& entries = many.grader.entries();
  CHECK(has(gradebook_csv({row_of(mistaken)}, entries), "1.2 sums/sums: For everybody."));
  const auto kept = kept_results(results_text(mistaken, many.course, "key"), "key");
  REQUIRE(kept);
  CHECK(comments_text(kept->row, entries) == comments_text(row_of(mistaken), entries));
  const auto unused = unused_bulk_comments(*many.marks, {row_of(other)}, entries);
  REQUIRE(unused.size() == 2);
  INFO(unused[0] + unused[1]);
  CHECK(has(unused[0], "marks.toml:3: nobody gets the comment on sums/root, for the mistake"));
  CHECK(has(unused[1], "sums/my-sum"));
}

TEST_CASE("A comment for many with a slip of the pen is named, and the others count", "[grading]") {
  MarkedClass many(
      "[[\"*\".\"sums/root\"]]\nmistake = \"counts-from-zer\"\ncomment = \"x\"\n"
      "[[\"*\".\"sums/rot\"]]\ncomment = \"x\"\n"
      "[[\"*\".\"sums/sums\"]]\nnot_right = true\n"
      "[[\"*\".\"sums/sums\"]]\nnot_rigth = true\ncomment = \"y\"\n"
      "[[\"*\".\"sums/why\"]]\ncomment = \"z\"\n");
  const std::string said = many.complaints.to_string();
  CHECK(has(said, "sums/root knows no mistake 'counts-from-zer'; did you mean 'counts-from-zero'"));
  CHECK(has(said, "no exercise 'sums/rot'"));
  CHECK(has(said, "comment"));
  CHECK(has(said, "'not_rigth'"));
  CHECK(many.grade("").items[2].comment == "z");
}

}  // namespace
}  // namespace rankscope
