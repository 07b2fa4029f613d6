// Faulty programs: `rankscope lesson drills` makes them for practice and exams, `repair` opens one in an editor.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/program/program_files.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/text.h"
#include "lessons/coding/drills.h"
#include "lessons/coding/grader.h"
#include "lessons/lesson/coding.h"
#include "lessons/text/markdown.h"

namespace rankscope::cli {

// ---- drills --------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMostDrills = 1000;

/// Throws UserError unless the folder is new, empty or, with `force`, a folder of drills.
void check_drill_folder(const fs::path& folder, bool force) {
  std::error_code error;
  if (!fs::exists(folder, error) ||
      (fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    return;
  if (!fs::is_directory(folder, error))
    throw UserError(
        fmt::format("{} is no folder: name another one with --output", folder.string()));
  const bool drills = fs::exists(folder / "key.json", error);
  if (force && drills) return;
  throw UserError(fmt::format("{} is not empty: name another folder with --output{}",
                              folder.string(),
                              drills ? ", or overwrite its drills with --force" : ""));
}

void write_drills(const fs::path& folder, const std::vector<Drill>& drills,
                  const LessonLibrary& library, std::uint64_t seed) {
  std::error_code error;
  fs::remove_all(folder / "questions", error);
  fs::create_directories(folder / "questions", error);
  if (error) throw UserError(fmt::format("cannot create {}: {}", folder.string(), error.message()));
  for (std::size_t i = 0; i < drills.size(); ++i)
    write_whole((folder / "questions" / drill_file_name(drills[i], i + 1, drills.size())).string(),
                drills[i].text);
  write_whole((folder / "questions" / "questions.md").string(), drill_questions(drills, library));
  write_whole((folder / "key.md").string(), drill_key(drills, seed));
  write_whole((folder / "key.json").string(), dump_json(drill_key_json(drills, seed), 1) + "\n");
}

std::string drills_text(const DrillsMade& made, int wanted) {
  std::string out;
  for (const std::string& one : made.refused)
    out += fmt::format("left out, because the solution itself is not judged right: {}\n", one);
  if (static_cast<int>(made.drills.size()) < wanted)
    out += fmt::format("There are no more than {} of them.\n", made.drills.size());
  out += fmt::format("{} run, {} kept", plural(static_cast<std::size_t>(made.tried), "mutant"),
                     made.drills.size());
  if (made.unnoticed > 0)
    out += fmt::format("; {} left out, because their run shows no fault", made.unnoticed);
  if (made.senseless > 0)
    out += fmt::format("; {} left out, because they only use a name that is not defined",
                       made.senseless);
  return out + ".\n";
}

}  // namespace

int make_lesson_drills(const Console& console, const LessonOptions& options) {
  constexpr int kSheet = 10;
  const LessonLibrary library(lessons_folder());
  DrillOptions drills;
  drills.sheet = options.sheet;
  drills.count = options.sheet ? kSheet : options.count;
  if (options.sheet && !options.sheet_size.empty())
    drills.count = static_cast<int>(parse_integer(options.sheet_size, "--sheet", 1, kMostDrills));
  if (drills.count < 1 || drills.count > kMostDrills)
    throw UserError(fmt::format("--count: from 1 to {}, not {}", kMostDrills, drills.count));
  if (options.seed_given) drills.seed = options.seed;
  drills.exercises = options.exercises;
  drills.solutions = library.root() / "drills";
  if (!fs::is_directory(drills.solutions))
    throw UserError(fmt::format(
        "drills are made of right programs, which the lessons in {} lack (a student's copy does): "
        "RANKSCOPE_LESSONS names others",
        escaped(library.root().string())));
  const fs::path folder = options.output.empty() ? "drills" : options.output;
  check_drill_folder(folder, options.force);
  const Interrupt interrupt;
  drills.boxes = code_boxes_options(options.no_sandbox);
  drills.boxes.interrupt_fd = interrupt.fd();
  ProgressLine progress(console);
  drills.on_progress = [&](int done, int all) {
    progress.show(fmt::format("{} of {} drills", done, all));
  };
  const DrillsMade made = make_drills(library, drills);
  progress.clear();
  if (made.interrupted) return kInterrupted;
  write_drills(folder, made.drills, library, drills.seed);
  if (console.json()) console.print_raw(json_text(drill_key_json(made.drills, drills.seed)));
  else
    console.print(
        fmt::format("{}{} written to {}: questions/ for students, key.md and key.json for you. "
                    "The same again: --seed {}.\n",
                    drills_text(made, drills.count), plural(made.drills.size(), "drill"),
                    folder.string(), drills.seed));
  return made.drills.empty() ? kFailed : kOk;
}

// ---- repair --------------------------------------------------------------------------------------

namespace {

/// A program to repair, and where it is.
struct Repair {
  const CodingExercise* exercise = nullptr;
  fs::path faulty;  ///< The program as given out.
  fs::path file;    ///< The copy in the working folder.
};

std::vector<std::string> repairs_of(const Lesson& lesson) {
  std::vector<std::string> out;
  for (const CodingExercise& one : lesson.coding)
    if (one.repair) out.push_back(one.id);
  return out;
}

Repair of_lesson(const LessonLibrary& library, const LessonOptions& options) {
  const Lesson& lesson = library.need(options.names[0]);
  const auto ids = repairs_of(lesson);
  const auto all = fmt::format("{}", fmt::join(ids, ", "));
  if (ids.empty())
    throw UserError(
        fmt::format("the lesson {} has no program to repair; find-the-bug has", lesson.slug));
  if (options.names.size() < 2)
    throw UserError(fmt::format("say which program of {} to repair: {}", lesson.slug, all));
  const CodingExercise* const found = lesson.find_coding(options.names[1]);
  if (found == nullptr || !found->repair)
    throw UserError(fmt::format("{} has no program \"{}\" to repair{}; there are: {}", lesson.slug,
                                options.names[1], nearest_hint(options.names[1], ids), all));
  const fs::path faulty = lesson.folder / found->starter;
  return {found, faulty, found->id + faulty.extension().string()};
}

Repair of_drill(const LessonLibrary& library, const fs::path& drill) {
  const std::string id = drill_exercise_of(drill);
  for (const Lesson& lesson : library.lessons())
    if (const CodingExercise* found = lesson.find_coding(id); found != nullptr && found->graded())
      return {found, drill, "repaired-" + drill.filename().string()};
  throw UserError(
      fmt::format("{} is not named as a drill of `rankscope lesson drills`, such as "
                  "01-my-broadcast.py",
                  drill.string()));
}

Repair repair_of(const LessonLibrary& library, const LessonOptions& options) {
  std::error_code error;
  if (options.names.size() == 1 && fs::is_regular_file(options.names[0], error))
    return of_drill(library, options.names[0]);
  return of_lesson(library, options);
}

/// The dialogue of `repair`: prints the contract, then edits and grades until the program is right.
class RepairSession {
 public:
  RepairSession(const Console& console, const LessonOptions& options, Repair repair)
      : console_(console), options_(options), repair_(std::move(repair)) {}

  /// Grades a file once.
  int judge(const fs::path& file) {
    if (!grade(file)) return kInterrupted;
    report();
    return is_right() ? kOk : kFailed;
  }

  int run() {
    copy();
    console_.print(fmt::format("{}\n\n", console_.out().bold(repair_.exercise->title)));
    say(markdown_plain(repair_.exercise->contract));
    say(fmt::format("Your copy is {}; the faulty program stays as it is.", repair_.file.string()));
    while (true) {
      edit();
      if (!grade(repair_.file)) {
        console_.note("Your copy is kept: " + repair_.file.string() + "\n");
        return kInterrupted;
      }
      report();
      if (is_right()) return kOk;
      if (!asks_for_more()) {
        console_.note(fmt::format("Your copy is kept: {}. The same command goes on with it.\n",
                                  repair_.file.string()));
        return kFailed;
      }
    }
  }

 private:
  void say(const std::string& words) const { console_.print(wrap(words, console_.width()) + "\n"); }
  bool is_right() const { return grade_.verdict.points >= grade_.verdict.most; }

  void copy() const {
    std::error_code error;
    const bool there = fs::exists(repair_.file, error);
    if (there && !options_.restart) {
      console_.note(
          fmt::format("{} is there already: you go on with it (--restart begins again).\n",
                      repair_.file.string()));
      return;
    }
    fs::copy_file(repair_.faulty, repair_.file, fs::copy_options::overwrite_existing, error);
    if (error)
      throw UserError(
          fmt::format("{} cannot be written: {}", repair_.file.string(), error.message()));
  }

  /// Starts the editor in a shell, because its command may have arguments (as git does).
  void edit() const {
    const char* command = std::getenv("VISUAL");
    if (command == nullptr || *command == '\0') command = std::getenv("EDITOR");
    if (command == nullptr || *command == '\0') command = "vi";
    std::string file = repair_.file.string();
    replace_all(file, "'", R"('\'')");
    // system() ignores Ctrl-C here while the editor is open.
    const int ended =
        std::system(fmt::format("{} '{}'", command, file).c_str());  // NOLINT: see above
    if (ended == 0) return;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127)
      throw UserError(
          fmt::format("there is no editor '{}': set EDITOR, or edit {} yourself and say "
                      "`rankscope lesson repair ... --file {}`",
                      command, repair_.file.string(), repair_.file.string()));
    throw UserError(fmt::format("the editor '{}' ended with an error: nothing was run; {} is kept",
                                command, repair_.file.string()));
  }

  /// Returns false when interrupted.
  bool grade(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error))
      throw UserError(fmt::format("{} is no file", file.string()));
    const ScratchFolder folder("repair");
    const auto cpp = cpp_contract(*repair_.exercise);
    const bool in_cpp = is_cpp(file.string()) && cpp;
    fs::copy_file(file, folder.path() / (in_cpp ? cpp->file : repair_.exercise->file), error);
    if (error)
      throw UserError(fmt::format("{} cannot be read: {}", file.string(), error.message()));
    const Interrupt interrupt;
    ProgressLine progress(console_);
    CodeGraderOptions grader;
    grader.boxes = code_boxes_options(options_.no_sandbox);
    grader.boxes.submission = folder.path();
    grader.boxes.interrupt_fd = interrupt.fd();
    if (options_.seed_given) grader.seed = options_.seed;
    grader.on_progress = [&](int done, int all) {
      progress.show(fmt::format("{}: run {} of {}", repair_.exercise->id, done + 1, all));
    };
    grade_ = grade_code(*repair_.exercise, grader);
    return !grade_.interrupted;
  }

  const RuleVerdict* first_finding() const { return root_cause(*repair_.exercise, grade_.verdict); }

  /// Shows only the first finding, because the others may follow from it.
  void report() const {
    if (is_right()) {
      console_.print(fmt::format("Repaired: all {} right, {}.\n", plural(grade_.runs.size(), "run"),
                                 points_text(grade_.verdict.points)));
      return;
    }
    std::string words = grade_.diagnostics;
    if (const RuleVerdict* rule = first_finding(); words.empty() && rule != nullptr) {
      words = rule->says;
      if (rule->first < grade_.verdict.cases.size())
        words = fmt::format("with {}: {}", grade_.verdict.cases[rule->first], words);
    }
    if (words.empty()) words = grade_.trouble;
    say(fmt::format("Not yet. First finding, {}", escaped(words)));
  }

  /// Returns false for "q" and at the end of the input.
  bool asks_for_more() {
    while (true) {
      std::cout << "[Enter] edit again, h: a hint, r: the whole report, q: quit > " << std::flush;
      std::string line;
      if (!std::getline(std::cin, line) || line == "q" || line == "quit") return false;
      if (line.empty()) return true;
      if (line == "h" || line == "hint") hint();
      else if (line == "r" || line == "report")
        console_.print(grade_text(*repair_.exercise, grade_) + "\n");
      else console_.print("Type Enter, h, r or q.\n");
    }
  }

  /// Shows the next hint: the author's first, then those that follow from the runs.
  void hint() {
    std::vector<std::string> hints = repair_.exercise->hints;
    if (const RuleVerdict* rule = first_finding(); rule != nullptr) {
      const auto of_several = [&](std::size_t run) { return grade_.runs.at(run).ranks > 1; };
      const auto kept = ranges::find_if(rule->kept_in, of_several);
      if (kept != rule->kept_in.end() && !rule->broken_in.empty())
        hints.push_back(fmt::format("It is right with {}, and not with {}. What is different?",
                                    grade_.verdict.cases.at(*kept),
                                    grade_.verdict.cases.at(rule->broken_in.front())));
      if (!rule->site.empty())
        hints.push_back(fmt::format("It shows at {}. What brought it there?", rule->site));
    }
    say(hints_ < hints.size() ? hints[hints_++] : std::string("There are no more hints."));
  }

  const Console& console_;
  const LessonOptions& options_;
  const Repair repair_;
  CodeGrade grade_;
  std::size_t hints_ = 0;
};

}  // namespace

int repair_program(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  RepairSession session(console, options, repair_of(library, options));
  if (!options.file.empty()) return session.judge(options.file);
  if (!console.in_is_terminal())
    throw UserError("without a terminal there is no editor: say which file to judge with --file");
  return session.run();
}

}  // namespace rankscope::cli
