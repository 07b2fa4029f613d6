// Grades a course's code exercises for `rankscope grade`: sets up the boxes and runs each program
// in them.
#include "cli/grade/grade_code.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include <fcntl.h>
#include <fmt/format.h>

#include "cli/program/program_files.h"
#include "cli/program/smallest_question.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/coding/grader.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/encodings.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswer{30};

// A package of a distribution may change without its version.
constexpr const char* kAskPython = R"(import os, sys
from importlib import metadata, util
print(sys.version)
for name in "numpy", "torch", "ray", "mpi4py":
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        pass
    place = util.find_spec(name)
    if place is not None and place.origin and os.path.exists(place.origin):
        print(place.origin, os.stat(place.origin).st_size, os.stat(place.origin).st_mtime_ns)
)";

/// Returns in one line why a program has no points.
std::string why_nothing(const CodingExercise& exercise, const CodeGrade& grade) {
  const CodingVerdict& verdict = grade.verdict;
  if (verdict.points > 0) return {};
  if (!grade.trouble.empty()) return grade.trouble;
  if (!grade.diagnostics.empty()) return "it cannot be compiled";
  if (!verdict.capped.empty()) return verdict.capped;
  const RuleVerdict* const cause = root_cause(exercise, verdict);
  return cause == nullptr ? "" : cause->says;
}

// A search that fails costs a student no points.
ShownRun smallest_run_of(const CodingExercise& exercise, const CodeGrade& grade,
                         const CodeBoxesOptions& boxes, double seconds) try {
  SmallestOptions search;
  search.boxes = boxes;
  search.most_seconds = seconds;
  const auto asked = asked_run(exercise, grade, search);
  if (!asked) return {};
  ShownRun out;
  out.text = smallest_text(exercise, asked->run, !asked->question);
  if (asked->question) {
    for (const RunQuestionPart& part : asked->question->parts)
      out.text += "Question: " + part.asks + "\n";
    out.explains = asked->question->explains;
  }
  if (asked->run.trace && asked->run.one.ranks > 1) {
    SvgOptions svg;
    svg.groups = false;
    out.picture = svg_data_url(
        to_svg(picture_of(*asked->run.trace, "spacetime"), Theme(Theme::Kind::light), svg));
  }
  return out;
} catch (const std::exception&) {
  return {};
}

CodeItem item_of(const CodingExercise& exercise, const CodeGrade& grade, bool quiet) {
  return {grade.verdict.points,
          grade.verdict.most,
          grade_text(exercise, grade),
          is_repeatable(grade, quiet),
          {},
          why_nothing(exercise, grade),
          grade.printed,
          grade.verdict.bonus};
}

}  // namespace

std::string program_hash() {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30;
  std::string fault;
  return hash_text(read_whole("/proc/self/exe", kMost, fault));
}

std::string code_tools(const GradeCodeOptions& options, const std::string& program) {
  const CodeBoxesOptions boxes = code_boxes_options(options.no_sandbox, options.or_other_user);
  constexpr std::uintmax_t kMostLibrary = std::uintmax_t{1} << 28;
  std::string fault;
  const std::string python =
      output_of({.words = {boxes.python, "-c", kAskPython}}, Deadline::in(kAnswer));
  if (python.empty()) return "";
  std::string headers;
  for (const char* name : kCppHeaders)
    headers += hash_text(read_whole(boxes.include / name, kMostLibrary, fault));
  return fmt::format("{}\n{}{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", program, boxes.support.sandbox,
                     boxes.support.other_user ? " other user" : "", boxes.python, python,
                     output_of({.words = {boxes.compiler, "--version"}}, Deadline::in(kAnswer)),
                     hash_text(read_whole(boxes.library, kMostLibrary, fault) +
                               read_whole(boxes.first_process, kMostLibrary, fault)),
                     files_hash(boxes.python_files), files_hash(boxes.cpp_files), headers);
}

GradeCode code_judge(const fs::path& kept) {
  return [kept](const CodingExercise& exercise, const fs::path&, const std::string& student) {
    const CodeGrade grade = grade_kept(exercise, kept / student / exercise.id);
    return item_of(exercise, grade, true);
  };
}

GradeCode code_grader(const GradeCodeOptions& options, std::string& remark) {
  CodeGraderOptions grader;
  grader.boxes = code_boxes_options(options.no_sandbox, options.or_other_user);
  if (grader.boxes.support.other_user) remark = other_user_warning(grader.boxes.support);
  grader.boxes.interrupt_fd = options.interrupt_fd;
  share_for_class(grader.boxes);
  if (!grader.boxes.support.works() && !options.or_other_user)
    grader.boxes.support.problem +=
        ". A course may let root run them as another user, with limits alone: without_boxes = "
        "\"other-user\" under [hand_in]";
  require_boxes(grader.boxes.support);
  return [grader, options, running = std::make_shared<std::shared_mutex>()](
             const CodingExercise& exercise, const fs::path& folder, const std::string& student) {
    CodeGraderOptions own = grader;
    own.boxes.submission = folder;
    if (!options.keep.empty()) own.keep = options.keep / student / exercise.id;
    const FairGrade fair = grade_fairly(exercise, own, *running);
    const CodeGrade& grade = fair.grade;
    if (grade.interrupted) throw GradingStopped();
    CodeItem out = item_of(exercise, grade, fair.quiet);
    if (options.smallest_s > 0 && out.points < out.most) {
      const std::shared_lock one(*running);
      out.smallest = smallest_run_of(exercise, grade, own.boxes, options.smallest_s);
    }
    return out;
  };
}

}  // namespace rankscope::cli
