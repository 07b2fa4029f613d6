// `rankscope lesson`: its actions and options.
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/lesson/lesson_actions.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "lessons/course/check_lesson.h"
#include "lessons/course/glossary.h"
#include "lessons/course/progress.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::cli {
namespace {

struct ActionEntry {
  std::string_view name;
  std::size_t least_names, most_names;
  std::string_view names;    ///< What it wants, for messages.
  std::string_view options;  ///< That it takes, with blanks around each.
  int (*run)(const Console&, const LessonOptions&);
};

constexpr std::size_t kAny = 1000;
constexpr const char* kThisUser = "$USER";
constexpr auto kActions = std::to_array<ActionEntry>({
    {"list", 0, 1, "nothing or a COURSE", " --student ", list_lessons},
    {"show", 1, 1, "a LESSON", " --lecturer --step --seed --reveal --lang ", show_lesson},
    {"run", 1, 1, "a LESSON", " --student --seed --step --restart --lang ", run_lesson},
    {"check", 0, kAny, "LESSONS", " ", check_lessons},
    {"new", 1, 1, "the NAME of a new folder", " ", new_lesson},
    {"export", 1, 1, "a LESSON or COURSE",
     " --format --output --answers --lecturer --sheet --force --student --seed --lang ",
     export_lesson},
    {"slides", 1, 1, "a LESSON", " --output --notes --no-notes --dark --answers --seed ",
     make_slides},
    {"script", 1, 1, "a LESSON", " --output ", make_script},
    {"bank", 0, kAny, "LESSONS", " --output --format --variants ", make_bank},
    {"drills", 0, 0, "no names",
     " --count --sheet --seed --exercise --output --force --no-sandbox ", make_lesson_drills},
    {"language", 0, 2, "nothing, a LANG, or a LANG and a LESSON", " ", lesson_language},
    {"repair", 1, 2, "a LESSON and the program's name, or the file of a drill",
     " --file --seed --restart --no-sandbox ", repair_program},
    {"pack", 1, kAny, "LESSONS or a COURSE", " --output --student --roster --secret --force ",
     pack_lessons},
});

const ActionEntry& action_named(const std::string& name) {
  const auto* const found = ranges::find(kActions, name, &ActionEntry::name);
  if (found != kActions.end()) return *found;
  std::vector<std::string> names;
  for (const ActionEntry& entry : kActions) names.emplace_back(entry.name);
  const auto guess = did_you_mean(name, names);
  throw UserError(fmt::format("'{}' is nothing that can be done with lessons: {}{}{}", name,
                              fmt::join(names, ", "), guess.empty() ? "" : "; ", guess));
}

void check_options(const ActionEntry& action, const OptionList& given,
                   const LessonOptions& options) {
  const auto names = options.names.size();
  if (names < action.least_names || names > action.most_names)
    throw UserError(fmt::format("lesson {} takes {}, not {} names; see `rankscope lesson --help`",
                                action.name, action.names, names));
  for (const char* option :
       {"--student", "--seed",     "--step",     "--lecturer", "--reveal",   "--restart",
        "--format",  "--output",   "--answers",  "--sheet",    "--force",    "--dark",
        "--notes",   "--no-notes", "--variants", "--count",    "--exercise", "--no-sandbox",
        "--roster",  "--secret",   "--lang",     "--file"})
    if (given.count(option) > 0 &&
        action.options.find(fmt::format(" {} ", option)) == std::string_view::npos)
      throw UserError(fmt::format("lesson {} has no use for {}; it takes:{}", action.name, option,
                                  action.options == " " ? " no options" : action.options));
}

/// Of what makes files.
void add_making_options(OptionList app, LessonOptions& options) {
  app.add_option("-o,--output", "FILE", options.output,
                 "export, slides, script, bank: the file; pack, drills: the folder to make");
  app.add_option(
      "-f,--format", "html|pdf|md|moodle|qti", options.format,
      "export: html, pdf or md; bank: moodle (XML) or qti (2.1, a zip file); else as the "
      "file's name ends");
  app.add_flag("--answers", options.answers,
               "export: with the right answers at the end; slides: each on the slide after its "
               "question");
  app.add_flag("--dark", options.dark, "slides: light letters on a dark page");
  app.add_option("--notes", "FILE", options.notes,
                 "slides: another PDF to print, each slide with its notes below it");
  app.add_flag("--no-notes", options.no_notes,
               "slides: without notes for the speaker, to give the slides to students");
  app.add_option("--variants", "N", options.variants,
                 "bank: how often a question with numbers is there, each time with others")
      .capture_default_str();
  app.add_option(
         "--sheet", "N", options.sheet_size,
         "export: the answer sheet, a TOML file to fill in; drills: one sheet for an exam, of N "
         "drills (else ten) of which no two are alike")
      .expected(0, 1);
  app.add_flag(
      "--force", options.force,
      "export --sheet: write over a file that is there; drills, pack: over those in a folder");
  app.add_option("--roster", "FILE", options.roster,
                 "pack: a copy for each student of this CSV file, with numbers of their own");
  app.add_option("--secret", "FILE", options.secret,
                 "pack --roster: what these numbers are drawn from, made if it is not there; "
                 "default: COURSE.secret beside the course file");
}

void add_drill_options(OptionList app, LessonOptions& options) {
  app.add_option("--count", "N", options.count, "drills: how many").capture_default_str();
  app.add_option("--exercise", "NAME", options.exercises,
                 "drills: of this code exercise only; may be given more than once");
  app.add_flag("--no-sandbox", options.no_sandbox,
               "drills, repair: run the programs with your rights, without boxes");
  app.add_option("--file", "FILE", options.file, "repair: judge this file, and open no editor");
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
      library.read_course(library.root() / "courses" / (name + ".toml"), complaints);
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
  LessonRuns runs([] { return make_runner(kThreadTransport); }, {});
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

Action define_lesson(OptionList app) {
  const auto options = std::make_shared<LessonOptions>();
  app.add_option("ACTION",
                 "list|show|run|check|new|export|slides|script|bank|drills|repair|pack|language",
                 options->action, "What to do")
      .required();
  app.add_option(
      "LESSON", "LESSON", options->names,
      "A lesson's name, number or folder; a course for list, export and pack; the folder "
      "to make for new");
  app.add_option("--student", "NAME", options->student,
                 "list, run: whose progress; export --sheet: whose sheet; pack: a student's copy, "
                 "without answers")
      .expected(0, 1)
      .default_str(kThisUser);
  app.add_option("--seed", "SEED", options->seed,
                 "show, run, export, slides: other numbers in the questions; 0: as printed; "
                 "drills: which ones (else 1); repair: of the inputs");
  app.add_option("--step", "PAGE", options->step, "show, run: this page, from 1");
  app.add_flag("--reveal", options->reveal,
               "show: what the reader may open is open, and so is what waits for an answer");
  app.add_flag("--lecturer", options->lecturer,
               "show, export: the notes for the lecturer; show: also the right answers");
  app.add_flag("--restart", options->restart,
               "run: from the beginning, without former answers (a copy of these is kept); repair: "
               "from the faulty program");
  app.add_option("--lang", "LANG", options->lang,
                 "show, run, export: in this language (de, zh_CN; en: English); else the one that "
                 "`lesson language` remembers, or the environment's, where the lesson has it");
  add_making_options(app, *options);
  add_drill_options(app, *options);
  return [options, app](const Console& console) {
    const ActionEntry& action = action_named(options->action);
    // `pack --student LESSON`: there it names no student, but what is packed: a student's copy.
    const bool nobody = options->student == kThisUser;  // `--student` alone
    if (nobody && options->action != "pack") options->student = default_student();
    if (options->action == "pack" && !options->student.empty() && !nobody)
      options->names.insert(options->names.begin(), options->student);
    options->sheet = app.count("--sheet") > 0;
    // `export --sheet COURSE`: there it has no number.
    if (options->action != "drills" && !options->sheet_size.empty())
      options->names.insert(options->names.begin(), options->sheet_size);
    check_options(action, app, *options);
    options->seed_given = app.count("--seed") > 0;
    constexpr auto kMostSeed = std::numeric_limits<std::int64_t>::max();
    if (options->seed > static_cast<std::uint64_t>(kMostSeed))
      throw UserError(fmt::format(
          "--seed: at most {}, the largest number of an answer sheet (TOML)", kMostSeed));
    return action.run(console, *options);
  };
}

}  // namespace rankscope::cli
