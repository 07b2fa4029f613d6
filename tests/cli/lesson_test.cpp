// `rankscope lesson` as students use it: through pipes, with a home of their own.
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "tests/cli/classroom.h"
#include "tests/cli/files.h"

using namespace rankscope;
using nlohmann::json;
using test::check_refused;
using test::Classroom;
using test::has;
using test::lesson_in;
using test::right_answers;
namespace fs = std::filesystem;

TEST_CASE("lesson: a new one checks clean, and is not written over") {
  const Classroom room;
  const auto checked = room.run({"check", room.lesson()});
  INFO(checked.out);
  CHECK(checked.exit_code == cli::kOk);
  CHECK(has(checked.out, "4 questions"));
  std::ofstream(room.lesson() + "/2-cost.md") << "mine\n";
  check_refused(room.run({"new", room.lesson()}), "is there already");
  CHECK(test::read(room.lesson() + "/2-cost.md") == "mine\n");
}

TEST_CASE("lesson: an unknown diagram of a figure is told with its line") {
  const Classroom room;
  std::string text = test::read(room.lesson() + "/lesson.toml");
  text.replace(text.find("diagram = \"spacetime\""), 21, "diagram = \"spacetimes\"");
  std::ofstream(room.lesson() + "/lesson.toml") << text;
  const auto checked = room.run({"check", room.lesson()});
  CHECK(checked.exit_code == cli::kBadInput);
  CHECK(has(checked.out, "lesson.toml:"));
  CHECK(has(checked.out, "did you mean 'spacetime'?"));
}

TEST_CASE("lesson: a text that waits for a question opens with its answer") {
  const Classroom room;
  const std::string page = room.lesson() + "/2-cost.md";
  std::string text = test::read(page);
  const std::string title = "::: reveal What if the number of ranks is no power of two?";
  text.insert(text.find(title) + title.size(), " after messages");
  std::ofstream(page) << text;
  const auto shown = room.run({"show", room.lesson()});
  CHECK(has(shown.out, "then the text opens"));
  CHECK_FALSE(has(shown.out, "no power of two"));
  CHECK(has(room.run({"show", room.lesson(), "--reveal"}).out, "the last round is not full"));
  const std::string to_page = "next\n";
  CHECK_FALSE(has(room.run({"run", room.lesson()}, to_page + "open\nskip\nopen\n").out,
                  "the last round is not full"));
  CHECK(has(room.run({"run", room.lesson(), "--restart"}, to_page + "N\nskip\nopen\n").out,
            "the last round is not full"));
}

TEST_CASE("lesson: shown with its runs and questions; notes are the lecturer's") {
  const Classroom room;
  const auto shown = room.run({"show", room.lesson()});
  REQUIRE(shown.exit_code == cli::kOk);
  CHECK(has(shown.out, "Page 1 of 2: Rank 0 tells everybody"));
  CHECK(has(shown.out,
            "[Closed] Answer questions 1 (The first message) and 2 (How many rounds) first"));
  CHECK_FALSE(has(shown.out, "0 → 4"));
  CHECK(has(room.run({"show", room.lesson(), "--reveal"}).out, "0 → 4"));
  CHECK(has(shown.out, "b) to rank 4"));
  CHECK(has(shown.out, "How many rounds does the broadcast to 8 ranks take?"));
  CHECK(has(shown.out, "What if the number of ranks is no power of two?"));
  CHECK_FALSE(has(shown.out, "the last round is not full"));
  CHECK_FALSE(has(shown.out, "ask the room"));
  CHECK_FALSE(has(shown.out, "Right answer"));
  CHECK(has(room.run({"show", room.lesson(), "--reveal"}).out, "the last round is not full"));
  const auto lecturer = room.run({"show", room.lesson(), "--lecturer", "--step", "1"});
  CHECK(has(lecturer.out, "ask the room"));
  CHECK(has(lecturer.out, "Right answer: 3"));
  CHECK_FALSE(has(lecturer.out, "Page 2"));
  const auto machine = parse_json(room.run({"show", room.lesson(), "--json"}).out);
  CHECK(machine["questions"].size() == 4);
  CHECK_FALSE(machine["questions"][0].contains("key"));
  CHECK(room.run({"show", room.lesson(), "--step", "3"}).exit_code == cli::kBadInput);
  CHECK(room.run({"show", room.lesson(), "--restart"}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: lines stay within the width") {
  const auto shown = test::run_rankscope({"lesson", "show", "flat-allreduce"},
                                         {.environment = {{"COLUMNS", "60"}}});
  REQUIRE(shown.exit_code == cli::kOk);
  std::string paragraph = shown.out.substr(shown.out.find("An *allreduce*"));
  paragraph = paragraph.substr(0, paragraph.find('\n'));
  CHECK(paragraph.size() <= 60);
  CHECK(paragraph.size() > 40);
}

TEST_CASE("lesson: gone through from the first page to full marks") {
  const Classroom room;
  const Lesson lesson = lesson_in(room.lesson());
  for (const std::uint64_t seed : {0, 5}) {
    const auto run = room.run({"run", room.lesson(), "--student", "s" + std::to_string(seed),
                               "--seed", std::to_string(seed)},
                              right_answers(lesson, seed));
    INFO(run.out);
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.out, "Page 2 of 2"));
    CHECK(has(run.out, "4 of 6 points"));  // 2 are marked by hand
    CHECK(has(run.out, "4 of 4 questions done"));
    CHECK_FALSE(has(run.err, "goes on from here"));
  }
}

TEST_CASE("lesson: all of ours gone through to full marks", "[slow]") {
  const Classroom room;
  const LessonLibrary library(lessons_folder());
  for (const Lesson& lesson : library.lessons()) {
    double graded = 0;
    for (const Question& question : lesson.questions)
      if (!question.kind->marked_by_hand()) graded += question.points;
    const auto run = room.run({"run", lesson.slug}, right_answers(lesson, 0));
    INFO(run.out);
    CHECK(has(run.out, number_text(graded) + " of " + number_text(lesson.points()) + " point"));
    for (const char* bad : {"Not right.", "Partly right.", "That cannot be read."})
      CHECK_FALSE(has(run.out, bad));
    const std::string count = std::to_string(lesson.questions.size());
    CHECK(has(run.out, count + " of " + count + " questions done"));
  }
}

TEST_CASE("lesson: the list knows how far one is") {
  const Classroom room;
  room.run({"run", "flat-allreduce"}, "3, 6, 10\n");
  const auto listed = parse_json(room.run({"list", "--json"}).out);
  CHECK(listed["courses"].size() > 1);
  for (const json& one : listed["lessons"])
    CHECK(one["reached"] == (one["lesson"] == "flat-allreduce" ? 3.0 : 0.0));
  CHECK(has(room.run({"list"}).out, "3 of 25"));
  const std::string homework = room.run({"list", "homework"}).out;
  CHECK(has(homework, "100 points"));
  CHECK_FALSE(has(homework, "not yet here"));
  CHECK(room.run({"list", "homewrok"}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: hints, wrong answers and what cannot be read") {
  const Classroom room;
  const auto run = room.run({"run", room.lesson()},
                            "hint\na\nzebra\nB\nhint\nhint\nhint\n7\nrun eight\nanswer\n");
  INFO(run.out);
  CHECK(has(run.out, "Hint 1 of 1: Look at the first arrow"));
  CHECK(has(run.out, "Not right."));
  CHECK(has(run.out, "That arrow is the last of rank 0."));
  CHECK(has(run.out, "That cannot be read."));
  CHECK(has(run.out, "Right. 1 of 1 point."));
  CHECK(has(run.out, "Hint 2 of 2"));
  CHECK(has(run.out, "There are no more hints"));
  CHECK(has(run.out, "The others help."));  // a known mistake
  CHECK(has(run.out, "Round 1 of 3"));      // the run
  CHECK(has(run.out, "Right answer: 3"));
  const json saved = parse_json(test::read(room.progress("ada").string()));
  CHECK(saved["questions"]["first"]["attempts"] == 2);  // what cannot be read is no attempt
  CHECK(saved["questions"]["first"]["hints"] == 1);
  CHECK(saved["questions"]["rounds"]["gave_up"] == true);
  CHECK(saved["questions"]["rounds"]["points"] == 0.0);
}

TEST_CASE("lesson: a run waits for its questions, and a late answer is marked") {
  const Classroom room;
  const auto skipped = room.run({"run", room.lesson()}, "run eight\nskip\n7\nskip\nquit\n");
  INFO(skipped.out);
  CHECK(has(skipped.out,
            "[Closed] Answer question 1 (The first message) first: then the run opens."));
  CHECK_FALSE(has(skipped.out, "0 → 4"));
  const auto answered = room.run({"run", room.lesson(), "--step", "1"}, "a\nb\n3\nquit\n");
  INFO(answered.out);
  CHECK_FALSE(has(answered.out, "[Closed]"));
  CHECK(has(answered.out, "0 → 4"));
  CHECK(has(answered.out, "right, after the run was seen"));
  const auto later = room.run({"run", room.lesson(), "--step", "1"}, "quit\n");
  CHECK_FALSE(has(later.out, "[Closed]"));  // what is open stays open
}

TEST_CASE("lesson: goes on where one stopped, each student for themselves") {
  const Classroom room;
  room.run({"run", room.lesson()}, "b\n3\nquit\n");
  const auto other = room.run({"run", room.lesson(), "--student", "Łukasz / ../x"}, "quit\n");
  CHECK(has(other.out, "0 of 6 points"));
  CHECK_FALSE(fs::exists(room.at("x")));
  const auto resumed = room.run({"run", room.lesson()}, "N-1\nIt is.\n");
  INFO(resumed.out);
  CHECK(has(resumed.err, "Going on for ada, from page 2"));
  CHECK_FALSE(has(resumed.out, "Page 1 of 2"));
  CHECK(has(resumed.out, "4 of 6 points"));
  const auto seed = room.run({"run", room.lesson(), "--seed", "9"}, "");
  check_refused(seed, "--restart");
  CHECK(has(room.run({"run", room.lesson(), "--restart", "--seed", "9"}, "b\n").out,
            "1 of 6 points"));
}

TEST_CASE("lesson: what was answered before a restart is kept, and its place told") {
  const Classroom room;
  room.run({"run", room.lesson()}, "b\n");
  const std::string before = test::read(room.progress("ada").string());
  const auto run = room.run({"run", room.lesson(), "--restart"}, "quit\n");
  const std::string copy = room.progress("ada").string() + ".before-restart-1";
  CHECK(has(run.err, copy));
  CHECK(test::read(copy) == before);
  CHECK(has(run.out, "0 of 6 points"));
}

TEST_CASE("lesson: a written answer may have several lines") {
  const Classroom room;
  const auto run = room.run({"run", room.lesson()}, "b\n3\nN-1\nfirst\nquit\n  last\n\n");
  INFO(run.out);
  CHECK(has(run.out, "an empty line ends it"));
  CHECK(has(run.out, "4 of 4 questions done"));
  const json saved = parse_json(test::read(room.progress("ada").string()));
  CHECK(saved["questions"]["why"]["answer"] == "first\nquit\nlast");
}

TEST_CASE("lesson: impossible hints in a progress file cost nothing") {
  const Classroom room;
  for (const char* hints : {"-2000000", "5"}) {
    fs::create_directories(room.progress("ada").parent_path());
    std::ofstream(room.progress("ada"))
        << R"({"version":1,"lesson":"my-lesson","student":"ada","questions":{"first":{"hints":)"
        << hints << "}}}";
    const auto run = room.run({"run", room.lesson()}, "a\nhint\nquit\n");
    INFO(run.out << run.err);
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.out, "Not right."));
    CHECK_FALSE(has(run.out, "18446744073709551612"));
  }
}

TEST_CASE("lesson: an answer is graded again when its question has changed") {
  const Classroom room;
  room.run({"run", room.lesson()}, "b\nquit\n");
  std::string text = test::read(room.lesson() + "/lesson.toml");
  const std::string before = "{ text = \"to rank 4\", right = true }";
  REQUIRE(has(text, before));
  text.replace(text.find(before), before.size(), "{ text = \"to rank 4\" }");
  const std::string all = "{ text = \"to all at once\", ";
  text.replace(text.find(all), all.size(), all + "right = true, ");
  std::ofstream(room.lesson() + "/lesson.toml") << text;
  const auto run = room.run({"run", room.lesson()}, "quit\n");
  INFO(run.out);
  CHECK(has(run.err, "1 answer was graded again"));
  CHECK(has(run.out, "0 of 6 points"));
  CHECK_FALSE(has(room.run({"run", room.lesson()}, "quit\n").err, "graded again"));
}

TEST_CASE("lesson: pages forward and back, and the end of the input asks nothing twice") {
  const Classroom room;
  const auto run = room.run({"run", room.lesson()}, "open\nnext\nskip\nopen\nback\nskip\nhelp\n");
  INFO(run.out);
  const auto second = run.out.find("Page 2 of 2");
  REQUIRE(second != std::string::npos);
  CHECK(run.out.find("Page 1 of 2", second) != std::string::npos);
  CHECK(has(run.out, "There is nothing to open on this page."));
  CHECK(has(run.out, "the last round is not full"));
  CHECK(has(run.out, ":skip           go to the next question"));
  CHECK_FALSE(has(run.out, "> "));
  CHECK(has(run.err, "goes on from here"));
}

TEST_CASE("lesson: broken progress is set aside, not lost") {
  const Classroom room;
  for (const std::string broken :
       {"{\"version\":1,\"questions\"", "[]", "{\"version\":99}", "\xff\xfe"}) {
    fs::create_directories(room.progress("ada").parent_path());
    std::ofstream(room.progress("ada")) << broken;
    CHECK(room.run({"list"}).exit_code == cli::kOk);
    CHECK(test::read(room.progress("ada").string()) == broken);
    const auto run = room.run({"run", room.lesson()}, "b\n");
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.err, "cannot be used"));
    CHECK(parse_json(test::read(room.progress("ada").string()))["questions"]["first"]["points"] ==
          1.0);
  }
  std::string kept;
  for (int i = 1; i <= 4; ++i)
    kept += test::read(room.progress("ada").string() + ".broken-" + std::to_string(i)) + "|";
  CHECK(has(kept, "[]|"));
  CHECK(has(kept, "\xff\xfe|"));
}
