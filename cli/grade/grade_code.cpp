// Grades a course's code exercises for `rankscope grade`: sets up the boxes and runs each program
// in them.
#include "cli/grade/grade_code.h"

#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "lessons/coding/grader.h"

namespace rankscope::cli {

GradeCode code_grader(const GradeCodeOptions& options) {
  CodeGraderOptions grader;
  grader.boxes = code_boxes_options(options.no_sandbox);
  grader.boxes.interrupt_fd = options.interrupt_fd;
  require_boxes(grader.boxes.support);
  // Several programs of eight ranks at once would only take each other's time.
  return [grader, mutex = std::make_shared<std::mutex>()](const CodingExercise& exercise,
                                                          const std::filesystem::path& folder) {
    const std::lock_guard lock(*mutex);
    CodeGraderOptions own = grader;
    own.boxes.submission = folder;
    const CodeGrade grade = grade_code(exercise, own);
    if (grade.interrupted) throw UserError("interrupted");
    return CodeItem{grade.verdict.points, grade.verdict.most, grade_text(exercise, grade)};
  };
}

}  // namespace rankscope::cli
