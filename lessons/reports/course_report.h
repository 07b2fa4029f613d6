// A student's graded answers to a course: the source of reports, results and gradebooks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/error.h"
#include "lessons/course/course.h"
#include "lessons/course/marks.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/reports/kept_programs.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/submissions/submission_heads.h"

namespace rankscope {

/// An item's state: its verdict, unless it is marked by hand or not there yet.
enum class ItemState : std::uint8_t {
  right,
  partly,
  wrong,
  unanswered,
  malformed,
  to_be_marked,
  marked,
  not_graded,
  later
};
/// "right", "marked by hand", "not graded", "not yet here" ...: also in results.json.
std::string_view to_string(ItemState state) noexcept;
/// Returns the state of this name; not_graded for an unknown one, as from another version.
ItemState item_state_of(std::string_view words) noexcept;

struct ItemReport {
  const CourseEntry* entry = nullptr;
  Variant variant;
  Verdict verdict;     ///< Points are the item's, not the question's.
  std::string answer;  ///< As it would be typed; empty if none.
  std::optional<double>
      points;  ///< The points that count; unset while it waits for marking or cannot be marked.
  double most = 0;
  bool by_ta = false;  ///< `points` are a TA's.
  std::vector<RubricRow> rubric;
  std::vector<double> rubric_points;  ///< A TA's, for each row; empty if none yet.
  std::string comment;                ///< A TA's.
  ShownRun smallest;                  ///< The smallest failing run of a program.
  std::string why = {};               ///< In one line, why a program has no points.
  std::string printed = {};           ///< CodeItem::printed.
  std::string hidden_until = {};      ///< Until then the student sees nothing of it; may be empty.

  bool later() const noexcept { return entry->lesson == nullptr; }
  /// Returns whether it waits for a TA.
  bool open() const noexcept { return !points && verdict.state == Verdict::State::by_hand; }
  ItemState item_state() const noexcept;
  std::string_view state() const noexcept { return to_string(item_state()); }
};

/// When the work was handed in, and the penalty for lateness (class_rules.h).
struct HandIn {
  std::optional<std::int64_t> time;  ///< Seconds since 1970; nothing if unknown.
  std::int64_t late = 0;             ///< Seconds after the deadline; 0 if in time.
  double percent = 0;                ///< Penalty in percent of the points.
  std::string extension;             ///< This student's own deadline; empty if none.
};

struct StudentReport {
  std::string id;       ///< The folder's name.
  std::string student;  ///< As the answer file says, or else the file's or folder's name.
  std::string submission;
  std::uint64_t seed = 0;
  std::vector<ItemReport> items;
  std::vector<std::string> complaints;  ///< Faults of the file, one line each.
  std::string comment;                  ///< A TA's, for the whole.
  HandIn hand_in = {};
  std::string inputs;                 ///< CourseGrader::inputs() of the graded submission.
  std::string digest;                 ///< Hash over everything that this report depends on.
  std::vector<KeptProgram> programs;  ///< Results that a later grading may take.
  std::size_t programs_kept = 0;      ///< The number of these that were not run again.
  bool repeatable = true;             ///< False if a second grading of the same files could differ.

  bool hides_items() const noexcept;
  /// Returns the report as the student may see it now: hidden items have neither points nor remarks.
  StudentReport shown() const;
  double points() const noexcept;  ///< After the lateness penalty.
  double most() const noexcept;    ///< Maximum for the items that are graded.
  double open() const noexcept;    ///< Points of items that wait for a TA.
};

/// Thrown when the user stops the grading while a program runs; that program has no result.
class GradingStopped : public UserError {
 public:
  GradingStopped() : UserError("interrupted") {}
};

/// `folder` holds the exercise's file; `student` is StudentReport::id. Thread-safe. Throws UserError if programs cannot be
/// run here, GradingStopped if the user stopped it.
using GradeCode =
    std::function<CodeItem(const CodingExercise& exercise, const std::filesystem::path& folder,
                           const std::string& student)>;

/// Grades submissions to one course. Thread-safe. Right answers are computed once for each question
/// and its numbers.
class CourseGrader {
 public:
  /// `course` and `library` outlive it. Throws UserError for a course without exercises.
  CourseGrader(const LessonLibrary& library, const Course& course);

  /// Makes grade() run programs too; without it, code exercises are not graded. `tools` identifies what runs them: results
  /// are reused only for the same tools, and never if it is empty. `remark` goes into each report with a program.
  void grade_code_by(GradeCode grade, std::string tools = "", std::string remark = "") {
    grade_code_ = std::move(grade);
    tools_ = std::move(tools);
    remark_ = std::move(remark);
  }

  bool runs_programs() const noexcept { return grade_code_ != nullptr; }
  const Course& course() const noexcept { return course_; }
  const std::vector<CourseEntry>& entries() const noexcept { return entries_; }
  const LessonLibrary& library() const noexcept { return library_; }

  /// Returns a hash over everything that a report depends on except this build and the tools. `options` adds other
  /// settings. `with_files` includes the submission's files even if no program is run, because earlier results may be
  /// shown.
  std::string inputs(const SubmissionHead& head, std::optional<std::uint64_t> seed,
                     const StudentMarks* marks, std::string_view options,
                     bool with_files = false) const;
  /// A hash over `inputs`, this build and the tools of programs.
  std::string digest(std::string_view inputs, std::string_view program) const;
  /// Never throws for a submission, except GradingStopped; `seed` is used instead of the file's. Programs whose results are in `kept` do not run.
  StudentReport grade(const SubmissionHead& head, std::optional<std::uint64_t> seed,
                      const StudentMarks* marks, const KeptPrograms& kept = {});
  std::shared_ptr<LessonRuns> runs(const Lesson& lesson);

 private:
  struct LessonKeys {
    std::shared_ptr<LessonRuns> runs;
    /// The variants (question and numbers) whose keys were computed with this `runs`.
    std::set<std::string> numbers;
    /// By question and seed: a kind may use the seed itself.
    std::map<std::string, std::shared_ptr<const nlohmann::json>> keys;
  };
  std::shared_ptr<const nlohmann::json> key_of(const CourseEntry& entry, const Variant& variant,
                                               LessonRuns& runs);
  ItemReport grade_item(const CourseEntry& entry, std::uint64_t seed, const nlohmann::json* answer,
                        StudentReport& report);
  /// A submission's files, with those that answer the course's exercises.
  struct HandedIn {
    std::filesystem::path folder;
    std::map<std::string, ExerciseFile> programs;  ///< By key.
    /// Hash over the files that a program may use: all but the other programs that it does not name.
    std::string hash_of(const std::string& key) const;
  };
  void grade_program(const ExerciseFile& file, const HandedIn& handed_in, const KeptPrograms& kept,
                     ItemReport& item, StudentReport& report);
  CodeItem run_program(const CourseEntry& entry, const ExerciseFile& file,
                       const HandedIn& handed_in, const KeptPrograms& kept, StudentReport& report);
  void keep_program(const CourseEntry& entry, const KeptProgram& before, std::string_view files,
                    ItemReport& item, StudentReport& report);
  /// A hash over all that a program's result follows from; `files` is HandedIn::hash_of() it.
  std::string program_digest(const CourseEntry& entry, const ExerciseFile& file,
                             std::string_view files) const;
  /// Unpacks the submission's zip file; files left out become complaints.
  std::optional<UnpackedPrograms> unpacked(const SubmissionHead& head,
                                           std::vector<std::string>& complaints) const;
  /// Names files that may hold the answers to questions that have none; empty if there are none.
  std::string unread_answers(const std::filesystem::path& folder,
                             const StudentReport& report) const;
  std::string course_fault(const AnswerFile& file) const;
  /// Returns a remark if the sheet names no course or an unknown one, which is taken for this course; else empty.
  std::string course_doubt(const AnswerFile& file, const std::string& name) const;

  const LessonLibrary& library_;
  const Course& course_;
  GradeCode grade_code_;
  std::string tools_, remark_;
  std::map<const Lesson*, std::string> exercise_hashes_;  // comments do not count
  std::vector<CourseEntry> entries_;
  std::vector<std::string> keys_known_;  ///< "lesson/id" of all.
  std::string course_hash_;
  std::mutex mutex_;
  std::map<const Lesson*, LessonKeys> lessons_;
};

/// Returns an item's points, of `most`, for a program with these points and bonus points of an exercise with `exercise_points`.
double points_of_program(const Course& course, double most, double points, double bonus,
                         double exercise_points);

}  // namespace rankscope
