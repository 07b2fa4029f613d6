// `rankscope exercise`: a student's program for a code exercise, run in boxes and graded.
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <shared_mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/program/explore_report.h"
#include "cli/program/program_files.h"
#include "cli/program/smallest_question.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "lessons/coding/explorer.h"
#include "lessons/coding/grader.h"
#include "lessons/course/read_lesson.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string exercise, submission, trace, keep_traces, seed, timeout = "10";
  std::string smallest;
  OptionHandle timeout_option;
  bool from_traces = false;
  bool no_sandbox = false, ask = false, no_ask = false;
  ExploreOptions orders;
  bool for_parent =
      false;  ///< Started by another program, which reads the progress; this one ends with it.
  bool as_class = false;  ///< Shares resources as the programs of a class do; for tests.
};

int explore_it(const Console& console, const Options& options, const CodingExercise& exercise,
               const CodeGraderOptions& grader) {
  CodeExplorer explorer(exercise, {grader.boxes, grader.run_timeout_s});
  Explored explored;
  explored.again = [&](const std::string& orders) {
    return fmt::format("rankscope exercise {} {} {}", exercise.id, options.submission, orders);
  };
  explored.name_of = [&](std::uint32_t which) { return explorer.name_of(which); };
  if (!options.trace.empty())
    explored.file = (fs::path(options.trace) / (exercise.id + "-order.rankscope")).string();
  ExploreOptions orders = options.orders;
  orders.seed = options.seed;
  explore::ExploreSettings settings;
  settings.ranks = explorer.ranks();
  settings.order = explorer.order();
  settings.restart = [&] { explorer.restart(); };
  return run_exploration(console, orders, explored, std::move(settings),
                         [&](std::uint32_t which, explore::InterleavingOrder& order) {
                           return explorer.run(which, order);
                         });
}

/// Reports progress to the process that started this one, and ends with it.
void serve_parent(CodeGraderOptions& grader) {
  end_with_parent();
  grader.on_progress = [](int done, int all) {
    std::fputs(fmt::format("{} of {}\n", done, all).c_str(), stderr);
    std::fflush(stderr);
  };
}

double seconds_of(const std::string& smallest) {
  return static_cast<double>(parse_integer(smallest, "--smallest", 0, 3600));
}

/// Looks for the smallest run that fails, in a terminal or on request, since it starts the program's ranks once more.
std::optional<AskedRun> smallest_of(const Console& console, const Options& options,
                                    const CodingExercise& exercise, const CodeGraderOptions& grader,
                                    const CodeGrade& grade, ProgressLine& progress) {
  const bool wanted = !options.smallest.empty() || options.ask ||
                      (console.in_is_terminal() && !console.json() && !options.for_parent);
  if (!wanted || grade.interrupted || grade.verdict.points >= grade.verdict.most)
    return std::nullopt;
  SmallestOptions search;
  search.boxes = grader.boxes;
  if (!options.smallest.empty()) search.most_seconds = seconds_of(options.smallest);
  if (search.most_seconds <= 0) return std::nullopt;
  progress.show(fmt::format("{}: looking for the smallest run that fails", exercise.id));
  return asked_run(exercise, grade, search);
}

json json_of(const CodingExercise& exercise, const CodeGrade& grade,
             const std::optional<AskedRun>& smallest) {
  json out = to_json(exercise, grade.verdict);
  out["exercise"] = exercise.id;
  out["trouble"] = grade.trouble;
  out["diagnostics"] = grade.diagnostics;
  out["seed"] = grade.seed;
  out["trace"] = grade.trace.string();
  if (grade.trace_event != kNoEvent) out["trace_event"] = grade.trace_event;
  if (smallest) out["smallest"] = to_json(exercise, smallest->run, smallest->question);
  return out;
}

void print_grade(const Console& console, const CodingExercise& exercise, const CodeGrade& grade) {
  console.print(grade_text(exercise, grade) + "\n");
  if (grade.trace.empty()) return;
  console.print(
      fmt::format("{}: rankscope-gui {}\n",
                  grade.trace_event != kNoEvent ? "Open it where it goes wrong" : "Look at the run",
                  grade.trace.string()));
}

int judge_kept(const Console& console, const Options& options, const CodingExercise& exercise) {
  if (!options.trace.empty() || !options.keep_traces.empty() || !options.seed.empty() ||
      !options.smallest.empty() || options.timeout_option.count() > 0 || options.ask ||
      options.no_ask || options.no_sandbox || options.as_class || options.orders.asked())
    throw UserError("--from-traces runs nothing: it takes no other option");
  const CodeGrade grade = grade_kept(exercise, options.submission);
  if (console.json()) console.print_raw(json_text(json_of(exercise, grade, std::nullopt)));
  else print_grade(console, exercise, grade);
  return grade.verdict.points >= grade.verdict.most ? kOk : kFailed;
}

int run(const Console& console, const Options& options) {
  const LessonLibrary library(lessons_folder());
  const CodingExercise& asked = exercise_named(library, options.exercise);
  if (options.from_traces) return judge_kept(console, options, asked);
  const Submission submission(options.submission, asked);
  const CodingExercise* const exercise = &submission.exercise();
  const Interrupt interrupt;
  ProgressLine progress(console);
  CodeGraderOptions grader;
  grader.boxes = code_boxes_options(options.no_sandbox);
  if (options.no_sandbox) console.note(box_warning());
  if (options.as_class) share_for_class(grader.boxes);
  grader.boxes.submission = submission.folder();
  grader.boxes.interrupt_fd = interrupt.fd();
  grader.run_timeout_s = static_cast<double>(parse_integer(options.timeout, "--timeout", 1, 3600));
  if (!options.smallest.empty()) seconds_of(options.smallest);  // refuses a wrong value at once
  if (options.orders.asked()) return explore_it(console, options, *exercise, grader);
  if (!options.seed.empty())
    grader.seed = static_cast<std::uint64_t>(
        parse_integer(options.seed, "--seed", 0, std::numeric_limits<std::int64_t>::max()));
  if (!options.trace.empty()) grader.traces = options.trace;
  grader.keep = options.keep_traces;
  grader.on_progress = [&](int done, int all) {
    progress.show(fmt::format("{}: run {} of {}", exercise->id, done + 1, all));
  };
  if (options.for_parent) serve_parent(grader);
  std::shared_mutex alone;
  FairGrade fair = grade_fairly(*exercise, grader, alone);
  CodeGrade& grade = fair.grade;
  const auto smallest = smallest_of(console, options, *exercise, grader, grade, progress);
  progress.clear();
  if (grade.interrupted) return kInterrupted;
  if (!fair.unsure.empty() && options.for_parent) throw UserError(fair.unsure);
  if (!fair.unsure.empty()) console.note(fair.unsure + ".");
  if (smallest && !options.trace.empty()) {
    const auto kept =
        keep_smallest_run(*exercise, smallest->run, submission.folder(), options.trace);
    if (!kept.empty()) {
      grade.trace = kept;
      grade.trace_event = smallest->run.event;
    }
  }
  if (console.json()) {
    console.print_raw(json_text(json_of(*exercise, grade, smallest)));
  } else {
    if (smallest)
      show_and_ask(console, *exercise, *smallest,
                   !options.no_ask && (options.ask || console.in_is_terminal()));
    print_grade(console, *exercise, grade);
  }
  return grade.verdict.points >= grade.verdict.most ? kOk : kFailed;
}

Action define_exercise(OptionList app) {
  const auto options = std::make_shared<Options>();
  app.add_option("EXERCISE", "EXERCISE", options->exercise, "Its id, as \"my-broadcast\"")
      .required();
  app.add_option(
         "PROGRAM", "FILE", options->submission,
         "The file, or the folder that holds it; with --from-traces, the folder of its runs")
      .required();
  app.add_option(
      "--trace", "FOLDER", options->trace,
      "Folder for the first run that breaks a rule, or that fails in the shortest order, to be "
      "opened in the application");
  app.add_option("--keep-traces", "FOLDER", options->keep_traces,
                 "Folder for the traces of all runs, which --from-traces judges again");
  app.add_flag("--from-traces", options->from_traces,
               "Run nothing: FILE is a folder of runs that --keep-traces kept; judge these");
  app.add_option(
      "--seed", "NUMBER", options->seed,
      "Seed of the inputs; by default random, so that no program can know them. With --explore: "
      "seed of the first order (default 1)");
  options->timeout_option =
      app.add_option("--timeout", "SECONDS", options->timeout, "Time limit of one run, in seconds")
          .capture_default_str();
  app.add_option(
      "--explore", "ORDERS", options->orders.explore,
      "Do not grade: run in this many orders in which its messages may arrive, and shorten one "
      "that fails to what matters");
  app.add_option("--replay", "SEED|SCHEDULE", options->orders.replay,
                 "Run once, in the order of this seed or schedule, as --explore prints them");
  app.add_option("--smallest", "SECONDS", options->smallest,
                 "If the program fails, search at most this long for the smallest run that still "
                 "fails, show it first, and keep it in --trace FOLDER; 0: do not. In a terminal "
                 "30, else only when it is given");
  app.add_flag("--ask", options->ask,
               "Ask one question about that run before the mistake is said (usual in a terminal)");
  app.add_flag("--no-ask", options->no_ask,
               "Show that run and its question, and wait for no answer");
  app.add_flag("--no-sandbox", options->no_sandbox,
               "Run the program with your rights, as if you had started it yourself");
  app.in_group("").add_flag("--for-parent", options->for_parent,
                            "Started by the application: report progress to it, and end with it");
  app.in_group("").add_flag("--as-class", options->as_class,
                            "Load libraries and compile headers beforehand, as for a class");
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace

constinit const CommandEntry kExerciseCommand{
    .name = "exercise",
    .group = kTeaching,
    .summary = "run and grade a program for a code exercise",
    .details =
        "Calls the program's function as the exercise says, on several numbers of ranks, each rank "
        "in a box, and judges the messages and the results rule by rule, with the first step that "
        "goes wrong. The program sees nothing of this computer but the libraries that it needs. In "
        "a terminal, a program that fails is first shown in the smallest run in which it still "
        "does, with a question about it (--no-ask, --smallest 0).",
    .examples =
        "rankscope exercise my-broadcast my_broadcast.py  # a file\n"
        "rankscope exercise ring-allreduce homework/ --trace runs/  # a folder; keep the run that "
        "fails\n"
        "rankscope exercise ring-allreduce ring.py --ask  # first the smallest run that fails, "
        "with a question\n"
        "rankscope exercise my-allgather my_allgather.py --explore 100  # in other orders of its "
        "messages\n"
        "rankscope exercise my-allgather my_allgather.py --replay 17  # the order of seed 17 "
        "again\n"
        "rankscope exercise my-broadcast my_broadcast.py --keep-traces runs/  # keep all runs\n"
        "rankscope exercise my-broadcast runs/ --from-traces  # judge them again, without running "
        "anything",
    .define = define_exercise,
};

}  // namespace rankscope::cli
