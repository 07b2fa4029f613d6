// `rankscope lesson`: its actions and options.
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "engine/core/base/error.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/transports.h"
#include "lessons/course/check_lesson.h"
#include "lessons/course/glossary.h"
#include "lessons/course/progress.h"
#include "lessons/grading/grade.h"
#include "lessons/handout/giveaways.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::cli {
namespace {

constexpr std::size_t kAny = 1000;
constexpr const char* kThisUser = "$USER";

void add_actions(ActionList& actions, const std::shared_ptr<LessonOptions>& o) {
  const auto add = [&](const char* word, const char* summary, ActionList::Names names,
                       int (*run)(const Console&, const LessonOptions&)) {
    actions.add(word, summary, names,
                [o, run](const Console& console) { return run(console, *o); });
  };
  add("list", "lessons and courses, and how far you are", {0, 1, "nothing or a COURSE"},
      list_lessons);
  add("show", "a lesson to read", {1, 1, "a LESSON"}, show_lesson);
  add("run",
      "page by page with its questions (hint, skip, run, answer, back, next, quit), from where you "
      "stopped; of a course, the first open question",
      {1, 1, "a LESSON"}, run_lesson);
  add("check", "every mistake in a lesson with its line; grades every stored answer",
      {0, kAny, "LESSONS"}, check_lessons);
  add("new", "a lesson to start from", {1, 1, "the NAME of a new folder"}, new_lesson);
  add("export", "a handout, or the answer sheet to fill in", {1, 1, "a LESSON or COURSE"},
      export_lesson);
  add("slides", "a PDF for the projector, with notes for the speaker",
      {1, 1, "a LESSON or a FILE.lecture.toml"}, make_slides);
  add("script", "a lecture of scenes for the application: runs and questions, with the notes",
      {1, 1, "a LESSON"}, make_script);
  add("bank", "questions for Moodle (XML) and Canvas (QTI 2.1)", {0, kAny, "LESSONS"}, make_bank);
  add("drills", "faulty programs with a key, for practice and exams, each found faulty by a run",
      {0, 0, "no names"}, make_lesson_drills);
  add("repair",
      "a faulty program in your editor ($VISUAL, $EDITOR), judged by its run until it is right",
      {1, 2, "a LESSON and the program's name, or the file of a drill"}, repair_program);
  add("hand-in",
      "a folder or zip file to hand in, with the answers and programs of your progress, and what "
      "is missing",
      {1, 1, "a COURSE"}, hand_in_course);
  add("check-sheet", "whether an answer file that you wrote can be read, and what is missing",
      {1, 2, "an answer FILE, and a COURSE where it names none"}, check_answer_sheet);
  add("pack", "lessons without answers, to give away", {1, kAny, "LESSONS or a COURSE"},
      pack_lessons);
  add("language",
      "the languages; with LANG, remember it; with LANG and LESSON, the texts to translate as TOML",
      {0, 2, "nothing, a LANG, or a LANG and a LESSON"}, lesson_language);
}

void add_reading_options(const ActionList& actions, LessonOptions& o) {
  actions.only("list run export hand-in pack")
      .add_option(
          "--student", "NAME", o.student,
          "list, run, hand-in: whose progress; export --sheet: whose sheet, with the answers "
          "given so far; pack: a student's copy, without answers")
      .expected(0, 1)
      .default_str(kThisUser);
  actions.only("show run export slides drills repair")
      .add_option("--seed", "SEED", o.seed,
                  "show, run, export, slides: other numbers in the questions; 0: as printed; "
                  "drills: which ones (else 1); repair: of the inputs");
  actions.only("show run").add_option("--step", "PAGE", o.step, "show, run: this page, from 1");
  actions.only("show").add_flag(
      "--reveal", o.reveal, "show: open what the reader may open, and what waits for an answer");
  actions.only("show export")
      .add_flag("--lecturer", o.lecturer,
                "show, export: the notes for the lecturer; show: also the right answers");
  actions.only("run repair")
      .add_flag(
          "--restart", o.restart,
          "run: from the beginning, without former answers (a copy of these is kept); repair: "
          "from the faulty program");
  actions.only("show run export")
      .add_option("--lang", "LANG", o.lang,
                  "show, run, export: in this language (de, zh_CN; en: English); else the one that "
                  "`lesson language` remembers, or the environment's, if the lesson is translated");
}

void add_making_options(const ActionList& actions, LessonOptions& o) {
  actions.only("export slides script bank drills pack")
      .add_option("-o,--output", "FILE", o.output,
                  "export, slides, script, bank: the file; pack, drills: the folder to make");
  actions.only("export bank")
      .add_option(
          "-f,--format", "html|pdf|md|moodle|qti", o.format,
          "export: html, pdf or md; bank: moodle (XML) or qti (2.1, a zip file); else as the "
          "file's name ends");
  actions.only("export slides")
      .add_flag("--answers", o.answers,
                "export: with the right answers at the end; slides: each on the slide after its "
                "question");
  const OptionList slides = actions.only("slides");
  slides.add_flag("--dark", o.dark, "slides: light letters on a dark page");
  slides.add_option("--notes", "FILE", o.notes,
                    "slides: another PDF to print, each slide with its notes below it");
  slides.add_flag("--no-notes", o.no_notes,
                  "slides: without notes for the speaker, to give the slides to students");
  actions.only("bank").add_with_default("--variants", "N", o.variants,
                                        "bank: versions of each question with numbers");
  actions.only("export drills")
      .add_option(
          "--sheet", "N", o.sheet_size,
          "export: the answer sheet, a TOML file to fill in; drills: one sheet for an exam, of N "
          "drills (else ten) of which no two are alike")
      .expected(0, 1);
  actions.only("export drills pack")
      .add_flag("--force", o.force,
                "export --sheet: overwrite an existing file; drills, pack: overwrite those in the "
                "folder");
  const OptionList pack = actions.only("pack");
  pack.add_option("--roster", "FILE", o.roster,
                  "pack: a copy for each student of this CSV file, with numbers of their own");
  pack.add_option("--secret", "FILE", o.secret,
                  "pack --roster: what these numbers are drawn from, made if missing; "
                  "default: COURSE.secret beside the course file");
  const OptionList drills = actions.only("drills");
  drills.add_with_default("--count", "N", o.count, "drills: how many");
  drills.add_option("--exercise", "NAME", o.exercises,
                    "drills: of this code exercise only; may be given more than once");
  actions.only("drills repair")
      .add_flag("--no-sandbox", o.no_sandbox,
                "drills, repair: run the programs with your rights, without boxes");
  actions.only("hand-in").add_option(
      "--to", "FOLDER|ZIP", o.output,
      "hand-in: what to write, again as often as you like; default: COURSE-hand-in");
  actions.only("hand-in").add_option("--from", "FOLDER", o.from,
                                     "hand-in: a folder with your files, such as the assignment's "
                                     "repository; the whole folder is included");
  actions.only("repair").add_option("--file", "FILE", o.file,
                                    "repair: judge this file, and open no editor");
}

}  // namespace

int check_lessons(const Console& console, const LessonOptions& options) {
  Complaints complaints;
  std::vector<Lesson> lessons;
  if (options.names.empty()) {
    const LessonLibrary library(lessons_folder());
    complaints = library.complaints();
    lessons = library.lessons();
    for (const std::string& name : library.course_names())
      check_course_texts(
          library.read_course(library.root() / "courses" / (name + ".toml"), complaints), library,
          complaints);
    check_glossary(library, complaints);
  }
  std::optional<LessonLibrary> library;
  for (const std::string& name : options.names) {
    std::filesystem::path folder = name;
    if (!std::filesystem::exists(folder / "lesson.toml")) {
      if (!library) library.emplace(lessons_folder());
      folder = library->need(name).folder;
    }
    lessons.push_back(read_lesson(folder, complaints));
    if (library) library->unknown_prerequisites(lessons.back(), complaints);
  }
  LessonRuns runs;
  for (const Lesson& lesson : lessons)
    if (!lesson.student_copy) check_lesson(lesson, runs, complaints);
  console.print(complaints.to_string());
  if (!complaints.empty()) return kBadInput;
  std::size_t questions = 0, answers = 0;
  for (const Lesson& lesson : lessons)
    for (const Question& question : lesson.questions) {
      ++questions;
      answers += question.stored.size();
    }
  console.print(
      fmt::format("{} lesson{} with {} questions {} whole; {} stored answers grade as stored.\n",
                  lessons.size(), lessons.size() == 1 ? "" : "s", questions,
                  lessons.size() == 1 ? "is" : "are", answers));
  return kOk;
}

namespace {

Action define_lesson(OptionList app) {
  const auto options = std::make_shared<LessonOptions>();
  ActionList actions(app);
  add_actions(actions, options);
  app.add_option(
      "LESSON", "LESSON", options->names,
      "A lesson's name, number or folder; a course for list, run, export and pack; the folder "
      "to make for new");
  add_reading_options(actions, *options);
  add_making_options(actions, *options);
  return [options, app, actions](const Console& console) {
    // Takes back the LESSON that `pack --student LESSON` and `export --sheet LESSON` seem to have as an option's value.
    const bool packs = actions.chosen() == "pack";
    const bool nobody = options->student == kThisUser;  // `--student` alone
    if (nobody && !packs) options->student = default_student();
    if (packs && !options->student.empty() && !nobody)
      options->names.insert(options->names.begin(), options->student);
    options->sheet = app.count("--sheet") > 0;
    if (actions.chosen() != "drills" && !options->sheet_size.empty())
      options->names.insert(options->names.begin(), options->sheet_size);
    options->seed_given = app.count("--seed") > 0;
    constexpr auto kMostSeed = std::numeric_limits<std::int64_t>::max();
    if (options->seed > static_cast<std::uint64_t>(kMostSeed))
      throw UserError(fmt::format(
          "--seed: at most {}, the largest number of an answer sheet (TOML)", kMostSeed));
    return actions.run(console, options->names);
  };
}

}  // namespace

constinit const CommandEntry kLessonCommand{
    .name = "lesson",
    .group = kTeaching,
    .summary = "go through lessons, hand them out, and write your own",
    .details = "Your answers and your progress are kept from one call to the next.",
    .examples =
        "rankscope lesson list  # what there is\n"
        "rankscope lesson run flat-allreduce  # go through one, also over ssh\n"
        "rankscope lesson run 12 --student ada --seed 3  # by number, with other numbers in it\n"
        "rankscope lesson show ring-allreduce --lecturer  # with notes and right answers\n"
        "rankscope lesson new my-lesson  # a lesson of your own\n"
        "rankscope lesson check my-lesson\n"
        "rankscope lesson export flat-allreduce -o flat.pdf  # a handout\n"
        "rankscope lesson export homework --sheet -o answers.toml  # to fill in and hand in\n"
        "rankscope lesson slides ring-allreduce -o ring.pdf --answers  # present it with pdfpc\n"
        "rankscope lesson script ring-allreduce -o ring.lecture.toml  # then: rankscope-gui "
        "ring.lecture.toml\n"
        "rankscope lesson bank reduce broadcast -o questions.xml  # for Moodle\n"
        "rankscope lesson bank --format qti -o questions.zip  # all lessons, for Canvas\n"
        "rankscope lesson drills --sheet 10 --seed 7 -o exam  # ten faulty programs, and a key\n"
        "rankscope lesson show broadcast --lang de  # in German, where it is translated\n"
        "rankscope lesson repair find-the-bug relay  # in your editor, until it is right\n"
        "rankscope lesson repair exam/questions/01-my-broadcast.py  # a drill\n"
        "rankscope lesson hand-in homework --to ada.zip  # what was answered, checked and packed\n"
        "rankscope lesson check-sheet answers.toml  # can all of it be read?\n"
        "rankscope lesson pack --student homework -o for-students  # a course without answers",
    .define = define_lesson,
};

}  // namespace rankscope::cli
