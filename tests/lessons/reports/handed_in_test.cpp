// What was answered is what is handed in, and what is graded.
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/handout/giveaways.h"
#include "lessons/handout/hand_in.h"
#include "lessons/handout/student_copy.h"
#include "lessons/lesson/expand.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/submissions/program_parts.h"
#include "lessons/text/encodings.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::has;

/// A student at a course's questions.
struct AtHome {
  explicit AtHome(const std::string& name, const fs::path& root = lessons_folder())
      : lessons(root), course(lessons.course(name)) {}

  QuestionProgress& answer(const Lesson& lesson, const Question& question, const json& text) {
    LessonProgress& progress = all[lesson.slug];
    progress.lesson = lesson.slug;
    progress.student = "Ada";
    runs.know(lesson.runs);
    note_answer(progress, question, text,
                grade(question, variant_of(question, progress.seed), text, runs));
    store.save(progress);
    return progress.questions[question.id];
  }

  /// Answers all: some rightly, some as stored wrong ones, one rightly and then wrongly.
  std::map<std::string, double> answer_all() {
    std::map<std::string, double> points;
    std::size_t number = 0;
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items) {
        const Lesson* lesson = item.later.empty() ? lessons.find(item.lesson) : nullptr;
        const Question* question = lesson != nullptr ? lesson->find_question(item.id) : nullptr;
        if (question == nullptr || question->kind->marked_by_hand()) continue;
        runs.know(lesson->runs);
        const Variant variant = variant_of(*question, 0);
        const json key = question->kind->key(*question, variant, runs);
        const json wrong = expand(question->stored.back().answer, variant.values, &runs);
        ++number;
        const QuestionProgress* one = nullptr;
        if (number % 3 != 0) one = &answer(*lesson, *question, key);
        if (number % 3 != 1) one = &answer(*lesson, *question, wrong == "key" ? key : wrong);
        points[item.key()] = one->points / question->points * item.points;
      }
    return points;
  }

  CourseGrader& use() {
    if (!grader) grader.emplace(lessons, course);
    return *grader;
  }
  HandInReceipt hand_in(const std::string& to, const fs::path& from = {}) {
    return rankscope::hand_in(use(), store, runs, {"Ada", folder / to, from});
  }
  StudentReport graded(const std::string& what) {
    SubmissionList found = find_submissions({folder / what});
    std::vector<SubmissionHead> heads = read_heads(std::move(found.all));
    name_heads(heads, {});
    return use().grade(heads.at(0), {}, nullptr);
  }

  test::TemporaryFolder folder;
  LessonLibrary lessons;
  Course course;
  LessonRuns runs;
  ProgressStore store{fs::path(folder / "progress")};
  std::map<std::string, LessonProgress> all;
  std::optional<CourseGrader> grader;
};

TEST_CASE("A course's answers are handed in and graded with the points that they had",
          "[grading]") {
  for (const char* name : {"homework", "send-recv", "ray-allreduce", "tutorial", "puzzlers"}) {
    AtHome ada(name);
    const auto points = ada.answer_all();
    for (const std::string to : {"hand-in", "hand-in.zip"}) {
      const HandInReceipt receipt = ada.hand_in(to);
      const SheetCheck before = check_progress(ada.use(), ada.store, "Ada");
      const StudentReport report = ada.graded(to);
      CHECK(report.student == "Ada");
      CHECK(report.complaints.empty());
      std::size_t compared = 0;
      for (const ItemReport& item : report.items) {
        const auto had = points.find(item.later() ? "" : item.entry->item->key());
        if (had == points.end()) continue;
        INFO(name << ", " << had->first);
        CHECK(item.points.value_or(-1) == Approx(had->second));
        const auto told = std::ranges::find(receipt.check.items, had->first, &HandInItem::key);
        REQUIRE(told != receipt.check.items.end());
        // An answer that cannot be read is not kept, so the item stays without one.
        const double without = told->standing == ItemStanding::open ? 0 : -1;
        CHECK(told->points.value_or(without) == Approx(had->second));
        const auto listed = std::ranges::find(before.items, had->first, &HandInItem::key);
        REQUIRE(listed != before.items.end());
        CHECK(listed->points == told->points);
        CHECK(listed->standing == told->standing);
        ++compared;
      }
      CHECK(compared == points.size());
    }
  }
}

TEST_CASE("After the right answer was shown, what had points before is handed in", "[grading]") {
  AtHome ada("homework");
  const Lesson& lesson = ada.lessons.need("tree-allreduce");
  const Question& question = *lesson.find_question("partner");
  ada.answer(lesson, question, "n - 2^i");
  give_up(ada.all[lesson.slug], question);
  ada.answer(lesson, question, "n - 2^(i-1)");
  ada.hand_in("x");
  for (const ItemReport& item : ada.graded("x").items)
    if (!item.later() && item.entry->question == &question) CHECK(item.points == Approx(3.25));
}

TEST_CASE("Programs, their helpers and the course's places go along; nothing else is written over",
          "[grading]") {
  AtHome ada("send-recv");
  const auto write = [&](const std::string& file, std::string_view text) {
    fs::create_directories(fs::path(ada.folder / file).parent_path());
    std::ofstream(ada.folder / file) << text;
  };
  write("mine/all.py",
        "from helper import x\nimport torch\ndef my_broadcast(t, src=0): return t\n");
  write("mine/helper.py", "x = 1\n");
  write("mine/holiday.py", "");
  const Lesson& lesson = ada.lessons.need("broadcast");
  LessonProgress& progress = ada.all[lesson.slug];
  progress.lesson = lesson.slug;
  progress.student = "Ada";
  const fs::path mine = ada.folder / "mine/all.py";
  note_program(progress, *lesson.find_coding("my-broadcast"), mine, program_hash(mine), 3);
  ada.store.save(progress);
  CHECK(ada.store.peek("Ada", "broadcast").points() == 3);

  const HandInReceipt first = ada.hand_in("x");
  CHECK(first.files ==
        std::vector<std::string>{"answers.toml", "src/collectives.py", "src/helper.py"});
  CHECK(first.check.items.front().points == Approx(3));
  CHECK(first.check.items.front().file == "src/collectives.py");
  CHECK(has(first.text, first.checksum));
  CHECK(ada.hand_in("x").checksum == first.checksum);

  write("mine/helper.py", "x = 2\n");
  CHECK_FALSE(ada.hand_in("x").check.items.front().points);
  CHECK(ada.hand_in("x").check.items.front().standing == ItemStanding::changed);
  write("mine/helper.py", "x = 1\n");
  CHECK(ada.hand_in("x").check.items.front().points == Approx(3));

  write("mine/all.py", "def my_broadcast(t, src=0):\n  raise NotImplementedError\n");
  const HandInReceipt changed = ada.hand_in("x");
  CHECK(changed.checksum != first.checksum);
  CHECK(has(changed.check.items.front().says, "is not written yet"));

  write("other/mine.txt", "x");
  CHECK_THROWS_WITH(ada.hand_in("other"), Catch::Contains("is no earlier hand-in"));
  CHECK_THROWS_WITH(ada.hand_in("mine/all.py"), Catch::Contains("is no earlier hand-in"));
  write("repo/src/collectives.py", "def my_broadcast(t, src=0): return t\n");
  write("repo/all_to_all_schematic.pdf", "%PDF");
  write("repo/receipt.txt", "not ours");
  const HandInReceipt whole = ada.hand_in("y.zip", ada.folder / "repo");
  CHECK(whole.files ==
        std::vector<std::string>{"all_to_all_schematic.pdf", "answers.toml", "src/collectives.py"});
  for (const auto& left : fs::directory_iterator(ada.folder / ""))
    CHECK_FALSE(has(left.path().string(), ".part"));
}

TEST_CASE("Programs of a course's one notebook that were graded in several are said", "[grading]") {
  AtHome ada("ray-allreduce");
  double bonus = 0;
  const auto graded = [&](const char* slug, const char* id, const char* name) {
    const fs::path file = ada.folder / name;
    std::ofstream(file) << R"({"cells": [{"cell_type": "code", "source": "class Worker:\n  )"
                        << R"(def bde_all_reduce(self): pass\n  def do_send(self, to): pass"}]})";
    const Lesson& lesson = ada.lessons.need(slug);
    LessonProgress progress{slug, "Ada", 0, 0, {}, {}};
    const CodingExercise& exercise = *lesson.find_coding(id);
    note_program(progress, exercise, file, program_hash(file), exercise.points, {{"bonus", bonus}});
    ada.store.save(progress);
  };
  graded("point-to-point", "send-recv", "a.ipynb");
  graded("bde-allreduce", "bde-all-reduce", "a.ipynb");
  CHECK(check_progress(ada.use(), ada.store, "Ada").remarks.empty());
  // A bonus counts as `grade` counts it.
  const auto points = [&] { return check_progress(ada.use(), ada.store, "Ada").points(); };
  const double before = points();
  bonus = 0.5;
  graded("bde-allreduce", "bde-all-reduce", "a.ipynb");
  ada.course.counts_bonus = false;
  CHECK(points() == before);
  ada.course.counts_bonus = true;
  CHECK(points() > before);
  graded("bde-allreduce", "bde-all-reduce", "b.ipynb");
  const SheetCheck check = check_progress(ada.use(), ada.store, "Ada");
  REQUIRE(check.remarks.size() == 1);
  CHECK(has(check.remarks.front(), "a.ipynb, b.ipynb: the course takes its programs from one"));
}

TEST_CASE(
    "A cell of a notebook is read alone, and a function that is only the starter's is not begun",
    "[grading]") {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "a.ipynb";
  std::ofstream(file) << R"({"cells": [{"cell_type": "markdown", "source": "x"},)"
                      << R"({"cell_type": "code", "source": "import torch"},)"
                      << R"({"cell_type": "code", "source": ["def my_broadcast(t, src=0):\n", )"
                      << R"("    return t\n"]}]})";
  std::string fault;
  CHECK(program_text(file, fault, 2) == "def my_broadcast(t, src=0):\n    return t\n\n");
  CHECK(program_text(file, fault, 1) == "import torch\n");
  const LessonLibrary all(lessons_folder());
  const CodingExercise& exercise = *all.need("broadcast").find_coding("my-broadcast");
  CHECK(is_begun_in(exercise, file));
  std::ofstream(folder / "b.py") << "def my_broadcast(t, src=0):\n    raise NotImplementedError\n";
  CHECK_FALSE(is_begun_in(exercise, folder / "b.py"));
}

TEST_CASE("A program's hash covers the modules and files that it uses, and no others",
          "[grading]") {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& file, std::string_view text) {
    fs::create_directories(fs::path(folder / file).parent_path());
    std::ofstream(folder / file) << text;
  };
  write("src/main.py",
        "import os, ways.ring as ring\nfrom src.helper import (\n    one,\n    two)  # three\n"
        "weights = open('data/w.bin')\nimport_module(\"late\")\nopen('../secret')\n");
  write("src/ways/__init__.py", "from . import ring\nfrom .tree import *\n");
  write("src/ways/ring.py", "from ..deep import far\n");
  write("src/ways/tree.py", "");
  write("src/deep/far.py", "");
  write("src/helper.py", "import main\n");
  write("src/late.py", "import plain.one\n");
  write("src/plain/one.py", "");
  write("src/data/w.bin", "12");
  write("src/three.py", "");
  write("secret", "x");
  const fs::path main = folder / "src/main.py";
  std::set<std::string> names;
  for (const fs::path& part : program_parts(main))
    names.insert(part.lexically_relative(folder / "src").generic_string());
  CHECK(names == std::set<std::string>{"main.py", "ways/__init__.py", "ways/ring.py",
                                       "ways/tree.py", "deep/far.py", "helper.py", "late.py",
                                       "plain/one.py", "data/w.bin"});
  const std::string before = program_hash(main);
  write("src/three.py", "1");
  write("secret", "y");
  CHECK(program_hash(main) == before);
  for (const std::string& name : names) {
    INFO(name);
    std::ofstream(folder / ("src/" + name), std::ios::app) << "#";
    CHECK(program_hash(main) != before);
    std::error_code error;
    fs::resize_file(folder / ("src/" + name), fs::file_size(folder / ("src/" + name)) - 1, error);
    CHECK(program_hash(main) == before);
  }
  copy_program(main, folder / "out/src/collectives.py");
  CHECK(program_hash(folder / "out/src/collectives.py") == before);
  // Alone, and in C++.
  write("alone.py", "x");
  CHECK(program_hash(folder / "alone.py") == hash_text("x"));
  write("c/a.cpp", "#include \"tree.h\"\n#include <vector>\n");
  write("c/tree.h", "");
  CHECK(program_parts(fs::path(folder / "c/a.cpp")).size() == 2);
}

TEST_CASE("A sheet is checked as it will be graded", "[grading]") {
  AtHome ada("homework");
  std::ofstream(ada.folder / "a.toml") << "course = \"homework\"\nstudent = \"Ada\"\n[answers]\n"
                                          "\"complexity/tree-time\" = \"2 log N (t + D/b)\"\n"
                                          "\"complexity/when\" = \"\"\"because\n"
                                          "# next\n\"tree-allreduce/steps\" = \"2*ceil(log2(N))\"\n"
                                          "\"tree-allreduce/partner\" = \"n - 2^(i-1)\n"
                                          "\"complexity/one-message\" = \"t + (D/b\"\n";
  const SheetCheck check = check_sheet(ada.use(), ada.folder / "a.toml");
  std::map<std::string, HandInItem> items;
  for (const HandInItem& item : check.items) items[item.key] = item;
  CHECK(items["complexity/one-message"].standing == ItemStanding::unreadable);
  CHECK_FALSE(items["complexity/one-message"].says.empty());
  CHECK(items["complexity/tree-time"].points == Approx(1.5));  // log is read as log2
  CHECK(items["complexity/when"].standing == ItemStanding::by_hand);
  CHECK(items["tree-allreduce/steps"].standing == ItemStanding::right);
  CHECK(items["tree-allreduce/partner"].points == Approx(5));
  CHECK(items["ring-allreduce/left-chunk"].lacks());
  REQUIRE(check.remarks.size() >= 2);
  CHECK(has(check.remarks[0], "a.toml:5: a quote or bracket is missing in '\"complexity/when\""));
}

/// A root whose course has a date; its lessons are the shipped ones.
/// A course that ends at a date, with the lessons as they are.
void make_root(const std::string& root, const std::string& date,
               const std::string& name = "homework") {
  fs::create_directories(root + "/courses");
  fs::create_directory_symlink(lessons_folder() / "content", root + "/content");
  std::string fault;
  const std::string course =
      read_whole(lessons_folder() / "courses" / (name + ".toml"), 1 << 20, fault, LinkRule::follow);
  std::ofstream(root + "/courses/" + name + ".toml")
      << course << "\n[hand_in]\ndeadline = " << date << "\n";
}

TEST_CASE("Until a course closes, the answers of its questions are kept back", "[grading]") {
  const test::TemporaryFolder folder;
  make_root(folder / "open", "2999-11-20T23:59:00Z");
  make_root(folder / "closed", "2001-11-20T23:59:00Z");
  const LessonLibrary open(folder / "open"), closed(folder / "closed");
  const Lesson& tree = open.need("tree-allreduce");
  CHECK(has(kept_back(*tree.find_question("steps")), "when the course closes"));
  CHECK(kept_back(*tree.find_question("how-to-tell")).empty());              // nobody hands it in
  CHECK_FALSE(kept_back(*tree.find_question("partner-from-zero")).empty());  // nearly "partner"
  CHECK(kept_back(*closed.need("tree-allreduce").find_question("steps")).empty());
}

TEST_CASE("Exercises do not tell the formulas that their lesson asks for", "[grading]") {
  const LessonLibrary all(lessons_folder());
  const Question& partner = *all.need("tree-allreduce").find_question("partner");
  CHECK(formula_given_away("Rank n sends once, to n − 2^(i−1), after it has", partner) ==
        "n − 2^(i−1)");
  CHECK(formula_given_away("to rank `n - 2**i/2`.", partner) == "n - 2**i/2");
  CHECK(formula_given_away("Rank n sends to its partner n′ in step i.", partner).empty());
  const test::TemporaryFolder folder;
  make_root(folder / "dated", "2999-11-20T23:59:00Z");
  const LessonLibrary dated(folder / "dated");
  LessonRuns runs;
  std::vector<const Lesson*> lessons;
  for (const char* name : {"hello-ranks", "point-to-point", "tree-allreduce", "ring-allreduce",
                           "complexity", "distributed-sgd"})
    lessons.push_back(&dated.need(name));
  CopySettings settings;
  settings.feedback = CourseFeedback{};
  pack_for_students(lessons, {dated.course_file("homework")}, folder / "copy", runs, settings);
  const LessonLibrary copy(folder / "copy");
  CHECK(copy.course("homework").hand_in.deadline == dated.course("homework").hand_in.deadline);
  for (const Lesson* lesson : lessons)
    for (const CodingExercise& exercise : copy.need(lesson->slug).coding)
      for (const Question& asked : lesson->questions) {
        INFO(lesson->slug << " " << exercise.id << " " << asked.id);
        CHECK(formula_given_away(exercise.contract, asked) == "");
        for (const CodingRule& rule : exercise.rules) {
          CHECK(formula_given_away(rule.says, asked) == "");
        }
      }
  // The rules are the same, and their limits hold for any number of ranks.
  const CodingExercise& given = *copy.need("tree-allreduce").find_coding("tree-allreduce");
  const CodingExercise& whole = *dated.need("tree-allreduce").find_coding("tree-allreduce");
  CHECK(given.closed);
  CHECK(given.defining == whole.defining);
  REQUIRE(given.rules.size() == whole.rules.size());
  for (std::size_t i = 0; i < given.rules.size(); ++i) {
    CHECK(given.rules[i].kind == whole.rules[i].kind);
    CHECK(given.rules[i].points == whole.rules[i].points);
    CHECK(given.rules[i].at_most == whole.rules[i].at_most);
  }
  for (const json& rule : to_json(given, grade_rules(given, {}))["rules"])
    CHECK((rule["kind"] != "rounds" && rule["kind"] != "tree"));
}

TEST_CASE("A student's copy hands in the points that it gave, and judges nothing else",
          "[grading]") {
  const test::TemporaryFolder folder;
  make_root(folder / "dated", "2999-11-20T23:59:00Z", "send-recv");
  const LessonLibrary dated(folder / "dated");
  LessonRuns runs;
  std::vector<const Lesson*> lessons;
  for (const char* name : {"broadcast", "flat-allreduce", "allgather", "reduce-scatter",
                           "all-to-all", "parallel-transformer"})
    lessons.push_back(&dated.need(name));
  const CopySettings settings{.feedback = CourseFeedback{}, .cost = {4, 1, 1}};
  pack_for_students(lessons, {dated.course_file("send-recv")}, folder / "copy", runs, settings,
                    seal_keys(lessons, settings.cost));
  AtHome ada("send-recv", folder / "copy");
  const auto give = [&](const char* slug, const char* id, const char* text) {
    const Lesson& lesson = ada.lessons.need(slug);
    const Question& question = *lesson.find_question(id);
    return ada.answer(lesson, question, read_answer(question, variant_of(question, 0), text));
  };
  CHECK(give("parallel-transformer", "volume", "4*(N-1)/N*B*S*d*E").state == Verdict::State::right);
  // Its right answer could be computed from the run.
  const QuestionProgress drawn = give("all-to-all", "schematic", "1: 0 -> 1 (0>1); copy 0");
  CHECK(drawn.state == Verdict::State::not_graded);
  CHECK_FALSE(is_done(*ada.lessons.need("all-to-all").find_question("schematic"), drawn));
  const HandInReceipt receipt = ada.hand_in("x");
  for (const auto& items :
       {receipt.check.items, check_progress(ada.use(), ada.store, "Ada").items}) {
    const auto of = [&](const char* key) {
      return *std::ranges::find(items, std::string_view(key), &HandInItem::key);
    };
    CHECK(of("parallel-transformer/volume").points == Approx(5));
    CHECK(of("all-to-all/schematic").standing == ItemStanding::readable);
    CHECK_FALSE(of("all-to-all/schematic").points);
  }
  CHECK(has(receipt.text, "parallel-transformer/volume: right\nparallel"));
  give("all-to-all", "schematic", "1: 0 -> 2 (0>2); copy 0");
  CHECK(ada.hand_in("x").checksum != receipt.checksum);
}

/// Every sentence of a question that only its lecturer has.
std::vector<std::string> kept_words(const Question& question) {
  std::vector<std::string> out = {question.explanation, question.data.value("model", "")};
  for (const Misconception& one : question.misconceptions) out.push_back(one.says);
  for (const char* list : {"options", "rubric", "right", "also"})
    if (question.data.contains(list) && question.data[list].is_array())
      for (const json& one : question.data[list])
        if (one.is_object())
          out.push_back(one.value(std::string_view(list) == "rubric" ? "text" : "says", ""));
  std::erase_if(out, [](const std::string& text) { return text.size() < 12; });
  return out;
}

TEST_CASE("A student's copy of each course ends at its date and has no kept answer", "[grading]") {
  const LessonLibrary all(lessons_folder());
  LessonRuns runs;
  for (const std::string& name : all.course_names()) {
    const test::TemporaryFolder folder;
    make_root(folder / "dated", "2999-11-20T23:59:00Z", name);
    const LessonLibrary dated(folder / "dated");
    const Course course = dated.course(name);
    const AskedFormulas asked(course, dated);
    std::set<const Lesson*> lessons;
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items) {
        const Lesson& lesson = dated.need(item.lesson);
        lessons.insert(&lesson);
        const Question* const asked = lesson.find_question(item.id);
        if (asked != nullptr) CHECK_FALSE(kept_back(*asked).empty());
      }
    pack_for_students({lessons.begin(), lessons.end()}, {dated.course_file(name)}, folder / "copy",
                      runs, {.feedback = CourseFeedback{}});
    CHECK(LessonLibrary(folder / "copy").course(name).hand_in.deadline == course.hand_in.deadline);
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder / "copy"))) {
      if (!entry.is_regular_file()) continue;
      std::string fault;
      const std::string text = read_whole(entry.path(), 1 << 22, fault, LinkRule::follow);
      for (const auto& [item, piece] : asked.given_away_in(text)) {
        INFO(entry.path().string() << " tells what " << item << " asks for");
        CHECK(piece == "");
      }
      for (const Lesson* const lesson : lessons)
        for (const Question& question : lesson->questions)
          for (const std::string& words : kept_words(question)) {
            INFO(entry.path().string()
                 << " has of " << lesson->slug << "/" << question.id << ": " << words);
            REQUIRE(text.find(words) == std::string::npos);
          }
    }
  }
}

TEST_CASE("No lesson of a course tells a formula that the course asks for", "[grading]") {
  const LessonLibrary all(lessons_folder());
  for (const std::string& name : all.course_names()) {
    Complaints complaints;
    check_course_texts(all.course(name), all, complaints);
    CHECK(complaints.to_string() == "");
  }
  // On another page than the question's, and written in another way.
  const test::TemporaryFolder folder;
  make_root(folder / "root", "2999-11-20T23:59:00Z");
  fs::remove(folder / "root/content");
  fs::create_directories(folder / "root/content");
  for (const char* name : {"01-hello-ranks", "02-point-to-point", "11-tree-allreduce",
                           "12-ring-allreduce", "13-complexity", "22-distributed-sgd"})
    fs::copy(lessons_folder() / "content" / name, fs::path(folder / "root/content") / name,
             fs::copy_options::recursive);
  const auto page = fs::path(folder / "root/content/13-complexity/1-one-message.md");
  std::ofstream(page, std::ios::app)
      << "\nThe ring of N takes 2(N−1)·(t + D/N/b).\n\nA row of n − n mod 2^i.\n";
  const LessonLibrary changed(folder / "root");
  Complaints complaints;
  check_course_texts(changed.course("homework"), changed, complaints);
  INFO(complaints.to_string());
  CHECK(has(complaints.to_string(), "13-complexity/1-one-message.md"));
  CHECK(has(complaints.to_string(), "complexity/ring-time"));
  CHECK(has(complaints.to_string(), "tree-allreduce/partner"));
  CHECK(complaints.all().size() == 2);
}

}  // namespace
}  // namespace rankscope
