// `rankscope lesson` as students and lecturers use it: through pipes, with a home of its own.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/run/process_runner.h"
#include "lessons/course.h"
#include "lessons/grade.h"
#include "lessons/progress.h"
#include "lessons/run_book.h"
#include "lessons/student_copy.h"
#include "lessons/toml_source.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using nlohmann::json;
using test::has;
namespace fs = std::filesystem;

namespace {

/// A made lesson in a folder of its own, and students whose progress is kept there.
class Classroom {
 public:
  Classroom() { REQUIRE(run({"new", lesson()}).exit_code == cli::kOk); }

  std::string lesson() const { return folder_ / "my-lesson"; }
  std::string at(const std::string& name) const { return folder_ / name; }
  fs::path progress(const std::string& student) const {
    return fs::path(folder_ / "data") / "rankscope" / "progress" / student / "my-lesson.json";
  }

  test::Finished run(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), "lesson");
    return test::run_rankscope(words, {.input = input,
                                       .environment = {{"XDG_DATA_HOME", folder_ / "data"},
                                                       {"USER", "ada"}},
                                       .limit = std::chrono::minutes(3)});
  }

 private:
  test::TemporaryFolder folder_;
};

RunBook book_of(const Lesson& lesson) {
  return RunBook([] { return make_runner("inproc"); }, lesson.runs);
}

/// Right answers as a person types them, in the order of the pages.
std::string right_answers(const Lesson& lesson, std::uint64_t seed) {
  RunBook runs = book_of(lesson);
  std::string out;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks) {
      if (block.kind != Block::Kind::question) continue;
      const Question& question = *lesson.find_question(block.id);
      const json key = question.kind->key(question, variant_of(question, seed), runs);
      out += key.is_null() ? "Some words." : question.kind->show(question, key);
      out += "\n";
    }
  return out;
}

Lesson lesson_in(const std::string& folder) {
  Complaints complaints;
  Lesson lesson = read_lesson(folder, complaints);
  INFO(complaints.to_string());
  CHECK(complaints.empty());
  return lesson;
}

std::string all_text_in(const fs::path& folder) {
  std::string out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out += test::read(entry.path().string());
  return out;
}

}  // namespace

TEST_CASE("lesson: a new one checks clean, and is not written over") {
  const Classroom room;
  const auto checked = room.run({"check", room.lesson()});
  INFO(checked.out);
  CHECK(checked.exit_code == cli::kOk);
  CHECK(has(checked.out, "4 questions"));
  std::ofstream(room.lesson() + "/2-cost.md") << "mine\n";
  const auto again = room.run({"new", room.lesson()});
  CHECK(again.exit_code == cli::kBadInput);
  CHECK(has(again.err, "is there already"));
  CHECK(test::read(room.lesson() + "/2-cost.md") == "mine\n");
}

TEST_CASE("lesson: shown with its runs and questions; notes are the lecturer's") {
  const Classroom room;
  const auto shown = room.run({"show", room.lesson()});
  REQUIRE(shown.exit_code == cli::kOk);
  CHECK(has(shown.out, "Page 1 of 2: Rank 0 tells everybody"));
  CHECK(has(shown.out, "0 → 4"));
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
  const auto machine = json::parse(room.run({"show", room.lesson(), "--json"}).out);
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
    const auto run = room.run({"run", room.lesson(), "--student", "s" + std::to_string(seed), "--seed",
                               std::to_string(seed)},
                              right_answers(lesson, seed));
    INFO(run.out);
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.out, "Page 2 of 2"));
    CHECK(has(run.out, "4 of 6 points"));  // 2 are marked by hand
    CHECK(has(run.out, "4 of 4 questions done"));
    CHECK_FALSE(has(run.err, "goes on from here"));
  }
}

TEST_CASE("lesson: one of ours gone through to full marks") {
  const Classroom room;
  const LessonLibrary library(lessons_folder());
  const Lesson& lesson = library.need("flat-allreduce");
  double graded = 0;
  for (const Question& question : lesson.questions)
    if (!question.kind->marked_by_hand()) graded += question.points;
  const auto run = room.run({"run", "flat-allreduce"}, right_answers(lesson, 0));
  INFO(run.out);
  CHECK(has(run.out, number_text(graded) + " of "));
  CHECK_FALSE(has(run.out, "Not right."));
  const std::string count = std::to_string(lesson.questions.size());
  CHECK(has(run.out, count + " of " + count + " questions done"));
  const auto listed = json::parse(room.run({"list", "--json"}).out);
  for (const json& one : listed["lessons"])
    CHECK((one["done"] == 0) == (one["lesson"] != "flat-allreduce"));
}

TEST_CASE("lesson: hints, wrong answers and what cannot be read") {
  const Classroom room;
  const auto run = room.run({"run", room.lesson()},
                            "hint\na\nzebra\nB\nhint\nhint\nhint\n7\nrun\nanswer\n");
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
  const json saved = json::parse(test::read(room.progress("ada").string()));
  CHECK(saved["questions"]["first"]["attempts"] == 2);  // what cannot be read is no attempt
  CHECK(saved["questions"]["first"]["hints"] == 1);
  CHECK(saved["questions"]["rounds"]["gave_up"] == true);
  CHECK(saved["questions"]["rounds"]["points"] == 0.0);
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
  CHECK(seed.exit_code == cli::kBadInput);
  CHECK(has(seed.err, "--restart"));
  CHECK(has(room.run({"run", room.lesson(), "--restart", "--seed", "9"}, "b\n").out, "1 of 6 points"));
}

TEST_CASE("lesson: pages forward and back, and the end of the input asks nothing twice") {
  const Classroom room;
  const auto run = room.run({"run", room.lesson()}, "next\nback\nskip\nhelp\n");
  INFO(run.out);
  const auto second = run.out.find("Page 2 of 2");
  REQUIRE(second != std::string::npos);
  CHECK(run.out.find("Page 1 of 2", second) != std::string::npos);
  CHECK(has(run.out, "skip            the next question"));
  CHECK_FALSE(has(run.out, "> "));
  CHECK(has(run.err, "goes on from here"));
}

TEST_CASE("lesson: broken progress is set aside, not lost") {
  const Classroom room;
  for (const std::string broken : {"{\"version\":1,\"questions\"", "[]", "{\"version\":99}", "\xff\xfe"}) {
    fs::create_directories(room.progress("ada").parent_path());
    std::ofstream(room.progress("ada")) << broken;
    CHECK(room.run({"list"}).exit_code == cli::kOk);
    CHECK(test::read(room.progress("ada").string()) == broken);
    const auto run = room.run({"run", room.lesson()}, "b\n");
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.err, "cannot be used"));
    CHECK(json::parse(test::read(room.progress("ada").string()))["questions"]["first"]["points"] == 1.0);
  }
  std::string kept;
  for (int i = 1; i <= 4; ++i) kept += test::read(room.progress("ada").string() + ".broken-" + std::to_string(i)) + "|";
  CHECK(has(kept, "[]|"));
  CHECK(has(kept, "\xff\xfe|"));
}

TEST_CASE("lesson: handouts hold the questions, and answers only when asked for") {
  const Classroom room;
  const std::string answer = "log2(8) = 3 rounds", prompt = "How many messages is that in all";
  for (const std::string format : {"html", "md", "pdf"}) {
    const std::string file = room.at("out." + format), full = room.at("full." + format);
    const auto run = room.run({"export", room.lesson(), "-o", file});
    INFO(run.err);
    REQUIRE(run.exit_code == cli::kOk);
    REQUIRE(room.run({"export", room.lesson(), "--answers", "--lecturer", "-o", full}).exit_code == cli::kOk);
    const std::string plain = test::read(file), whole = test::read(full);
    if (format == "pdf") {
      CHECK(plain.starts_with("%PDF-"));
      CHECK(whole.size() > plain.size());
      continue;
    }
    CHECK(has(plain, prompt));
    CHECK_FALSE(has(plain, answer));
    CHECK_FALSE(has(plain, "ask the room"));
    CHECK(has(whole, answer));
    CHECK(has(whole, "ask the room"));
    CHECK(has(whole, "names the number of rounds in both cases"));
  }
  const std::string html = test::read(room.at("out.html"));
  CHECK(has(html, "<svg"));
  CHECK_FALSE(has(html, "<script"));
  CHECK_FALSE(has(html, "src=\"http"));
  CHECK(fs::exists(room.at("out-figures/my-lesson-eight-spacetime.svg")));
  CHECK(room.run({"export", room.lesson(), "-o", room.at("x.docx")}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: the answer sheet is TOML with an entry for each question") {
  const Classroom room;
  const std::string file = room.at("sheet.toml");
  const auto run = room.run({"export", room.lesson(), "--sheet", "--student", "O\"Hara", "--seed", "3", "-o", file});
  REQUIRE(run.exit_code == cli::kOk);
  Complaints complaints;
  const auto sheet = read_toml(file, "sheet", complaints);
  INFO(complaints.to_string());
  REQUIRE(sheet);
  CHECK(sheet->root["student"] == "O\"Hara");
  CHECK(sheet->root["seed"] == 3);
  for (const char* id : {"first", "rounds", "messages", "why"})
    CHECK(sheet->root[std::string("my-lesson/") + id].is_string());
  const LessonLibrary library(lessons_folder());
  for (const std::string& name : library.course_names()) {
    REQUIRE(room.run({"export", name, "--sheet", "-o", file}).exit_code == cli::kOk);
    const auto filled = read_toml(file, name, complaints);
    INFO(complaints.to_string());
    REQUIRE(filled);
    for (const CoursePart& part : library.course(name).parts)
      for (const CourseItem& item : part.items)
        if (const Lesson* lesson = library.find(item.lesson);
            lesson != nullptr && lesson->find_question(item.id) != nullptr)
          CHECK(filled->root.contains(item.key()));
  }
}

TEST_CASE("lesson: a student's copy has no keys, reads clean and is not graded") {
  const Classroom room;
  const std::string out = room.at("copy");
  const auto packed = room.run({"pack", "--student", room.lesson(), "-o", out});
  INFO(packed.err);
  REQUIRE(packed.exit_code == cli::kOk);
  const std::string text = all_text_in(out);
  for (const char* key : {"N-1", "right", "says", "rubric", "model", "misconception", "stored", "explanation",
                          "measure", "one-by-one", "ask the room", "travel at the same time"})
    CHECK_FALSE(has(text, key));
  CHECK(has(text, "How many messages is that in all"));
  const Lesson lesson = lesson_in(out + "/content/my-lesson");
  CHECK(lesson.student_copy);
  RunBook runs = book_of(lesson);
  const Question& question = *lesson.find_question("rounds");
  CHECK(grade(question, variant_of(question, 0), "3", runs).state == Verdict::State::not_graded);
  const auto run = room.run({"run", out + "/content/my-lesson"}, "b\n3\nN-1\nIt is.\n");
  INFO(run.out);
  CHECK(has(run.out, "Noted. It is not graded here."));
  CHECK_FALSE(has(run.out, "Right."));
  CHECK(has(run.out, "4 of 4 questions done"));
  CHECK(room.run({"pack", "--student", room.lesson(), "-o", out}).exit_code == cli::kBadInput);
  CHECK(room.run({"pack", room.lesson(), "-o", room.at("other")}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: copies of all of our lessons ask the same and tell nothing") {
  const LessonLibrary library(lessons_folder());
  const test::TemporaryFolder folder;
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : library.lessons()) all.push_back(&lesson);
  RunBook runs([] { return make_runner("inproc"); }, {});
  pack_for_students(all, {}, folder / "copy", runs);
  const LessonLibrary copies(folder / "copy");
  INFO(copies.complaints().to_string());
  CHECK(copies.complaints().empty());
  REQUIRE(copies.lessons().size() == all.size());
  for (const Lesson* lesson : all) {
    const Lesson& copy = copies.need(lesson->slug);
    for (const Question& question : lesson->questions) {
      runs.know(copy.runs);
      INFO(lesson->slug << "/" << question.id);
      const Question* same = copy.find_question(question.id);
      REQUIRE(same != nullptr);
      const Variant variant = variant_of(question, 7), other = variant_of(*same, 7);
      CHECK(fill_in(same->prompt, other.values) == fill_in(question.prompt, variant.values));
      for (const char* key : {"answer", "right", "model", "rubric", "reference", "also", "before", "rules"})
        CHECK_FALSE(same->data.contains(key));
      CHECK(same->stored.empty());
      CHECK(same->misconceptions.empty());
      CHECK(same->explanation.empty());
      const AnswerForm form = same->kind->form(*same, other, runs);
      runs.know(lesson->runs);
      const AnswerForm original = question.kind->form(question, variant, runs);
      REQUIRE(form.fields.size() == original.fields.size());
      CHECK(form.fields.front().options == original.fields.front().options);
      const auto verdict = grade(*same, other, original.example.empty() ? "x" : original.example, runs);
      CHECK((verdict.state == Verdict::State::not_graded || verdict.state == Verdict::State::by_hand));
    }
  }
}
