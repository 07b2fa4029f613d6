// `rankscope grade`: the answer files of a class, checked, with reports and a gradebook.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/grade/grade_alike.h"
#include "cli/grade/grade_batch.h"
#include "cli/grade/grade_class.h"
#include "cli/grade/grade_code.h"
#include "cli/grade/marking_page.h"
#include "cli/interrupt.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/box/support.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/run/job/transports.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/gradebook.h"
#include "lessons/reports/statistics.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

/// The number of submissions graded, their mean, and the open marks; `folder` has the results.
std::string class_text(const Console& console, const GradeBatch& batch, const std::string& folder) {
  const auto& rows = batch.rows();
  double sum = 0, open = 0;
  std::size_t with_remarks = 0;
  for (const GradebookRow& row : rows) {
    sum += row.most > 0 ? row.points / row.most : 0;
    open += row.open;
    with_remarks += !row.complaints.empty();
  }
  std::string out;
  constexpr std::size_t kMostShown = 20;
  std::size_t shown = 0;
  for (const GradebookRow& row : rows)
    for (const std::string& one : row.complaints)
      if (shown++ < kMostShown)
        out += fmt::format("{} {}: {}\n", console.out().warning("!"), row.student, one);
  if (shown > kMostShown) out += fmt::format("... and {} more lines\n", shown - kMostShown);
  out += fmt::format("{} graded{}: {:.0f} % of the points on average",
                     plural(rows.size(), "submission"), batch.kept_text(),
                     rows.empty() ? 0.0 : 100 * sum / static_cast<double>(rows.size()));
  if (with_remarks > 0) out += fmt::format(", {} with remarks", with_remarks);
  if (open > 0) out += fmt::format(", {} points to be marked by hand", number_text(open));
  return out + fmt::format(".\nResults are in {}.\n", escaped(folder));
}

/// Returns the grading's summary with each student's results, as JSON; `lines` are the remarks on the batch.
nlohmann::json class_json(const Course& course, const GradeBatch& batch,
                          const std::vector<std::string>& lines, const std::string& out) {
  nlohmann::json students = nlohmann::json::array();
  for (const GradebookRow& row : batch.rows())
    students.push_back({{"student", row.student},
                        {"folder", row.id},
                        {"submission", row.submission},
                        {"points", row.points},
                        {"of", row.most},
                        {"open_by_hand", row.open},
                        {"remarks", row.complaints}});
  return {{"course", course.slug},
          {"out", out},
          {"students", students},
          {"kept", batch.kept()},
          {"programs_kept", batch.programs_kept()},
          {"remarks", lines},
          {"failures", batch.failures()}};
}

/// The gradebooks for other systems that --gradebook names. Throws UserError.
std::vector<const GradebookForm*> forms_of(const std::string& list) {
  std::vector<std::string> known;
  for (const GradebookForm& form : gradebook_forms()) known.emplace_back(form.name);
  std::vector<const GradebookForm*> out;
  for (const auto part : split_at(list, ",")) {
    if (part.empty()) continue;
    const auto found = ranges::find(gradebook_forms(), part, &GradebookForm::name);
    if (found == gradebook_forms().end())
      throw UserError(fmt::format("--gradebook: '{}' is none of {}", part, fmt::join(known, ", ")));
    out.push_back(&*found);
  }
  return out;
}

struct GradeOptions {
  std::string course, out, marks, roster, gradebook,
      format = has_cairo() ? "results,junit,html,pdf,csv" : "results,junit,html,csv";
  std::vector<std::string> submissions;
  std::uint64_t seed = 0;
  int jobs = 0;
  bool brief = false, code = false, no_sandbox = false, again = false, alike = false;
  std::string smallest, keep_traces, from_traces, shard, results;
  bool merge = false, marking = false;
  double alike_share = 100 * AlikeOptions().share;
  int alike_words = static_cast<int>(AlikeOptions().tokens);
  OptionHandle seed_option;
  ClassOptions of_class;
};

/// Complaints as lines for the class's page and the terminal.
std::vector<std::string> lines_of(const Complaints& complaints) {
  std::vector<std::string> out;
  for (const Complaint& one : complaints.all()) out.push_back(one.to_string());
  return out;
}

void need_whole_lessons(const CourseGrader& grader, const LessonLibrary& library,
                        const Console& console) {
  for (const CourseEntry& entry : grader.entries())
    if (entry.lesson != nullptr && entry.lesson->student_copy)
      throw UserError(
          fmt::format("the lesson '{}' is a student's copy without answers; grade with the whole "
                      "lessons (RANKSCOPE_LESSONS names their folder)",
                      entry.lesson->slug));
  if (!library.complaints().empty())
    console.note("Some lessons have mistakes: `rankscope lesson check` shows them.\n");
}

fs::path marks_file(const GradeOptions& options) {
  return options.marks.empty() ? fs::path(options.out) / "marks.toml" : fs::path(options.marks);
}

Marks read_marks(const GradeOptions& options, const Course& course, const LessonLibrary& library,
                 Complaints& complaints) {
  const fs::path file = marks_file(options);
  std::error_code error;
  if (options.marks.empty()) {
    if (!fs::exists(file, error)) return {};
  } else if (!fs::exists(file, error)) {
    throw UserError(fmt::format("--marks: there is no file {}", escaped(options.marks)));
  }
  return Marks(file, course, library, complaints);
}

/// Complains about marks for unknown students; those graded before, outside this batch, are known.
void check_marks(const Marks& marks, const std::vector<SubmissionHead>& heads,
                 const GradeBatch::Settings& settings, Complaints& complaints) {
  std::vector<std::string> students;
  for (const SubmissionHead& head : heads) students.push_back(head.id);
  for (const auto& [id, name] : settings.hidden) students.push_back(name);
  std::error_code error;
  for (auto it = fs::directory_iterator(settings.out, error);
       !error && it != fs::directory_iterator(); it.increment(error))
    if (it->is_directory(error)) students.push_back(it->path().filename().string());
  marks.check_students(students, shared_names(heads), complaints);
}

/// Throws UserError when a file could not be written.
void write_class(const std::vector<GradebookRow>& rows, const CourseGrader& grader,
                 const std::vector<std::string>& lines, const GradeBatch::Settings& settings) {
  std::vector<GradebookRow> submissions;  // a team has one, and a row for each member
  std::set<std::string> ids;
  for (const GradebookRow& row : rows)
    if (ids.insert(row.id).second) submissions.push_back(row);
  const auto statistics = item_statistics(submissions, grader.entries());
  if (settings.formats.contains("csv")) {
    write_result(settings.out, "gradebook.csv",
                 gradebook_csv(rows, grader.entries(), settings.rules));
    write_result(settings.out, "statistics.csv", statistics_csv(statistics));
  }
  if (settings.formats.contains("html")) {
    write_result(settings.out, "class.html",
                 class_html(rows, grader.entries(), grader.course(), lines));
    write_result(settings.out, "statistics.html",
                 statistics_html(statistics, grader.course(), rows.size()));
  }
}

AlikeOptions alike_options(const GradeOptions& options) {
  if (!(options.alike_share > 0 && options.alike_share <= 100))
    throw UserError("--alike-share: a number of percent, above 0 and at most 100");
  if (options.alike_words < 1) throw UserError("--alike-words: a number from 1");
  AlikeOptions out;
  out.share = options.alike_share / 100;
  out.tokens = static_cast<std::size_t>(options.alike_words);
  return out;
}

/// Makes the folder of the results. Returns false when it cannot be made.
bool make_out(const Console& console, const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (fs::is_directory(out)) return true;
  fmt::print(stderr, "{} cannot make the folder {}: {}. Choose another place with --out.\n",
             console.err().bad("rankscope: error:"), escaped(out.string()),
             error ? error.message() : "a file has this name");
  return false;
}

int report_stop(const Console& console, std::size_t done, std::size_t all) {
  console.note(fmt::format("Stopped: {} of {} are graded. The same command goes on from there.\n",
                           done, all));
  return kInterrupted;
}

void check_found(const SubmissionList& found, const std::vector<std::string>& lines,
                 const GradeOptions& options) {
  std::error_code error;
  const bool some = ranges::any_of(options.submissions,
                                   [&](const auto& path) { return fs::exists(path, error); });
  if (found.all.empty() || !some)
    throw UserError(fmt::format("there are no submissions in {}{}",
                                escaped(fmt::format("{}", fmt::join(options.submissions, ", "))),
                                lines.empty() ? "" : ": " + lines.front()));
}

GradeBatch::Settings settings_of(const GradeOptions& options) {
  GradeBatch::Settings settings;
  settings.formats = formats_of(options.format);
  settings.out = options.out;
  settings.brief = options.brief;
  settings.merge = options.merge;
  settings.program =
      program_hash() + (options.smallest.empty() ? "" : " smallest " + options.smallest);
  // An earlier result has no runs for --keep-traces, and does not follow from those of --from-traces.
  settings.again = options.again || !options.keep_traces.empty() || !options.from_traces.empty();
  if (options.seed_option.count() > 0) settings.seed = options.seed;
  settings.jobs = options.jobs > 0
                      ? options.jobs
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (options.out.empty()) throw UserError("--out: the name of the folder is empty");
  if (options.jobs < 0) throw UserError("--jobs: a number of threads, from 1");
  return settings;
}

/// A class before anybody is graded.
struct ClassToGrade {
  std::vector<SubmissionHead> heads;
  Marks marks;
  Complaints wrong_marks;
  std::vector<GradebookRow> earlier;  ///< Students who are not in this batch.
  std::vector<std::string> lines;     ///< Remarks on the batch.
  Roster roster;
  bool hidden = false;  ///< Whether names are hidden.
};

/// Names the submissions' folders beside the earlier results, which become rows, and checks the marks.
void name_class(const CourseGrader& grader, const std::string& only, const std::string& key,
                GradeBatch::Settings& settings, ClassToGrade& to) {
  const std::vector<EarlierResults> earlier = earlier_results(settings.out, settings.key);
  name_heads(to.heads, taken_folders(earlier));
  if (!settings.rules.rules().counts.empty()) drop_question_of_which(to.heads);
  if (!only.empty()) {
    keep_only(to.heads, only, settings.rules);
    settings.again = true;
  }
  if (!to.hidden && !key.empty()) settings.hidden = hidden_names(to.heads, key, settings.rules);
  to.earlier = earlier_rows(earlier, to.heads, grader, to.lines);
  check_marks(to.marks, to.heads, settings, to.wrong_marks);
  for (std::string& line : lines_of(to.wrong_marks)) to.lines.push_back(std::move(line));
}

/// Finds out the submissions' hand-in times, names and seeds, and the earlier results.
void know_class(const Console& console, const GradeOptions& options, const LessonLibrary& library,
                const CourseGrader& grader, GradeBatch::Settings& settings, ClassToGrade& all) {
  correct_students(all.heads, all.roster, all.marks);
  settings.rules = ClassRules(grader.course().hand_in, all.roster);
  note_times(options.of_class, settings.rules, all.heads, all.lines);
  const std::string key = key_of_names(settings.out, options.marks, all.hidden);
  if (all.hidden) {
    for (const std::string& line : all.lines) console.note(line + "\n");
    all.lines.clear();
    hide_names(all.heads, key, settings.rules);
  }
  name_class(grader, options.of_class.only, key, settings, all);
  if (!settings.seed)
    settings.seeds = personal_seeds(options.of_class, library.course_file(options.course),
                                    all.roster, all.heads, all.lines);
}

/// Says how to go on once a shard is graded.
int report_shard(const Console& console, const GradeOptions& options, const CourseGrader& grader,
                 const GradeBatch& batch, const std::vector<std::string>& lines) {
  if (console.json()) {
    console.print_raw(json_text(class_json(grader.course(), batch, lines, options.out)) + "\n");
  } else {
    console.print(class_text(console, batch, options.out));
    console.print("This was shard " + options.shard +
                  ". When all are graded, the same command with --merge instead of --shard writes "
                  "gradebook and class page.\n");
  }
  return batch.failures().empty() ? kOk : kFailed;
}

/// Names what no shard has graded, and writes nothing of the class.
int report_missing(const Console& console, const GradeBatch& batch) {
  for (const std::string& one : batch.failures())
    fmt::print(stderr, "{} {}\n", console.err().bad("rankscope: error:"), one);
  for (const std::string& one : batch.remarks())
    fmt::print(stderr,
               "{}; shards and --merge need the same secret: give each the same --seal FILE\n",
               one);
  return kFailed;
}

int report_class(const Console& console, const GradeOptions& options, const CourseGrader& grader,
                 const GradeBatch& batch, ClassToGrade& all, const GradeBatch::Settings& settings) {
  std::ranges::move(batch.remarks(), std::back_inserter(all.lines));
  std::vector<GradebookRow> rows = batch.rows();
  rows.insert(rows.end(), all.earlier.begin(), all.earlier.end());
  rows = settings.rules.counting(std::move(rows), all.lines);
  if (!all.hidden) rows = settings.rules.with_teams(std::move(rows), all.lines);
  if (!all.hidden && (!options.gradebook.empty() || !all.roster.empty()))
    for (std::string& line : gradebook_remarks(rows, grader.entries(), all.roster))
      all.lines.push_back(std::move(line));
  for (std::string& line : unused_bulk_comments(all.marks, rows, grader.entries()))
    all.lines.push_back(std::move(line));
  bool written = true;
  const auto attempt = [&](const std::function<void()>& write) {
    try {
      write();
    } catch (const UserError& error) {
      fmt::print(stderr, "{} {}\n", console.err().bad("rankscope: error:"), error.what());
      written = false;
    }
  };
  attempt([&] { write_class(rows, grader, all.lines, settings); });
  attempt([&] {
    for (const GradebookForm* form : forms_of(options.gradebook))
      write_result(options.out, fmt::format("gradebook-{}.csv", form->name),
                   form->write(rows, grader.entries(), grader.course(), all.roster));
  });
  if (options.marking) {
    constexpr std::uintmax_t kMostMarks = std::uintmax_t{16} << 20;
    std::string fault;
    write_result(settings.out, kMarkingPage,
                 marking_page(grader, all.heads, all.marks,
                              read_whole(marks_file(options), kMostMarks, fault)));
  }
  std::vector<AlikeExercise> alike;
  if (options.alike) {
    alike = alike_exercises(grader, all.heads, alike_options(options));
    attempt(
        [&] { write_result(settings.out, kAlikePage, alike_html(alike, grader.course().title)); });
  }
  if (console.json()) {
    nlohmann::json out = class_json(grader.course(), batch, all.lines, options.out);
    if (options.alike) out["alike"] = alike_json(alike);
    console.print_raw(json_text(out) + "\n");
  } else {
    for (const std::string& line : all.lines)
      console.print(fmt::format("{} {}\n", console.out().warning("!"), line));
    console.print(class_text(console, batch, options.out));
    if (options.alike) console.print("\n" + alike_text(console, alike, settings.out / kAlikePage));
  }
  if (!written || !batch.failures().empty()) return kFailed;
  return all.wrong_marks.empty() ? kOk : kBadInput;
}

/// Shows how many are graded, and how long the rest will take.
std::function<void(std::size_t, std::size_t)> graded_progress(ProgressLine& progress) {
  return [&progress, began = Clock::now(), last = std::size_t{0}, last_s = 0.0](
             std::size_t done, std::size_t of) mutable {
    const auto took = std::chrono::duration<double>(Clock::now() - began).count();
    if (done != last) last_s = took;
    last = done;
    progress.show(
        fmt::format("{} of {} graded{}", done, of, time_left_text(done, of, took, last_s)));
  };
}

/// Sets how the programs of code exercises are graded, if they are.
void prepare_code(const Console& console, const GradeOptions& options,
                  const GradeBatch::Settings& settings, const Interrupt& interrupt,
                  CourseGrader& grader) {
  if (!options.code) {
    if (options.no_sandbox || !options.smallest.empty())
      throw UserError("--no-sandbox and --smallest are about programs: give --code, too");
    if (!options.keep_traces.empty() || !options.from_traces.empty())
      throw UserError("--keep-traces and --from-traces are about programs: give --code, too");
    return;
  }
  if (!options.from_traces.empty()) {
    if (options.no_sandbox || !options.smallest.empty() || !options.keep_traces.empty())
      throw UserError(
          "--from-traces runs nothing: leave --keep-traces, --no-sandbox and --smallest out");
    if (!fs::is_directory(options.from_traces))
      throw UserError(
          fmt::format("--from-traces: there is no folder {}", escaped(options.from_traces)));
    return grader.grade_code_by(code_judge(options.from_traces));
  }
  if (options.merge)
    return grader.grade_code_by(
        [](auto&&...) -> CodeItem { throw UserError("--merge runs nothing"); });
  if (options.no_sandbox) console.note(box_warning());
  const auto smallest =
      options.smallest.empty() ? 0 : parse_integer(options.smallest, "--smallest", 0, 3600);
  const GradeCodeOptions how{options.no_sandbox,
                             grader.course().hand_in.without_boxes == "other-user", interrupt.fd(),
                             static_cast<double>(smallest), options.keep_traces};
  std::string remark;
  GradeCode grade = code_grader(how, remark);
  if (!remark.empty()) console.note(remark);
  grader.grade_code_by(std::move(grade), code_tools(how, settings.program), remark);
}

int run_grade(const Console& console, const GradeOptions& options) {
  const Interrupt interrupt;  // before anything that takes time
  const auto began = Clock::now();
  const std::optional<Shard> shard = shard_of(options.shard);
  if (shard && (options.merge || options.alike))
    throw UserError("--shard grades a part of the class: --merge and --alike come afterwards");
  GradeBatch::Settings settings = settings_of(options);
  const LessonLibrary library(lessons_folder());
  const Course course = library.course(options.course);
  // Wrong values of options are reported before anything that takes time.
  forms_of(options.gradebook);
  alike_options(options);
  ClassToGrade all;
  all.hidden = names_hidden(options.of_class, course, options.gradebook);
  CourseGrader grader(library, course);
  need_whole_lessons(grader, library, console);
  prepare_code(console, options, settings, interrupt, grader);
  check_out(settings.out, options.submissions);
  // Programs alone are a submission where they are run, compared, or may have been run before.
  const bool programs = options.code || options.alike || fs::is_directory(settings.out);
  SubmissionList found =
      find_submissions(options.submissions, settings.out,
                       programs ? program_names(library, course) : std::set<std::string>());
  if (!options.roster.empty()) all.roster = Roster(options.roster);
  all.lines = lines_of(all.roster.complaints());
  std::ranges::move(lines_of(found.complaints), std::back_inserter(all.lines));
  check_found(found, all.lines, options);
  all.marks = read_marks(options, course, library, all.wrong_marks);
  if (!make_out(console, settings.out)) return kFailed;

  ProgressLine progress(console);
  const std::size_t count = found.all.size();
  settings.stop = [&] { return interrupt.happened(); };
  all.heads = read_heads(std::move(found.all), [&](std::size_t done) {
    if (done % 16 == 0) progress.show(fmt::format("{} of {} read", done, count));
    return !interrupt.happened();
  });
  if (all.heads.size() < count) {
    progress.clear();
    return report_stop(console, 0, count);
  }
  settings.key = key_of_results(options.of_class, library.course_file(options.course), all.lines);
  know_class(console, options, library, grader, settings, all);
  if (shard) shard->keep_own(all.heads);
  settings.progress = graded_progress(progress);
  GradeBatch batch(grader, all.marks, settings);
  batch.run(all.heads);
  progress.clear();
  if (batch.stopped()) {
    const auto done = ranges::count_if(batch.rows(), [](auto& row) { return !row.id.empty(); });
    return report_stop(console, static_cast<std::size_t>(done), all.heads.size());
  }
  if (!options.results.empty())
    batch.write_for_gradescope(options.results,
                               std::chrono::duration<double>(Clock::now() - began).count());
  if (shard) return report_shard(console, options, grader, batch, all.lines);
  if (options.merge && !batch.failures().empty()) return report_missing(console, batch);
  return report_class(console, options, grader, batch, all, settings);
}

Action define_grade(OptionList app) {
  const auto options = std::make_shared<GradeOptions>();
  app.add_option("COURSE", "COURSE", options->course, "A course's name or file").required();
  app.add_option(
         "SUBMISSION", "SUBMISSION", options->submissions,
         "Folders, zip files and answer files; in a folder, each file and sub-folder is one")
      .required();
  app.add_option("-o,--out,--output", "DIR", options->out, "Where all results go").required();
  app.add_option("--marks", "FILE", options->marks,
                 "A TA's points, overrides and comments; default: DIR/marks.toml");
  app.add_option("--gradebook", "LIST", options->gradebook,
                 "Also DIR/gradebook-NAME.csv for canvas, moodle, gradescope (names with commas "
                 "between them)");
  app.add_option("--roster", "FILE", options->roster,
                 "The class as CSV: student numbers and e-mail addresses for --gradebook");
  add_class_options(app, options->of_class);
  app.add_option("--format", "LIST", options->format, "Which files, separated by commas")
      .capture_default_str();
  options->seed_option =
      app.add_option("--seed", "N", options->seed,
                     "Use the numbers of this seed instead of the answer files'; 0: as printed");
  app.add_option("-j,--jobs", "N", options->jobs, "Threads; default: one for each processor");
  app.add_flag("--code", options->code,
               "Run the programs of code exercises, too, each rank in a box of its own");
  app.add_option(
      "--smallest", "SECONDS", options->smallest,
      "With --code: show the smallest run in which a wrong program fails, and a question; "
      "search for at most this long");
  app.add_option("--keep-traces", "FOLDER", options->keep_traces,
                 "With --code: keep the traces of all runs, in FOLDER/STUDENT/EXERCISE");
  app.add_option("--from-traces", "FOLDER", options->from_traces,
                 "With --code: run nothing, and judge the runs that --keep-traces FOLDER kept, as "
                 "after a change of the rules");
  app.add_flag("--no-sandbox", options->no_sandbox,
               "Run them with your rights, as if you had started them yourself");
  app.add_flag(
      "--alike", options->alike,
      "Also DIR/alike.html: pairs of programs that are too alike, side by side; a list to look "
      "at, never a verdict");
  app.add_option("--alike-share", "PERCENT", options->alike_share,
                 "Least shared part of a program for a pair to be listed, in percent")
      .capture_default_str();
  app.add_option("--alike-words", "N", options->alike_words,
                 "Words and signs that two programs have in common, at least")
      .capture_default_str();
  app.add_flag("--marking", options->marking,
               "Also DIR/marking.html: a page for marking written answers with the keyboard; it "
               "writes marks.toml");
  app.add_flag("--again", options->again,
               "Grade everything again, and run programs whose results are in DIR already");
  app.add_option("--shard", "I/N", options->shard,
                 "Grade part I of N alone, on this machine; then --merge");
  app.add_flag("--merge", options->merge,
               "Grade nothing: gradebook and class page of what all shards have graded into DIR");
  app.add_option("--results", "FILE", options->results,
                 "Also the results.json of the only submission, with the time that it took, as "
                 "Gradescope reads it");
  app.add_flag(
      "--brief", options->brief,
      "Reports without explanations and pictures: nothing in them gives a right answer away");
  return [options](const Console& console) { return run_grade(console, *options); };
}

}  // namespace

constinit const CommandEntry kGradeCommand{
    .name = "grade",
    .group = kTeaching,
    .summary = "grade a class: answers and programs",
    .details =
        "Submissions are folders, zip files, single answer files (TOML or JSON) and notebooks. "
        "Each student gets results.json (Gradescope), junit.xml, report.html and report.pdf in a "
        "folder of DIR; the class gets gradebook.csv, class.html and statistics.html (difficulty "
        "and discrimination of each question, frequent mistakes; also as CSV). An unreadable "
        "submission gets 0 and a line that says why; the rest are graded. Written answers wait "
        "for a TA, whose points are in DIR/marks.toml and survive every grading. Unchanged "
        "submissions keep their results, so an interrupted batch continues where it stopped.",
    .examples =
        "rankscope grade homework submissions/ --out graded  # a folder of a class\n"
        "rankscope grade homework class.zip late/anna.toml --out graded  # with a late submission\n"
        "rankscope grade homework class.zip --out graded --marks marks.toml  # points by hand\n"
        "rankscope grade homework /autograder/submission --out /tmp/graded --format results "
        "--brief  # on Gradescope; then copy the one results.json\n"
        "rankscope grade homework class.zip --out graded --gradebook canvas,moodle --roster "
        "roster.csv  # marks to import there\n"
        "rankscope grade homework class.zip --out graded --code --smallest 20  # wrong programs "
        "with the smallest run in which they fail\n"
        "rankscope grade homework class.zip --out graded --code --from-traces runs/  # again from "
        "the runs that --keep-traces runs/ kept\n"
        "rankscope grade homework class.zip --out graded --code --shard 3/8  # one of eight "
        "machines\n"
        "rankscope grade homework class.zip --out graded --code --merge  # when all eight are "
        "done\n"
        "rankscope grade homework class.zip --out graded --json  # for a script",
    .define = define_grade,
};

}  // namespace rankscope::cli
