// What `rankscope lesson` gives away: handouts, answer sheets, students' copies.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/toml/toml_source.h"
#include "lessons/grading/answer_file.h"
#include "lessons/handout/student_copy.h"
#include "tests/cli/classroom.h"
#include "tests/cli/files.h"
#include "tests/support/paths.h"

using namespace rankscope;
using nlohmann::json;
using test::check_refused;
using test::Classroom;
using test::has;
using test::lesson_in;
namespace fs = std::filesystem;

namespace {

std::string all_text_in(const fs::path& folder) {
  std::string out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out += test::read(entry.path().string());
  return out;
}

}  // namespace

TEST_CASE("lesson: handouts hold the questions, and answers only when asked for") {
  const Classroom room;
  const std::string answer = "log2(8) = 3 rounds", prompt = "How many messages is that in all";
  for (const std::string format : {"html", "md", "pdf"}) {
    const std::string file = room.at("out." + format), full = room.at("full." + format);
    const auto run = room.run({"export", room.lesson(), "-o", file});
    INFO(run.err);
    REQUIRE(run.exit_code == cli::kOk);
    REQUIRE(room.run({"export", room.lesson(), "--answers", "--lecturer", "-o", full}).exit_code ==
            cli::kOk);
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
  // A run that waits for an answer stands behind all questions; for the lecturer, in its place.
  CHECK(html.find("figure 1 stands behind") < html.find(prompt));
  CHECK(html.find("<svg") > html.find(prompt));
  const std::string whole = test::read(room.at("full.html"));
  CHECK(whole.find("<svg") < whole.find(prompt));
  CHECK_FALSE(has(html, "<script"));
  CHECK_FALSE(has(html, "src=\"http"));
  CHECK(fs::exists(room.at("out-figures/my-lesson-eight-spacetime.svg")));
  CHECK(room.run({"export", room.lesson(), "-o", room.at("x.docx")}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: slides are a PDF with notes, and answers only when asked for") {
  if (!has_cairo()) return;
  const Classroom room;
  const auto text_in = [&](const std::string& name) {
    std::string out;  // lines end wherever a slide is full
    for (const std::string& word :
         test::words(test::run_process({"pdftotext", room.at(name), "-"}).out))
      out += word + " ";
    return out;
  };
  const auto made =
      room.run({"slides", room.lesson(), "-o", room.at("a.pdf"), "--notes", room.at("notes.pdf")});
  INFO(made.err);
  REQUIRE(made.exit_code == cli::kOk);
  REQUIRE(room.run({"slides", room.lesson(), "-o", room.at("b.pdf"), "--answers", "--dark",
                    "--no-notes"})
              .exit_code == cli::kOk);
  const std::string plain = text_in("a.pdf"), full = text_in("b.pdf");
  CHECK(has(plain, "How many messages is that in all"));
  CHECK_FALSE(has(plain, "log2(8) = 3 rounds"));
  CHECK(has(full, "log2(8) = 3 rounds"));
  // The lecturer's notes are annotations, on no slide, and printed below the slides.
  CHECK(has(test::read(room.at("a.pdf")), "/Subtype /Text"));
  CHECK_FALSE(has(test::read(room.at("b.pdf")), "/Subtype /Text"));
  CHECK_FALSE(has(plain, "ask the room"));
  CHECK(has(text_in("notes.pdf"), "ask the room"));
  CHECK(has(test::run_process({"pdfinfo", room.at("a.pdf")}).out, "960 x 540 pts"));
  check_refused(room.run({"slides", room.lesson(), "-o", room.at("a.pptx")}), "--output", ".pdf");
  check_refused(room.run({"slides", room.lesson(), "--no-notes", "--notes", "x.pdf"}),
                "--no-notes");
  check_refused(room.run({"slides", "homework"}), "course");
}

TEST_CASE("lesson: a bank's files are as their formats' documentation says", "[slow]") {
  if (!has_cairo()) return;
  const Classroom room;
  const std::string reader = (test::source_root() / "tests/lessons/check_bank.py").string();
  for (const std::string name : {"all.xml", "all.zip"}) {
    const auto made = room.run({"bank", "--variants", "1", "-o", room.at(name)});
    INFO(made.err);
    REQUIRE(made.exit_code == cli::kOk);
    const auto checked = test::run_process({"python3", reader, room.at(name)});
    CHECK(checked.exit_code == 0);
    CHECK_FALSE(has(checked.out, ": "));
    for (const char* type : {"multichoice=", "numerical=", "cloze=", "matching=", "essay="})
      CHECK(has(checked.out, type) == (name == "all.xml"));
    for (const char* type : {"choiceInteraction=", "textEntryInteraction=", "orderInteraction="})
      CHECK(has(checked.out, type) == (name == "all.zip"));
    // What nobody else can judge is named, with the reason.
    CHECK(has(made.err, "left out: reduce/first-message: predict: any message"));
  }
}

TEST_CASE("lesson: a bank's reader finds what is wrong, so that its silence means something") {
  if (!has_cairo()) return;
  const Classroom room;
  const std::string reader = (test::source_root() / "tests/lessons/check_bank.py").string();
  const std::string file = room.at("bank.xml");
  REQUIRE(
      room.run({"bank", "reduce", "--format", "moodle", "--variants", "2", "-o", file}).exit_code ==
      cli::kOk);
  const std::string whole = test::read(file);
  CHECK(test::run_process({"python3", reader, file}).exit_code == 0);
  const auto spoiled = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    std::ofstream(file) << text.replace(at, from.size(), to);
    return test::run_process({"python3", reader, file}).exit_code != 0;
  };
  CHECK(spoiled("<answer fraction=\"100\"", "<answer fraction=\"60\""));
  CHECK(spoiled("<single>true</single>", "<once>true</once>"));
  CHECK(spoiled("<idnumber>reduce-plus-one-2<", "<idnumber>reduce-plus-one<"));
  CHECK(spoiled("<tolerance>0<", "<tolerance>none<"));
  CHECK(spoiled("@@PLUGINFILE@@/", "@@PLUGINFILE@@/no-"));
  CHECK(spoiled("<p>", "<p><p>"));
  check_refused(room.run({"bank", "reduce"}), "--format moodle");
  check_refused(room.run({"bank", "reduce", "reduce", "--format", "qti"}), "twice");
  check_refused(room.run({"bank", "reduce", "-o", "x.xml", "--variants", "0"}), "--variants");
}

TEST_CASE("lesson: the answer sheet is TOML with an entry for each question") {
  const Classroom room;
  const std::string file = room.at("sheet.toml");
  const auto run = room.run(
      {"export", room.lesson(), "--sheet", "--student", "O\"Hara", "--seed", "3", "-o", file});
  REQUIRE(run.exit_code == cli::kOk);
  Complaints complaints;
  const auto sheet = read_toml(file, "sheet", complaints);
  INFO(complaints.to_string());
  REQUIRE(sheet);
  CHECK(sheet->root["student"] == "O\"Hara");
  CHECK(sheet->root["seed"] == 3);
  for (const char* id : {"first", "rounds", "messages", "why"})
    CHECK(sheet->root["answers"][std::string("my-lesson/") + id].is_string());
  const LessonLibrary library(lessons_folder());
  for (const std::string& name : library.course_names()) {
    REQUIRE(room.run({"export", name, "--sheet", "--force", "-o", file}).exit_code == cli::kOk);
    const auto filled = read_toml(file, name, complaints);
    INFO(complaints.to_string());
    REQUIRE(filled);
    for (const CoursePart& part : library.course(name).parts)
      for (const CourseItem& item : part.items)
        if (const Lesson* lesson = library.find(item.lesson);
            lesson != nullptr && lesson->find_question(item.id) != nullptr)
          CHECK(filled->root["answers"].contains(item.key()));
  }
}

TEST_CASE("lesson: a sheet that is there is written over only when told so") {
  const Classroom room;
  const std::string file = room.at("answers.toml");
  std::ofstream(file) << "mine\n";
  check_refused(room.run({"export", room.lesson(), "--sheet", "-o", file}), "--force");
  CHECK(test::read(file) == "mine\n");
  CHECK(room.run({"export", room.lesson(), "--sheet", "--force", "-o", file}).exit_code ==
        cli::kOk);
  CHECK(has(test::read(file), "[answers]"));
  CHECK(room.run({"export", room.lesson(), "--force", "-o", room.at("a.html")}).exit_code ==
        cli::kBadInput);
}

TEST_CASE("lesson: with mistakes it is neither exported nor packed") {
  const Classroom room;
  fs::create_directories(room.at("root/content"));
  fs::copy(room.lesson(), room.at("root/content/01-broken"), fs::copy_options::recursive);
  std::ofstream(room.at("root/content/01-broken/lesson.toml"), std::ios::app)
      << "[[step]]\ntitle = \"S\"\ntext = \"../../secret.md\"\n";
  std::ofstream(room.at("root/secret.md")) << "secret\n";
  for (const std::string& name : {std::string("broken"), room.at("root/content/01-broken")})
    for (const std::vector<std::string>& what :
         {std::vector<std::string>{"export", name, "-o", room.at("out.html")},
          {"export", name, "--sheet", "-o", room.at("out.toml")},
          {"pack", "--student", name, "-o", room.at("copy")}}) {
      std::vector<std::string> words{"lesson"};
      words.insert(words.end(), what.begin(), what.end());
      check_refused(
          test::run_rankscope(words, {.environment = {{"RANKSCOPE_LESSONS", room.at("root")}}}),
          "must lie in the lesson's folder");
    }
  for (const char* file : {"out.html", "out.toml", "copy"}) CHECK_FALSE(fs::exists(room.at(file)));
}

TEST_CASE("lesson: a lesson with an algorithm that is no name does not end other commands") {
  const Classroom room;
  fs::create_directories(room.at("root/content/01-broken"));
  std::ofstream(room.at("root/content/01-broken/lesson.toml")) << "[run.r]\nalgorithm = 3\n";
  const test::EnvironmentChanges root{{"RANKSCOPE_LESSONS", room.at("root")}};
  CHECK(test::run_rankscope({"predict", "allreduce.ring"}, {.environment = root}).exit_code ==
        cli::kOk);
  CHECK(has(test::run_rankscope({"lesson", "check", "broken"}, {.environment = root}).out,
            "lesson.toml:2: 'algorithm'"));
}

TEST_CASE("lesson: a filled sheet is what the grader reads") {
  const Classroom room;
  const std::string file = room.at("sheet.toml");
  REQUIRE(room.run({"export", "tutorial", "--sheet", "--student", "Ada", "-o", file}).exit_code ==
          cli::kOk);
  const LessonLibrary library(lessons_folder());
  const Lesson& lesson = library.need("reduce");
  LessonRuns runs(lesson.runs);
  const Question& question = *lesson.find_question("messages");
  const json key = question.kind->key(question, variant_of(question, 0), runs);
  std::string text = test::read(file);
  const std::string entry = "\"reduce/messages\" = \"\"";
  REQUIRE(has(text, entry));
  text.replace(text.find(entry), entry.size(),
               "\"reduce/messages\" = \"" + question.kind->show(question, key) + "\"");
  std::ofstream(file) << text;
  const AnswerFile answers = read_answers(text, "sheet.toml");
  CHECK(answers.fault.empty());
  CHECK(answers.complaints.empty());
  CHECK(answers.student == "Ada");
  CHECK(
      grade(question, variant_of(question, 0), answers.answers.at("reduce/messages"), runs).state ==
      Verdict::State::right);
}

TEST_CASE("lesson: a student's copy has no keys, reads clean and is not graded") {
  const Classroom room;
  const std::string out = room.at("copy");
  const auto packed = room.run({"pack", "--student", room.lesson(), "-o", out});
  INFO(packed.err);
  REQUIRE(packed.exit_code == cli::kOk);
  const std::string text = all_text_in(out);
  for (const char* key :
       {"N-1", "right", "says", "rubric", "model", "misconception", "stored", "explanation",
        "measure", "one-by-one", "ask the room", "travel at the same time"})
    CHECK_FALSE(has(text, key));
  CHECK(has(text, "How many messages is that in all"));
  const Lesson lesson = lesson_in(out + "/content/my-lesson");
  CHECK(lesson.student_copy);
  LessonRuns runs(lesson.runs);
  const Question& question = *lesson.find_question("rounds");
  CHECK(grade(question, variant_of(question, 0), "3", runs).state == Verdict::State::not_graded);
  const auto run = room.run({"run", out + "/content/my-lesson"}, "b\n3\nN-1\nIt is.\n");
  INFO(run.out);
  CHECK(has(run.out, "Kept, graded by your lecturer."));
  CHECK_FALSE(has(run.out, "Right."));
  CHECK(has(run.out, "4 of 4 questions done"));
  CHECK(room.run({"script", out + "/content/my-lesson", "-o", "-"}).exit_code == cli::kBadInput);
  CHECK(room.run({"pack", "--student", room.lesson(), "-o", out}).exit_code == cli::kBadInput);
  CHECK(room.run({"pack", room.lesson(), "-o", room.at("other")}).exit_code == cli::kBadInput);
}

TEST_CASE("lesson: copies of all of our lessons ask the same and tell nothing") {
  const LessonLibrary library(lessons_folder());
  const test::TemporaryFolder folder;
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : library.lessons()) all.push_back(&lesson);
  LessonRuns runs;
  pack_for_students(all, {}, folder / "copy", runs);
  const LessonLibrary copies(folder / "copy");
  INFO(copies.complaints().to_string());
  CHECK(copies.complaints().empty());
  REQUIRE(copies.lessons().size() == all.size());
  for (const Lesson* lesson : all) {
    const Lesson& copy = copies.need(lesson->slug);
    for (const CodingExercise& exercise : lesson->coding) {
      INFO(exercise.id);
      REQUIRE(copy.find_coding(exercise.id) != nullptr);
      CHECK(copy.find_coding(exercise.id)->graded() == exercise.graded());
    }
    for (const Question& question : lesson->questions) {
      runs.know(copy.runs);
      INFO(lesson->slug << "/" << question.id);
      const Question* same = copy.find_question(question.id);
      REQUIRE(same != nullptr);
      for (std::uint64_t seed = 0; seed < 50; ++seed)
        CHECK(fill_in(same->prompt, variant_of(*same, seed).values) ==
              fill_in(question.prompt, variant_of(question, seed).values));
      const Variant variant = variant_of(question, 7), other = variant_of(*same, 7);
      for (const char* key :
           {"answer", "right", "model", "rubric", "reference", "also", "before", "rules"})
        CHECK_FALSE(same->data.contains(key));
      CHECK(same->stored.empty());
      CHECK(same->misconceptions.empty());
      CHECK(same->explanation.empty());
      CHECK(same->kind->key(*same, other, runs).is_null());
      const AnswerForm form = same->kind->form(*same, other, runs);
      runs.know(lesson->runs);
      const AnswerForm original = question.kind->form(question, variant, runs);
      REQUIRE(form.fields.size() == original.fields.size());
      CHECK(form.fields.front().options == original.fields.front().options);
      const bool whole = !original.example.empty() &&
                         original.example.find("…") == std::string::npos &&
                         question.kind->name() != "order";  // its example has three letters
      const auto verdict = grade(*same, other, whole ? original.example : "x", runs);
      INFO(original.example << ": " << verdict.says);
      using State = Verdict::State;
      CHECK((verdict.state == State::not_graded || verdict.state == State::by_hand ||
             (!whole && verdict.state == State::malformed)));
    }
  }
  // A copy is given on as it is; a class's numbers are drawn from whole lessons.
  std::vector<const Lesson*> given;
  for (const Lesson& lesson : copies.lessons()) given.push_back(&lesson);
  pack_for_students(given, {}, folder / "again", runs);
  for (const Lesson* lesson : given) {
    const auto file = fs::path("content") / lesson->folder.filename() / "lesson.toml";
    CHECK(test::read((folder / "copy" / file).string()) ==
          test::read((folder / "again" / file).string()));
  }
  CHECK_THROWS_AS(pack_for_students(given, {}, folder / "own", runs, {.seed = 7}), UserError);
}

TEST_CASE("lesson: a copy whose closed tables cannot be opened says so") {
  const Classroom room;
  const std::string out = room.at("copy");
  REQUIRE(room.run({"pack", "--student", room.lesson(), "-o", out}).exit_code == cli::kOk);
  std::string text = test::read(out + "/content/my-lesson/lesson.toml");
  for (const char* key : {"\nruns = '", "\ndomain = '"}) {
    const auto at = text.find(key);
    REQUIRE(at != std::string::npos);
    text[at + std::string_view(key).size()] ^= 1;
  }
  std::ofstream(out + "/content/my-lesson/lesson.toml") << text;
  const auto shown = room.run({"check", out + "/content/my-lesson"});
  CHECK(has(shown.out, "another version of rankscope wrote 'runs'"));
  CHECK(has(shown.out, "another version of rankscope wrote 'domain'"));
}
