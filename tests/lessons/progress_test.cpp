// Progress that was kept, and what has happened to it or to its lesson since.
#include "lessons/course/progress.h"

#include <set>

#include "engine/core/base/error.h"
#include "lessons/course/locks.h"
#include "lessons/kinds/kind.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
using State = Verdict::State;

json file_with(const json& question) {
  return {{"version", 1},
          {"lesson", "x"},
          {"student", "s"},
          {"step", 0},
          {"questions", {{"a", question}}}};
}

TEST_CASE("Counts in a progress file are what a count can be", "[lessons]") {
  for (const json& count :
       {json(-2000000), json(-1), json(1e300), json(-1e300), json(5.5), json(~0ULL)}) {
    INFO(count);
    json file = file_with({{"hints", count}, {"attempts", count}, {"points", count}});
    file["step"] = count;
    const LessonProgress progress = progress_from(file);
    CHECK(progress.of("a").hints >= 0);
    CHECK(progress.of("a").hints <= 1'000'000);
    CHECK(progress.of("a").attempts >= 0);
    CHECK(progress.of("a").points >= 0);
    CHECK(progress.step >= 0);
  }
  CHECK_THROWS_AS(progress_from(file_with({{"hints", "many"}})), UserError);
}

Lesson lesson_of(const LessonFolder& folder, const std::string& more,
                 const std::string& text = "@question a\n@run r\n") {
  folder.lesson("01-x",
                "[run.r]\nalgorithm = \"allreduce.ring\"\nranks = 4\ncount = 4\n"
                "[[question]]\nid = \"a\"\nprompt = \"?\"\nkind = \"number\"\nhints = [\"one\"]\n" +
                    more,
                text);
  Complaints complaints;
  Lesson out = read_lesson(folder.path("content/01-x"), complaints);
  CHECK(complaints.to_string() == "");
  return out;
}

TEST_CASE("What stands in a field is handed in, or is said not to be", "[lessons]") {
  const LessonFolder folder;
  const std::string table =
      "[[question]]\nid = \"t\"\nprompt = \"?\"\nkind = \"table\"\nrows = 2\ncolumns = [{ name = "
      "\"x\", answer = \"=row\" }, { name = \"ends\", words = [\"ok\", \"deadlock\"], answer = "
      "[\"ok\", \"deadlock\"] }]\n";
  Lesson lesson = lesson_of(folder, "answer = 5\n" + table, "@question a\n@question t\n@run r\n");
  Question question = *lesson.find_question("a");
  const auto given = [&](const json& progress) {
    const LessonProgress read = progress_from(file_with(progress));
    return answer_to_hand_in(question, {}, read.of("a"));
  };
  const json kept = {{"answer", "4"}, {"best", "4"}, {"state", "not_graded"}, {"attempts", 1}};
  json changed = kept;
  changed["draft"] = "7";
  // Where it is judged, the best answer counts until the other one is checked.
  CHECK(given(changed).answer == "4");
  CHECK_THAT(given(changed).says, ContainsSubstring("not checked"));
  CHECK(given({{"draft", "7"}}).answer.is_null());
  CHECK_THAT(given({{"draft", "7"}}).says, ContainsSubstring("not checked"));
  LessonRuns keys(lesson.runs);
  CHECK(question.kind->key(question, {}, keys) == 5);
  question.student_copy = true;
  CHECK(question.kind->key(question, {}, keys).is_null());
  CHECK(given(kept).answer == "4");
  CHECK(given(changed).answer == "7");
  CHECK(given(changed).says == "");
  CHECK(given({{"draft", "8O bites"}}).answer == "8O bites");
  changed["draft"] = "8O bites";
  CHECK(given(changed).answer == "4");
  CHECK_THAT(given(changed).says, ContainsSubstring("cannot be read"));
  changed["draft"] = "4";
  CHECK(given(changed).says == "");

  // Reading needs no key: the same fault here and where there is one.
  for (const bool copy : {false, true}) {
    Question& asked = lesson.questions.at(1);
    asked.student_copy = copy;
    if (copy)
      for (json& column : asked.data["columns"]) {
        column["numbers"] = column["name"] == "x";
        column.erase("answer");
      }
    LessonRuns runs(lesson.runs);
    const auto judged = [&](const json& answer) { return grade_now(asked, {}, answer, {}, runs); };
    CHECK(judged({{"x", {"0", "1"}}, {"ends", {"OK", ""}}}).state != State::malformed);
    CHECK_THAT(judged({{"x", {"0", "2o"}}}).says, ContainsSubstring("x at rank 1: "));
    CHECK(judged({{"x", {"0", "2o"}}}).state == State::malformed);
    CHECK(judged({{"ends", {"deadlok"}}}).says ==
          "ends at rank 0: ok or deadlock is expected, not 'deadlok'");
    CHECK(judged({{"ends", {"ok", "ok", "ok"}}}).state == State::malformed);
  }
}

TEST_CASE("Hints and points that a lesson does not have are not there", "[lessons]") {
  const LessonFolder folder;
  const Lesson lesson = lesson_of(folder, "answer = 5\n");
  LessonRuns runs(lesson.runs);
  LessonProgress progress = progress_from(file_with({{"hints", 5}, {"points", 900}}));
  CHECK(renew(progress, lesson, runs) == 0);
  CHECK(progress.of("a").hints == 1);
  CHECK(progress.of("a").points == 1);
  CHECK(open_hint(progress, lesson.questions[0]) == nullptr);
}

TEST_CASE("Verdicts about a question that has changed are made again", "[lessons]") {
  const LessonFolder folder;
  const Lesson before = lesson_of(folder, "answer = 5\n");
  LessonProgress progress;
  LessonRuns runs(before.runs);
  note_answer(progress, before.questions[0], "5", grade(before.questions[0], {}, "5", runs));
  REQUIRE(progress.of("a").state == State::right);
  progress = progress_from(to_json(progress));
  CHECK(renew(progress, before, runs) == 0);

  const Lesson after = lesson_of(folder, "answer = 6\npoints = 3\n");
  runs.know(after.runs);
  CHECK(renew(progress, after, runs) == 1);
  CHECK(progress.of("a").state == State::wrong);
  CHECK(progress.of("a").points == 0);
  CHECK(progress.of("a").says == "Too small.");
  CHECK(progress.of("a").answer == "5");
  CHECK(renew(progress, after, runs) == 0);

  const Lesson again = lesson_of(folder, "answer = 5\npoints = 3\n");
  CHECK(renew(progress, again, runs) == 1);
  CHECK(progress.of("a").points == 3);

  // The run that a key is measured on is part of the question.
  const std::string measured = "answer = { run = \"r\", measure = \"rounds\" }\n";
  const Lesson one = lesson_of(folder, measured);
  folder.write("content/01-x/lesson.toml", [&] {
    std::ifstream in(folder.path("content/01-x/lesson.toml"));
    std::string text{std::istreambuf_iterator<char>(in), {}};
    return text.replace(text.find("ranks = 4"), 9, "ranks = 3");
  }());
  Complaints complaints;
  const Lesson other = read_lesson(folder.path("content/01-x"), complaints);
  CHECK(one.questions[0].digest != other.questions[0].digest);
  CHECK(one.questions[0].digest == lesson_of(folder, measured).questions[0].digest);
}

TEST_CASE("An answer that no longer fits is open again, one that was shown stays closed",
          "[lessons]") {
  const LessonFolder folder;
  const Lesson before = lesson_of(folder, "answer = 5\n");
  LessonRuns runs(before.runs);
  LessonProgress progress;
  note_answer(progress, before.questions[0], "5 apples", {State::wrong, 0, 1, "", ""});
  const Lesson after = lesson_of(folder, "answer = 6\n");
  CHECK(renew(progress, after, runs) == 1);
  CHECK(progress.of("a").state == State::unanswered);

  LessonProgress shown;
  give_up(shown, before.questions[0]);
  note_answer(shown, before.questions[0], "6", grade(before.questions[0], {}, "6", runs));
  CHECK(renew(shown, after, runs) == 1);
  CHECK(shown.of("a").points == 0);
}

Question asked(const QuestionKind& kind, int attempts = 0) {
  Question out;
  out.id = "a";
  out.kind = &kind;
  out.attempts = attempts;
  return out;
}

Verdict verdict(State state, double points = 0) {
  Verdict out;
  out.state = state;
  out.points = points;
  return out;
}

TEST_CASE("Any answer opens the run, a wrong prediction only up to where it parts", "[lessons]") {
  const Question number = asked(number_kind()), predict = asked(predict_kind());
  LessonProgress progress;
  CHECK(lock_of(number, progress.of("a")) == Lock::closed);
  note_answer(progress, number, "x", verdict(State::malformed));
  CHECK(lock_of(number, progress.of("a")) == Lock::closed);  // it was no answer
  note_answer(progress, number, 3, verdict(State::wrong));
  CHECK(lock_of(number, progress.of("a")) == Lock::open);
  CHECK(lock_of(predict, progress.of("a")) == Lock::parting);
  CHECK(lock_of(asked(predict_kind(), 1), progress.of("a")) == Lock::open);  // no attempts left
  note_answer(progress, predict, 4, verdict(State::right, 1));
  CHECK(lock_of(predict, progress.of("a")) == Lock::open);
  LessonProgress other;
  give_up(other, predict);
  CHECK(lock_of(predict, other.of("a")) == Lock::open);
  LessonProgress unlocked;
  unlocked.questions["a"].opened = true;
  CHECK(lock_of(predict, unlocked.of("a")) == Lock::open);
}

TEST_CASE("A run that waits is closed on later pages, and so is one that only a question has",
          "[lessons]") {
  const LessonFolder folder;
  folder.lesson("01-x",
                "[run.r]\nalgorithm = \"allreduce.ring\"\nranks = 4\ncount = 4\n"
                "[run.own]\nalgorithm = \"allreduce.flat\"\nranks = 4\ncount = 4\n"
                "[figure.f]\nrun = \"r\"\ndiagram = \"grid\"\n"
                "[[question]]\nid = \"a\"\nprompt = \"?\"\nkind = \"number\"\nanswer = 5\n"
                "[[question]]\nid = \"b\"\nprompt = \"?\"\nkind = \"number\"\n"
                "answer = { run = \"own\", measure = \"rounds\" }\n"
                "[[step]]\ntitle = \"First\"\ntext = \"0.md\"\n",
                "@run r\n\n@figure f\n\n::: reveal The day after that after b\nSo.\n:::\n");
  folder.write("content/01-x/0.md", "@question a\n@question b\n@run r after a\n");
  Complaints complaints;
  const Lesson lesson = read_lesson(folder.path("content/01-x"), complaints);
  CHECK(complaints.to_string() == "");
  REQUIRE(lesson.steps.size() == 2);
  std::set<std::string> answered;
  const IsOpen is_open = [&](const Question& one) { return answered.contains(one.id); };
  for (const Block& block : lesson.steps[1].blocks)
    CHECK(locked_by(lesson, block, is_open).size() == 1);
  CHECK(lesson.steps[1].blocks[2].title == "The day after that");
  CHECK(run_locked_by(lesson, "r", is_open).size() == 1);
  REQUIRE(run_locked_by(lesson, "own", is_open).size() == 1);
  CHECK(run_locked_by(lesson, "own", is_open)[0]->id == "b");
  answered = {"a", "b"};
  for (const Block& block : lesson.steps[1].blocks)
    CHECK(locked_by(lesson, block, is_open).empty());
  CHECK(run_locked_by(lesson, "own", is_open).empty());
}

TEST_CASE("An answer that was given after the run was open is marked, and kept so", "[lessons]") {
  const LessonFolder folder;
  const std::string toml =
      "[run.r]\nalgorithm = \"allreduce.ring\"\nranks = 4\ncount = 4\n"
      "[[question]]\nid = \"a\"\nprompt = \"?\"\nkind = \"number\"\nanswer = 5\n"
      "[[question]]\nid = \"b\"\nprompt = \"?\"\nkind = \"predict\"\nrun = \"r\"\nafter = 1\n";
  folder.lesson("01-x", toml,
                "@question a\n@question b\n@run r after a b\n::: reveal More after a\nx\n:::\n");
  Complaints complaints;
  const Lesson lesson = read_lesson(folder.path("content/01-x"), complaints);
  CHECK(complaints.to_string() == "");
  const Question &a = lesson.questions[0], &b = lesson.questions[1];
  LessonProgress progress;
  const auto answer = [&](const Question& question, const Verdict& got) {
    note_answer(progress, question, 1, got, has_seen(lesson, progress, question));
    return progress.of(question.id).seen;
  };
  CHECK_FALSE(answer(a, verdict(State::wrong)));
  CHECK_FALSE(answer(b, verdict(State::wrong)));
  CHECK_FALSE(
      answer(a, verdict(State::wrong)));  // of the run, only what comes before the parting is open
  CHECK_FALSE(answer(b, verdict(State::right, 1)));
  CHECK(locked_by(lesson, lesson.steps[0].blocks[2], [&](const Question& one) {
          return lock_of(one, progress.of(one.id)) == Lock::open;
        }).empty());
  CHECK(answer(a, verdict(State::right, 1)));
  CHECK(progress.of("a").points == 1);  // it counts as before
  CHECK(progress_from(to_json(progress)).of("a").seen);
  CHECK_FALSE(
      answer(b, verdict(State::wrong)));  // a later one that gets no more does not change the mark
}

}  // namespace
}  // namespace rankscope
