// A course in the window: its check list counts as `grade` does, and what is handed in is what was done.
#include "lessons/course/course.h"

#include <filesystem>
#include <fstream>

#include "lessons/course/read_lesson.h"
#include "lessons/submissions/program_parts.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

struct CourseStudent {
  explicit CourseStudent(std::shared_ptr<OwnHome> own = std::make_shared<OwnHome>())
      : home(std::move(own)) {}
  bool does(const std::string& line) {
    const bool done = app.execute(parse_command(line));
    INFO(line << ": " << app.state().message);
    CHECK(done);
    return settles();
  }
  bool settles() {
    return eventually([&] {
      app.update(0.005);
      return !app.state().lesson.busy;
    });
  }
  std::string value(const std::string& key) const { return app.value_of(key); }
  std::string standing(const std::string& key) const {
    for (const CourseCard::Part& part : app.state().lesson.course()->parts)
      for (const CourseCard::Item& item : part.items)
        if (item.lesson + "/" + item.id == key) return std::string(to_string(item.standing));
    return "";
  }
  std::shared_ptr<OwnHome> home;
  App app{{rankscope_binary().string(), true, [] {}}};
};

}  // namespace

TEST_CASE("course: the check list has the course's items, points and states", "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  {
    CourseStudent ada(home);
    REQUIRE(ada.does("student Ada"));
    REQUIRE(ada.does("lesson course homework"));
    REQUIRE(ada.app.state().lesson.course() != nullptr);
    CHECK(ada.value("course.points") == "0");
    CHECK(ada.standing("hello-ranks/hello") == "program not begun");
    CHECK(ada.standing("tree-allreduce/steps") == "open");
    // An item leads to its question, wherever that is.
    REQUIRE(ada.does("lesson item tree-allreduce partner"));
    CHECK(ada.value("lesson") == "tree-allreduce");
    CHECK(ada.value("course.item") == "tree-allreduce/partner: open");
    REQUIRE(ada.settles());
    REQUIRE(ada.does("answer partner \"n - 2^i\""));
    REQUIRE(ada.does("check partner"));
    CHECK(ada.standing("tree-allreduce/partner") == "best so far");
    CHECK(ada.value("course.points") == "3.25");
    REQUIRE(ada.does("lesson item tree-allreduce steps"));
    REQUIRE(ada.does("answer steps \"2*ceil(log2(N))\""));
    REQUIRE(ada.does("check steps"));
    CHECK(ada.value("course.item") == "tree-allreduce/steps: right");
    CHECK(ada.value("course.points") == "8.25");
    REQUIRE(ada.does("lesson item complexity when"));
    REQUIRE(ada.does("answer when \"for many ranks and small data\""));
    REQUIRE(ada.does("check when"));
    CHECK(ada.standing("complexity/when") == "waits for the teaching assistant");
    REQUIRE(ada.does("check-list on"));
    CHECK(ada.value("check-list") == "open");
    REQUIRE(ada.does("lesson item ring-allreduce ring-allreduce"));
    CHECK(ada.value("check-list") == "closed");
    CHECK(ada.value("course.item") == "ring-allreduce/ring-allreduce: program not begun");
    REQUIRE(ada.does("hand-in \"" + (*home / "out") + "\""));
    CHECK(ada.value("hand-in").size() > 16);
    const auto& receipt = ada.app.state().lesson.hand_in.receipt;
    REQUIRE(receipt);
    CHECK(receipt->check.points() == Approx(8.25));
    CHECK(fs::is_regular_file(*home / "out/answers.toml"));
    CHECK(fs::is_regular_file(*home / "out/receipt.txt"));
    // What is there, and is no hand-in, stays; the error is said where one looks.
    std::ofstream(*home / "mine.txt") << "mine";
    ada.does("hand-in \"" + (*home / "mine.txt") + "\"");
    CHECK_THAT(ada.value("hand-in"), ContainsSubstring("is no earlier hand-in"));
  }
  CourseStudent again(home);
  CHECK(again.value("course") == "homework");
  REQUIRE(again.settles());
  CHECK(again.value("lesson.stopped") == "ring-allreduce");
  REQUIRE(again.does("lesson go-on"));
  CHECK(again.value("lesson") == "ring-allreduce");
  CHECK(again.value("course.points") == "8.25");
}

TEST_CASE("course: a program counts in list, course and what is handed in", "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  const std::string file = *home / "hello.py";
  const LessonLibrary all(lessons_folder());
  const CodingExercise& hello = *all.need("hello-ranks").find_coding("hello");
  std::ofstream(file) << "def run(): pass\n";
  LessonProgress progress{"hello-ranks", "Ada", 0, 0, {}, {}};
  note_program(progress, hello, file, program_hash(file), hello.points / 2);
  ProgressStore().save(progress);
  CourseStudent ada(home);
  REQUIRE(ada.does("student Ada"));
  REQUIRE(ada.does("lesson course homework"));
  CHECK(ada.value("course.points") == "1.5");
  CHECK(ada.standing("hello-ranks/hello") == "best so far");
  std::ofstream(file) << "def run(): return 1\n";
  REQUIRE(ada.does("lesson course homework"));
  CHECK(ada.standing("hello-ranks/hello") == "not graded yet");
  CHECK(ada.value("course.points") == "0");
  note_program(progress, hello, file, program_hash(file), hello.points);
  ProgressStore().save(progress);
  REQUIRE(ada.does("lesson list"));
  CHECK(ada.standing("hello-ranks/hello") == "right");
  for (const LessonCard& card : ada.app.state().lesson.cards)
    if (card.slug == "hello-ranks") {
      CHECK(card.done == 1);
      CHECK(card.points == Approx(hello.points));
      CHECK(card.items == all.need("hello-ranks").items());
    }
  // A file that is gone is said, and gets no points.
  fs::remove(file);
  REQUIRE(ada.does("lesson list"));
  CHECK(ada.standing("hello-ranks/hello") == "program not begun");
}
