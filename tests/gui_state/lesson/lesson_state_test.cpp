// A lesson without its window: commands take it from the first page to full marks.
#include <algorithm>
#include <fstream>
#include <memory>

#include "gui/state/app/app.h"
#include "lessons/course/lesson_template.h"
#include "tests/gui_state/live.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

/// Answers of the lesson as printed (seed 0).
const std::vector<std::pair<std::string, std::string>> kFlat = {
    {"running-sums", "3, 6, 10"},
    {"final-values", "10, 10, 10, 10"},
    {"half-way", "10; 10; 3; 4"},
    {"plus-one", "before: 1, 2, 3, 4; after: 10, 10, 10, 10"},
    {"lost-value", "line 16"},
    {"messages", "2(N-1)"},
    {"busiest", "7 KiB"},
    {"reference", "8"},
    {"trials", "N^k"},
    {"three-trials", "160"},
    {"exact", "9"}};

struct Student {
  explicit Student(const std::string& lesson = {},
                   std::shared_ptr<OwnHome> own = std::make_shared<OwnHome>())
      : home(std::move(own)) {
    if (!lesson.empty()) REQUIRE(does("lesson " + lesson));
  }
  std::shared_ptr<OwnHome> home;
  App app{{rankscope_binary().string(), true, [] {}}};

  bool does(const std::string& line) {
    const bool done = app.execute(parse_command(line));
    INFO(line << ": " << app.state().message);
    CHECK(done);
    return settles();
  }
  bool refuses(const std::string& line) { return !app.execute(parse_command(line)); }
  /// Until nothing is being read, made or graded any more.
  bool settles() {
    return eventually([&] {
      app.update(0.005);
      return !app.state().lesson.busy;
    });
  }
  std::string value(const std::string& key) const { return app.value_of(key); }
};

}  // namespace

TEST_CASE("lesson: from the first page to full marks", "[gui_state]") {
  Student ada;
  REQUIRE(ada.does("student Ada"));
  REQUIRE(ada.does("lesson flat-allreduce"));
  REQUIRE(ada.value("lesson") == "flat-allreduce");
  CHECK(ada.value("lesson.page") == "1");
  const auto& lesson = ada.app.state().lesson;
  double most = 0;
  for (const Question& one : lesson.lesson->questions) most += one.points;
  REQUIRE(lesson.lesson->questions.size() == kFlat.size());
  for (int page = 0; page < lesson.pages(); ++page) {
    for (const Block& block : lesson.lesson->steps[static_cast<std::size_t>(page)].blocks) {
      if (block.kind != Block::Kind::question) continue;
      const auto known = std::ranges::find(kFlat, block.id, [](const auto& a) { return a.first; });
      REQUIRE(known != kFlat.end());
      ada.does("answer " + block.id + " \"" + known->second + "\"");
      ada.does("check " + block.id);
      INFO(block.id << ": " << ada.value("says." + block.id));
      CHECK(ada.value("verdict." + block.id) == "right");
    }
    ada.does("lesson page next");
  }
  CHECK(ada.value("lesson.done") == "11");
  CHECK(lesson.progress.points() == most);
  CHECK(ada.value("lesson.page") == ada.value("lesson.pages"));  // once too often is no mistake
}

TEST_CASE("lesson: wrong answers, hints and what cannot be read", "[gui_state]") {
  Student ada("5");
  REQUIRE(ada.value("lesson") == "flat-allreduce");
  CHECK(ada.refuses("answer nothing 3"));
  CHECK(ada.refuses("check messages"));  // on another page
  ada.does("answer running-sums \"2, 5, 9\"");
  ada.does("check running-sums");
  CHECK(ada.value("verdict.running-sums") == "wrong");
  CHECK_THAT(ada.value("says.running-sums"), ContainsSubstring("own value"));
  ada.does("hint running-sums");
  ada.does("hint running-sums");
  CHECK(ada.value("hints.running-sums") == "2");
  CHECK(ada.refuses("hint running-sums"));
  // What is no answer costs no attempt, and what was there before stays.
  ada.does("answer running-sums \"three\"");
  ada.does("check running-sums");
  CHECK(ada.value("attempts.running-sums") == "1");
  CHECK_FALSE(ada.app.state().lesson.question_state("running-sums")->problem.empty());
  CHECK(ada.value("solution.running-sums").empty());  // not before the question is closed
  ada.does("reveal running-sums");
  CHECK(ada.value("solution.running-sums") == "3, 6, 10");
  CHECK(ada.value("points.running-sums") == "0");
  CHECK(ada.refuses("check running-sums"));
}

TEST_CASE("lesson: fields of an answer, one by one", "[gui_state]") {
  Student ada("flat-allreduce");
  CHECK(ada.refuses("fill final-values /y/0 10"));
  for (const char* rank : {"0", "1", "2"})
    ada.does("fill final-values /x/" + std::string(rank) + " 10");
  ada.does("check final-values");
  CHECK(ada.value("verdict.final-values") == "partly right");
  ada.does("fill final-values /x/3 10");
  ada.does("check final-values");
  CHECK(ada.value("verdict.final-values") == "right");
}

TEST_CASE("lesson: one goes on where one stopped, each student by themselves", "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  {
    Student ada("", home);
    ada.does("student Ada Lovelace");
    REQUIRE(ada.does("lesson flat-allreduce"));
    ada.does("answer running-sums \"3, 6, 10\"");
    ada.does("check running-sums");
    ada.does("lesson page 3");
  }
  Student again("", home);
  CHECK(again.value("student") == "Ada Lovelace");
  REQUIRE(again.does("lesson flat-allreduce"));
  CHECK(again.value("lesson.page") == "3");
  CHECK(again.value("verdict.running-sums") == "right");
  again.does("lesson page 1");
  CHECK(again.value("draft.running-sums") == "3, 6, 10");
  REQUIRE(again.does("student Grace"));
  CHECK(again.value("lesson") == "flat-allreduce");
  CHECK(again.value("lesson.points") == "0");
  REQUIRE(again.does("lesson list"));
  CHECK(again.app.state().lesson.students.size() >= 2);
  REQUIRE(again.does("student Ada Lovelace"));
  const auto& cards = again.app.state().lesson.cards;
  const auto card = std::ranges::find(cards, "flat-allreduce", &LessonCard::slug);
  REQUIRE(card != cards.end());
  CHECK(card->done == 1);
  CHECK(card->points == 3);
  CHECK(again.app.state().lesson.courses.size() == 5);
}

TEST_CASE("lesson: other numbers", "[gui_state]") {
  Student ada("flat-allreduce");
  const auto prompt = [&] { return ada.app.state().lesson.question_state("running-sums")->prompt; };
  const std::string printed = prompt();
  bool other = false;
  for (const char* seed : {"1", "2", "3", "4"}) {
    ada.does("lesson restart " + std::string(seed));
    other = other || prompt() != printed;
  }
  CHECK(other);
  ada.does("lesson restart");
  CHECK(prompt() == printed);
}

TEST_CASE("lesson: in a lecture nothing is graded, and answers are hidden", "[gui_state]") {
  Student ada;
  REQUIRE(ada.does("lecture on"));
  REQUIRE(ada.does("lesson flat-allreduce"));
  CHECK(ada.refuses("check running-sums"));
  CHECK(ada.value("solution.running-sums").empty());
  ada.does("reveal running-sums");
  CHECK(ada.value("solution.running-sums") == "3, 6, 10");
  const auto& lesson = ada.app.state().lesson;
  CHECK(lesson.closed(*lesson.lesson->find_question("running-sums")));
  ada.does("lecture off");
  CHECK_FALSE(lesson.closed(*lesson.lesson->find_question("running-sums")));
  CHECK_FALSE(lesson.progress.of("running-sums").gave_up);
}

TEST_CASE("lesson: what the text shows runs, at its moment and in its view", "[gui_state]") {
  Student ada("flat-allreduce");
  CHECK(ada.refuses("show-run nothing"));
  ada.does("panel right off");
  ada.does("show-run lost");
  REQUIRE(eventually([&] {
    ada.app.update(0.005);
    return ada.app.state().result.has_value() && ada.app.state().has_trace() &&
           ada.value("algorithm") == "exercise.flat_a";
  }));
  CHECK(ada.value("moment") == "0.000");
  CHECK(ada.value("view.main") == "code");
  CHECK(ada.value("lesson.run") == "lost");
}

TEST_CASE("lesson: a table of steps typed as text stands in the rows", "[gui_state]") {
  Student ada("ring-allreduce");
  REQUIRE(ada.does("lesson page 3"));
  const auto field = [&](const std::string& name) {
    return field_text(ada.app.state().lesson.question_state("schedule")->draft, name);
  };
  ada.does("answer schedule \"1: 0 -> 1 chunk 0 add; 2: 1 -> 0 all keep\"");
  CHECK(field("/0/add") == "add");
  CHECK(field("/1/add") == "keep");
  CHECK(field("/1/chunk") == "all");
  ada.does("fill schedule /2/step 3");
  ada.does("fill schedule /0 \"\"");
  CHECK(draft_rows(ada.app.state().lesson.question_state("schedule")->draft) == 2);
  CHECK(field("/0/add") == "keep");
  CHECK(field("/1/step") == "3");
}

TEST_CASE("lesson: an answer in several fields that cannot be read has its reason", "[gui_state]") {
  Student ada("ring-allreduce");
  REQUIRE(ada.does("lesson page 3"));
  ada.does("answer schedule \"1: 0 -> 1 chunk 0 add\"");
  const auto before = ada.value("draft.schedule");
  CHECK(ada.refuses("answer schedule \"first the one, then the other\""));
  CHECK_FALSE(ada.app.state().lesson.question_state("schedule")->problem.empty());
  CHECK(ada.value("draft.schedule") == before);
  // The fields are not taken for an answer under a text that says something else.
  const QuestionState& asked = *ada.app.state().lesson.question_state("schedule");
  CHECK(asked.typed == "first the one, then the other");
  CHECK(ada.refuses("check schedule"));
  CHECK(ada.value("attempts.schedule") == "0");
  ada.does("answer schedule \"1: 0 -> 1 chunk 0  add\"");
  CHECK(asked.problem.empty());
  CHECK(asked.typed == "1: 0 -> 1 chunk 0  add");
  ada.does("fill schedule /0/chunk 1");  // the text follows
  CHECK(asked.typed.empty());
}

TEST_CASE("lesson: the lecturer's notes are for nobody else", "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  {
    Student ada("flat-allreduce", home);
    const auto& shown = ada.app.state().lesson.lecturer;
    ada.does("lecturer on");
    CHECK(shown);
    ada.does("lecture on");
    CHECK_FALSE(shown);
    CHECK(ada.refuses("lecturer on"));
    ada.does("lecture off");
    ada.does("lecturer on");
    ada.does("student Grace");
    CHECK_FALSE(shown);
    ada.does("lecturer on");
  }
  const Student next("", home);
  CHECK_FALSE(next.app.state().lesson.lecturer);
}

TEST_CASE("lesson: a folder of one's own opens, for every student", "[gui_state]") {
  Student ada;
  write_lesson_template(*ada.home / "mine");
  REQUIRE(ada.does("lesson \"" + *ada.home / "mine" + "\""));
  CHECK(ada.value("lesson") == "mine");
  REQUIRE(ada.does("student Grace"));
  CHECK(ada.value("lesson") == "mine");
  CHECK(ada.value("student") == "Grace");
}

TEST_CASE("lesson: a script's lines come one after the other", "[gui_state]") {
  Student ada;
  std::vector<std::string> errors;
  ada.app.on_script_line = [&](const std::string&, const std::string& error) {
    if (!error.empty()) errors.push_back(error);
  };
  ada.app.queue_script(
      {"lesson 5", "lesson page 2", "expect lesson.page 2", "lesson nosuch", "lesson page 1"},
      "test");
  REQUIRE(eventually([&] {
    ada.app.update(0.005);
    return !ada.app.animating();
  }));
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], ContainsSubstring("test:4"));
}
