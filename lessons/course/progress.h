// A student's progress in a lesson: answers, verdicts, attempts, hints, page. Each student and lesson has its own file, which
// the terminal and the application share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/grading/grade.h"

namespace rankscope {

struct QuestionProgress {
  nlohmann::json answer;  ///< The last answer.
  /// The last answer with the most points, from before the right one was shown; may be null.
  nlohmann::json best;
  nlohmann::json draft =
      {};  ///< What was written and not checked, in the form of the fields; may be null.
  Verdict::State state = Verdict::State::unanswered;  ///< The verdict on the last answer.
  std::string says;                                   ///< The feedback on the last answer.
  double points = 0;                                  ///< The most that any answer got.
  int attempts = 0;
  int hints = 0;         ///< The number of hints that were opened.
  bool gave_up = false;  ///< The right answer was shown; later answers get no points.
  bool opened = false;   ///< A lecturer has opened the runs that the question locks (locks.h).
  bool seen = false;     ///< The counting answer was given while these runs were open.
  std::string digest;    ///< Question::digest at the time of the answer.
};

/// The last grade of a program for a code exercise.
struct ProgramProgress {
  std::string file;   ///< Its path.
  std::string text;   ///< program_hash() of what was graded; empty if its files changed meanwhile.
  double points = 0;  ///< Of this file.
  double best = 0;    ///< The most that any file got.
  nlohmann::json verdict =
      {};  ///< What `rankscope --json exercise` said of this file; may be null.
};

struct LessonProgress {
  std::string lesson, student;
  std::uint64_t seed = 0;
  int step = 0;  ///< The page, from 0.
  std::map<std::string, QuestionProgress, std::less<>> questions;
  std::map<std::string, ProgramProgress, std::less<>> programs = {};  ///< By code exercise.

  /// Returns the progress with a question; empty if there is none yet.
  const QuestionProgress& of(std::string_view question) const noexcept;
  double points() const noexcept;  ///< With those of programs.
  /// Returns the number of questions that are done or kept (below), and of programs with all points.
  int done(const Lesson& whole) const noexcept;
};

/// Returns why this question takes no further answer; empty if it does, or is right.
std::string closed_because(const Question& question, const QuestionProgress& progress);
/// Returns grade()'s verdict on an answer, except that an answer with a part that cannot be read is none, and that a student's
/// copy gives none before its feedback begins and after the last attempt.
Verdict grade_now(const Question& question, const Variant& variant, const nlohmann::json& answer,
                  const QuestionProgress& before, LessonRuns& runs);
/// Returns whether an answer was given that a person or the lecturer's copy judges. It may be changed.
bool is_kept(const QuestionProgress& progress) noexcept;
/// Returns whether the question takes no further answer: it is right, given up, or no attempts are left.
bool is_done(const Question& question, const QuestionProgress& progress);
/// Records an answer and its verdict. An answer of the wrong form does not use up an attempt. `seen` says that a run that
/// the answer opens was open already (has_seen() in locks.h).
void note_answer(LessonProgress& progress, const Question& question, const nlohmann::json& answer,
                 const Verdict& verdict, bool seen = false);
/// Returns whether what stands in the field of an open question is another answer than the last one.
bool is_changed(const Question& question, const Variant& variant, const QuestionProgress& progress);
struct AnswerToHandIn {
  nlohmann::json answer;  ///< Null if there is none.
  std::string says;       ///< Why it is not what stands in the field; empty if it is.
};
/// Returns what is handed in: what stands in the field, or where that is judged here and unchecked, or cannot be read, the best
/// answer before it.
AnswerToHandIn answer_to_hand_in(const Question& question, const Variant& variant,
                                 const QuestionProgress& progress);
/// Records that a program was graded; `hash` is program_hash() of what was graded.
void note_program(LessonProgress& progress, const CodingExercise& exercise,
                  const std::filesystem::path& file, const std::string& hash, double points,
                  const nlohmann::json& verdict = {});
/// Opens the next hint; null when all are open.
const std::string* open_hint(LessonProgress& progress, const Question& question);
void give_up(LessonProgress& progress, const Question& question);

/// Adapts a kept progress to the lesson as it is now: limits hints and points, and grades answers to changed questions
/// again. Returns the number of these. Called when a lesson is opened.
int renew(LessonProgress& progress, const Lesson& lesson, LessonRuns& runs);

nlohmann::json to_json(const LessonProgress& progress);
/// Throws UserError for malformed JSON.
LessonProgress progress_from(const nlohmann::json& json);

/// The files: $XDG_DATA_HOME/rankscope/progress/STUDENT/LESSON.json, else ~/.local/share/...
class ProgressStore {
 public:
  /// Throws UserError when there is no home directory.
  ProgressStore();
  explicit ProgressStore(std::filesystem::path root) : root_(std::move(root)) {}

  struct Loaded {
    LessonProgress progress;
    bool found = false;
    std::string problem;  ///< A sentence about a file that could not be read and was set aside.
  };
  /// Reads the progress, a new one when there is no file. A broken file is renamed, never overwritten.
  Loaded load(std::string_view student, std::string_view lesson) const;
  /// The same for reading alone: throws UserError for a broken or missing file, and leaves it.
  LessonProgress peek(std::string_view student, std::string_view lesson) const;
  /// Copies the file to a free name before a restart, and returns the copy; empty when there was no file. Throws UserError.
  std::filesystem::path back_up(std::string_view student, std::string_view lesson) const;
  /// Writes the file whole or not at all. Throws UserError.
  void save(const LessonProgress& progress) const;
  std::filesystem::path file_of(std::string_view student, std::string_view lesson) const;
  /// Returns the lesson that the student worked on last; empty if there is none.
  std::string latest(std::string_view student) const;
  /// Returns the students with any progress.
  std::vector<std::string> students() const;

 private:
  std::filesystem::path root_;
};

/// Returns $USER, or "student".
std::string default_student();

}  // namespace rankscope
