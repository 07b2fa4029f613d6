// A course in the window: its check list counts as `grade` does, and what is handed in is what was done.
#include "lessons/course/course.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/commands.h"
#include "lessons/course/read_lesson.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/expand.h"
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
    CHECK(ada.value("points.partner") == "3.25");  // the course's, not the lesson's
    const auto& open = ada.app.state().lesson;
    REQUIRE(open.item_here() != nullptr);
    REQUIRE(open.course()->next(open.item_here()) != nullptr);
    CHECK(open.course()->next(open.item_here())->lesson != "hello-ranks");
    CHECK(open.course()->next()->lesson == "hello-ranks");
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
  // At the first item of the lesson that is open.
  const auto& there = again.app.state().lesson;
  REQUIRE(there.item_here() != nullptr);
  CHECK(there.item_here() == there.item_to_go_on());
  CHECK(there.item_here()->is_open());
}

TEST_CASE("course: an undone answer is saved, and what changes later is not in the receipt",
          "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  {
    CourseStudent ada(home);
    const bool& stale = ada.app.state().lesson.hand_in.stale;
    REQUIRE(ada.does("lesson course homework"));
    REQUIRE(ada.does("lesson item tree-allreduce partner"));
    REQUIRE(ada.does("answer partner \"n - 2^i\""));
    const std::string write = "hand-in \"" + (*home / "out") + "\"";
    REQUIRE(ada.does(write));
    CHECK_FALSE(stale);
    REQUIRE(ada.does("check partner"));
    CHECK(stale);
    REQUIRE(ada.does("answer partner n"));
    REQUIRE(ada.does(write));
    CHECK_FALSE(stale);
    REQUIRE(ada.does("undo"));
    CHECK(stale);
    REQUIRE(ada.does(write));
    REQUIRE(ada.does("check partner"));
    CHECK_FALSE(stale);
    REQUIRE(ada.does("lesson restart"));
    CHECK(stale);
    REQUIRE(ada.does("lesson item tree-allreduce partner"));
    REQUIRE(ada.does("answer partner \"n - 2^i\""));
    REQUIRE(ada.does("answer partner n"));
    REQUIRE(ada.does(write));
    REQUIRE(ada.does("undo"));
  }
  CourseStudent again(home);
  REQUIRE(again.does("lesson item tree-allreduce partner"));
  CHECK(again.app.state().lesson.question_state("partner")->draft == "n - 2^i");
}

TEST_CASE("course: what is changed is said, and the name on the sheet changes nothing else",
          "[gui_state]") {
  CourseStudent ada;
  REQUIRE(ada.does("student Ada"));
  REQUIRE(ada.does("lesson course homework"));
  CHECK(ada.app.state().lesson.course()->score() == "0 of 100 points");
  REQUIRE(ada.does("lesson item complexity when"));
  REQUIRE(ada.does("answer when \"for many ranks\""));
  REQUIRE(ada.does("check when"));
  const QuestionState& asked = *ada.app.state().lesson.question_state("when");
  CHECK_FALSE(asked.edited);
  // A written answer is handed in as it stands, kept again or not.
  REQUIRE(ada.does("answer when \"for many ranks and small data\""));
  CHECK(asked.edited);
  REQUIRE(ada.does("hand-in as \"Ada Lovelace\""));
  REQUIRE(ada.does("hand-in \"" + (*ada.home / "out") + "\""));
  CHECK(ada.app.state().lesson.student == "Ada");
  CHECK(ada.standing("complexity/when") == "waits for the teaching assistant");
  const auto& out = ada.app.state().lesson.hand_in;
  REQUIRE(out.receipt);
  CHECK(out.receipt->check.student == "Ada Lovelace");
  CHECK_FALSE(out.stale);
  std::ifstream sheet(*ada.home / "out/answers.toml");
  const std::string text{std::istreambuf_iterator<char>(sheet), {}};
  CHECK_THAT(text, ContainsSubstring("for many ranks and small data"));
  REQUIRE(ada.does("answer when \"for many ranks\""));
  CHECK(out.stale);
  CHECK_FALSE(asked.edited);  // as it was kept
  // One that is judged here is not, and that is said.
  REQUIRE(ada.does("lesson item tree-allreduce partner"));
  REQUIRE(ada.does("answer partner \"n - 2^i\""));
  REQUIRE(ada.does("check-list on"));
  const CourseCard::Item* const item = ada.app.state().lesson.item_of("partner");
  REQUIRE(item != nullptr);
  CHECK(item->standing == ItemStanding::open);
  CHECK_THAT(item->says, ContainsSubstring("not checked"));
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
  // The points stay, as those of then; the hand-in counts none that grading may not give.
  CHECK(ada.standing("hello-ranks/hello") == "its file has changed since");
  CHECK(ada.value("course.points") == "1.5");
  REQUIRE(ada.does("hand-in \"" + (*home / "out") + "\""));
  REQUIRE(ada.app.state().lesson.hand_in.receipt);
  CHECK(ada.app.state().lesson.hand_in.receipt->check.points() == 0);
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
  // The reasons of the grading are kept with its points, but not its run.
  const nlohmann::json verdict = {
      {"points", 1.5},
      {"most", 3},
      {"trace", "/gone.rankscope"},
      {"rules",
       {{{"kind", "log"},
         {"title", "It prints."},
         {"state", "broken"},
         {"points", 0},
         {"most", 1.5},
         {"first", {{"case", "2 ranks"}, {"says", "rank 1 is mute"}}}}}}};
  note_program(progress, hello, file, program_hash(file), 1.5, verdict);
  ProgressStore().save(progress);
  REQUIRE(ada.does("lesson hello-ranks"));
  const CodeState* const kept = ada.app.state().lesson.program("hello");
  REQUIRE(kept != nullptr);
  REQUIRE(kept->rules.size() == 1);
  CHECK(kept->rules[0].says == "rank 1 is mute");
  CHECK(kept->points == 1.5);
  CHECK(kept->trace.empty());
  // A file that is gone is said, and gets no points.
  fs::remove(file);
  REQUIRE(ada.does("lesson list"));
  CHECK(ada.standing("hello-ranks/hello") == "program not begun");
}

TEST_CASE("course: a grading is followed by those of the other programs in its file",
          "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  const std::string file = *home / "all.py";
  const auto write = [&](const char* text) { std::ofstream(file) << text; };
  const LessonLibrary all(lessons_folder());
  constexpr std::array<std::array<const char*, 2>, 2> kPrograms = {
      {{"broadcast", "my-broadcast"}, {"reduce-scatter", "my-reduce-scatter"}}};
  write("def my_broadcast(t, src=0): return t\n");
  for (const auto& [slug, id] : kPrograms) {
    LessonProgress progress{slug, "Ada", 0, 0, {}, {}};
    const CodingExercise& exercise = *all.need(slug).find_coding(id);
    note_program(progress, exercise, file, program_hash(file), exercise.points);
    ProgressStore().save(progress);
  }
  // One that was never graded, and has its function there.
  write("def my_allgather(t): return [\ndef my_allreduce(t):\n    raise NotImplementedError\n");
  CourseStudent ada(home);
  REQUIRE(ada.does("student Ada"));
  REQUIRE(ada.does("lesson course send-recv"));
  CHECK(ada.standing("reduce-scatter/my-reduce-scatter") == "its file has changed since");
  CHECK(ada.standing("allgather/my-allgather") == "not graded yet");
  CHECK(ada.standing("flat-allreduce/my-allreduce") == "program not begun");
  REQUIRE(ada.does("lesson broadcast"));
  REQUIRE(ada.does("grade my-broadcast"));
  const auto& code = ada.app.state().lesson.code;
  CHECK(eventually([&] {
    ada.app.update(0.005);
    return ranges::all_of(
        std::array{"my-broadcast", "my-reduce-scatter", "my-allgather"}, [&](const char* id) {
          return code.contains(id) && code.at(id).state == CodeState::State::graded;
        });
  }));
  REQUIRE(ada.settles());
  for (const auto& [slug, id] : kPrograms)
    CHECK(ada.standing(fmt::format("{}/{}", slug, id)) == "not right yet");
  CHECK(ada.value("lesson") == "broadcast");
  CHECK_FALSE(code.contains("my-allreduce"));
}

namespace {

/// A course's questions, with an answer to each as it is typed.
struct Answers {
  explicit Answers(const std::string& name) : course(all.course(name)) {
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items) {
        const Lesson* const lesson = item.later.empty() ? all.find(item.lesson) : nullptr;
        if (lesson == nullptr) continue;
        const Question* const question = lesson->find_question(item.id);
        if (question != nullptr) questions.emplace_back(lesson, question);
        if (const CodingExercise* const one = lesson->find_coding(item.id))
          programs.emplace_back(lesson, one);
      }
  }
  /// The key, or the last of the stored wrong answers.
  std::string text(const Lesson& lesson, const Question& question, bool right) {
    if (question.kind->marked_by_hand()) return "Because the others wait for it.";
    runs.know(lesson.runs);
    const Variant variant = variant_of(question, 0);
    const nlohmann::json key = question.kind->key(question, variant, runs);
    if (right) return question.kind->show(question, key);
    try {
      const auto wrong = expand(question.stored.back().answer, variant.values, &runs);
      return question.kind->show(question, wrong == "key" ? key : wrong);
    } catch (const std::exception&) {  // stored because it cannot be read
      return "?";
    }
  }

  LessonLibrary all{lessons_folder()};
  Course course;
  LessonRuns runs;
  std::vector<std::pair<const Lesson*, const Question*>> questions;
  std::vector<std::pair<const Lesson*, const CodingExercise*>> programs;
};

constexpr std::array kCourses = {"homework", "send-recv", "ray-allreduce", "tutorial", "puzzlers"};

}  // namespace

TEST_CASE("course: each item has in the window the points that grade gives", "[gui_state][slow]") {
  for (const char* name : kCourses) {
    const auto home = std::make_shared<OwnHome>();
    Answers known(name);
    for (const auto& [lesson, exercise] : known.programs) {
      const std::string file = *home / (exercise->id + ".py");
      std::ofstream(file) << "def mine(): return 1\n";
      LessonProgress progress = ProgressStore().load("Ada", lesson->slug).progress;
      progress.lesson = lesson->slug;
      progress.student = "Ada";
      note_program(progress, *exercise, file, program_hash(file), exercise->points / 4);
      ProgressStore().save(progress);
    }
    CourseStudent ada(home);
    REQUIRE(ada.does("student Ada"));
    REQUIRE(ada.does(std::string("lesson course ") + name));
    std::size_t number = 0;
    for (const auto& [lesson, question] : known.questions) {
      INFO(lesson->slug << "/" << question->id);
      REQUIRE(ada.does(cmd::lesson_item(lesson->slug, question->id).text()));
      const std::string text = known.text(*lesson, *question, ++number % 3 != 0);
      ada.app.execute(cmd::answer(question->id, text));
      if (ada.value("draft." + question->id) == "") continue;  // it cannot be read
      REQUIRE(ada.does("check " + question->id));
    }
    REQUIRE(ada.does("lesson list"));
    REQUIRE(ada.does("hand-in \"" + (*home / "out") + "\""));
    CourseGrader grader(known.all, known.course);
    SubmissionList found = find_submissions({*home / "out"});
    std::vector<SubmissionHead> heads = read_heads(std::move(found.all));
    name_heads(heads, {});
    const StudentReport report = grader.grade(heads.at(0), {}, nullptr);
    CHECK(report.student == "Ada");
    std::map<std::string, std::optional<double>> given;
    for (const ItemReport& item : report.items)
      if (!item.later() && item.entry->question != nullptr)
        given[item.entry->item->key()] = item.points;
    std::size_t compared = 0;
    for (const CourseCard::Part& part : ada.app.state().lesson.course()->parts)
      for (const CourseCard::Item& item : part.items) {
        INFO(name << ": " << item.lesson << "/" << item.id << " " << to_string(item.standing));
        if (item.program) CHECK(item.points == Approx(item.most / 4));
        const auto graded = given.find(item.lesson + "/" + item.id);
        if (graded == given.end()) continue;
        CHECK(item.points.value_or(0) == Approx(graded->second.value_or(0)));
        ++compared;
      }
    CHECK(compared == known.questions.size());
  }
}

// RANKSCOPE_STUDENT_ROUNDS and RANKSCOPE_STUDENT_SEED ask for a longer day, RANKSCOPE_STUDENT_COURSE (0 to 4) for a course.
TEST_CASE("course: a student who does anything loses neither points nor words", "[gui_state]") {
  const auto wanted = [](const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
  };
  const int rounds = wanted("RANKSCOPE_STUDENT_ROUNDS", 20);
  std::mt19937 random(static_cast<unsigned>(wanted("RANKSCOPE_STUDENT_SEED", 7)));
  const auto pick = [&](std::size_t count) { return random() % std::max<std::size_t>(count, 1); };
  const auto home = std::make_shared<OwnHome>();
  const auto drawn = static_cast<int>(pick(kCourses.size()));
  Answers known(kCourses.at(static_cast<std::size_t>(wanted("RANKSCOPE_STUDENT_COURSE", drawn))));
  auto ada = std::make_unique<CourseStudent>(home);
  REQUIRE(ada->does("student Ada"));
  REQUIRE(ada->does("lesson course " + known.course.slug));
  std::map<std::string, nlohmann::json> written;  ///< What stands in the fields, by question.
  std::map<std::string, int> kinds;
  double points = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto& [lesson, question] = known.questions[pick(known.questions.size())];
    const std::string key = lesson->slug + "/" + question->id;
    INFO("round " << round << ", " << key);
    REQUIRE(ada->does(cmd::lesson_item(lesson->slug, question->id).text()));
    const LessonState& state = ada->app.state().lesson;
    const QuestionState* const asked = state.question_state(question->id);
    REQUIRE(asked != nullptr);
    if (const auto before = written.find(key); before != written.end())
      CHECK(asked->draft == before->second);
    const bool stands = !ada->app.state().has_trace() || state.shown_run.empty() ||
                        state.lesson->find_run(state.shown_run) != nullptr;
    CHECK(stands);
    const std::size_t act = pick(12);
    const bool open = !state.closed(*question);
    if (act <= 5 && open) {
      const std::string text = known.text(*lesson, *question, pick(2) == 0);
      ++kinds[std::string(question->kind->name())];
      if (ada->app.execute(cmd::answer(question->id, text))) written[key] = asked->draft;
    }
    if (act <= 3 && open) {
      REQUIRE(ada->settles());
      ada->app.execute(cmd::check(question->id));
    }
    if (act == 6) ada->app.execute(parse_command("lesson page next"));
    if (act == 7) ada->app.execute(parse_command("check-list"));
    if (act == 8) ada->app.execute(parse_command("hint " + question->id));
    if (act == 9 && pick(6) == 0) {
      ada->app.execute(parse_command("reveal " + question->id));
      written.erase(key);
    }
    if (act == 10) ada->app.execute(parse_command("lesson list"));
    if (act == 11) {  // the window is closed, whatever stands in it
      ada.reset();
      ada = std::make_unique<CourseStudent>(home);
      REQUIRE(ada->settles());
    }
    REQUIRE(ada->settles());
    const LessonState& now = ada->app.state().lesson;
    if (now.lesson && now.lesson->slug == lesson->slug && now.closed(*question)) written.erase(key);
    if (now.course() == nullptr) continue;
    CHECK(now.course()->reached() >= points - 1e-9);
    points = now.course()->reached();
  }
  std::string log = known.course.slug + ":";
  for (const auto& [kind, times] : kinds) log += fmt::format(" {} {}", kind, times);
  UNSCOPED_INFO(log);
  std::set<std::string> all;
  for (const auto& [lesson, question] : known.questions) all.emplace(question->kind->name());
  if (rounds < 200) return;
  WARN(log << ", " << points << " points");
  CHECK(kinds.size() == all.size());
}

TEST_CASE("course: a question has its own run beside it, and no other", "[gui_state]") {
  CourseStudent ada;
  const std::string own = ada.app.state().settings.job.call.algorithm;
  const auto shows = [&](const std::string& algorithm) {
    return eventually([&] {
      ada.app.update(0.005);
      return !ada.app.state().lesson.busy && !ada.app.state().live.running &&
             (ada.app.state().has_trace() ? ada.value("algorithm") : "") == algorithm;
    });
  };
  // The page shows another broadcast on four ranks, with other numbers and another root.
  REQUIRE(ada.does("lesson course send-recv"));
  REQUIRE(ada.does("lesson broadcast"));
  REQUIRE(shows("broadcast.flat"));
  REQUIRE(ada.does("lesson item broadcast printed"));
  REQUIRE(shows("broadcast.flat"));
  CHECK(ada.app.state().lesson.shown_run == "printed");
  CHECK(ada.app.state().settings.values);
  REQUIRE(ada.does("lesson course tutorial"));
  // Values that a run ends with: it stands at its start, and says nothing of its end.
  REQUIRE(ada.does("lesson item ring-allreduce weights"));
  REQUIRE(shows("exercise.ring_b"));
  CHECK(ada.value("horizon") == "0");
  CHECK(ada.app.state().lesson.keeps_end());
  CHECK(ada.value("message").find("24") == std::string::npos);
  REQUIRE(ada.does("answer weights \"x: 1, 2, 3, 4\""));
  REQUIRE(ada.does("check weights"));
  CHECK_FALSE(ada.app.state().lesson.keeps_end());
  // A message to be predicted: up to the moment before it.
  REQUIRE(ada.does("lesson item ring-allreduce next-message"));
  REQUIRE(shows("allreduce.ring"));
  CHECK(ada.value("lesson.asked") == "next-message");
  CHECK_FALSE(ada.app.state().stage_is_free());
  REQUIRE(ada.does("lesson item ring-allreduce schedule"));
  REQUIRE(ada.does("ask schedule"));
  CHECK(eventually([&] {
    ada.app.update(0.005);
    return ada.app.state().lesson.asked.in_picture;
  }));
  // A question without a run, in another lesson: the stage is empty, and the page may have its place.
  REQUIRE(ada.does("lesson item complexity one-message"));
  REQUIRE(shows(""));
  CHECK(eventually([&] {
    ada.app.update(0.005);
    return ada.app.state().stage_is_free();
  }));
  CHECK(ada.app.state().settings.job.call.algorithm == own);  // not that of the last question's run
  // Nor where the student has gone on before the question's run has ended.
  REQUIRE(ada.does("lesson item ring-allreduce next-message"));
  REQUIRE(shows("allreduce.ring"));
  REQUIRE(ada.does("lesson item ring-allreduce weights"));
  REQUIRE(ada.does("lesson item ring-allreduce next-message"));
  REQUIRE(shows("allreduce.ring"));
  // Nor where the question's run came in the place of the student's.
  REQUIRE(ada.does("lesson item ring-allreduce next-message"));
  REQUIRE(shows("allreduce.ring"));
  REQUIRE(ada.does("run allreduce.bde ranks=2"));
  REQUIRE(shows("allreduce.bde"));
  REQUIRE(ada.does("ask next-message"));
  REQUIRE(shows("allreduce.ring"));
  REQUIRE(ada.does("lesson item complexity one-message"));
  REQUIRE(shows(""));
  CHECK(ada.app.state().settings.job.call.algorithm == "allreduce.bde");
  CHECK(ada.app.state().lesson.figure_here() == nullptr);
  CHECK_FALSE(ada.app.execute(parse_command("figure")));
  // A run of a page has the name of a question: the question is meant.
  REQUIRE(ada.does("lesson item hello-ranks hello"));
  CHECK(ada.value("lesson.page") == "2");
}

TEST_CASE("course: a question has the figure above it, which fills the window when asked",
          "[gui_state]") {
  CourseStudent ada;
  const auto comes = [&](const auto& is) {
    return eventually([&] {
      ada.app.update(0.005);
      return is(ada.app.state().lesson);
    });
  };
  const auto has_figure = [](const LessonState& lesson) { return lesson.figure_here() != nullptr; };
  REQUIRE(ada.does("lesson course puzzlers"));
  REQUIRE(ada.does("lesson item topology links"));
  REQUIRE(comes(has_figure));
  const std::string figure = ada.app.state().lesson.figure_here()->id;
  REQUIRE(ada.does("figure"));
  REQUIRE(ada.app.state().lesson.enlarged_figure() != nullptr);
  CHECK(ada.app.state().lesson.enlarged_figure()->id == figure);
  REQUIRE(ada.does("figure"));
  CHECK(ada.app.state().lesson.enlarged_figure() == nullptr);
  // What waits for an answer stays closed, and another page has other figures.
  REQUIRE(ada.does("figure " + figure));
  REQUIRE(ada.does("lesson page next"));
  CHECK(comes([](const LessonState& lesson) { return lesson.enlarged.empty(); }));
  REQUIRE(ada.does("lesson page 4"));
  CHECK_FALSE(ada.app.execute(parse_command("figure " + figure)));
  // The line of the course names the question that stands before the student.
  REQUIRE(ada.does("lesson item topology cut"));
  REQUIRE(ada.does("look-at add"));
  REQUIRE(ada.app.state().lesson.item_here() != nullptr);
  CHECK(ada.app.state().lesson.item_here()->id == "add");
}
