// How far a student is in a lesson: answers, verdicts, attempts, hints, page. Kept in a file of its
// own for each student and lesson, so that several share a machine. The terminal and the application
// use the same.
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
  nlohmann::json answer;                              ///< The last one.
  Verdict::State state = Verdict::State::unanswered;  ///< Of the last answer.
  std::string says;                                   ///< About the last answer.
  double points = 0;                                  ///< The most that an answer got.
  int attempts = 0;
  int hints = 0;         ///< How many were opened.
  bool gave_up = false;  ///< The right answer was shown: further answers get no points.
  bool opened = false;   ///< A lecturer has opened the runs that it locks (locks.h).
  bool seen = false;     ///< The answer that counts was given when these runs were open.
  std::string digest;    ///< Of the question as it was answered (Question::digest).
};

struct LessonProgress {
  std::string lesson, student;
  std::uint64_t seed = 0;
  int step = 0;  ///< The page, from 0.
  std::map<std::string, QuestionProgress, std::less<>> questions;

  /// What is known of a question; nothing yet is a value, too.
  const QuestionProgress& of(std::string_view question) const noexcept;
  double points() const noexcept;
  /// Questions that are done: right, by hand, or given up.
  int done(const Lesson& whole) const noexcept;
};

/// May this question be answered (once more)? Empty if so, otherwise why not.
std::string closed_because(const Question& question, const QuestionProgress& progress);
/// What an answer that is given now gets. As grade(); but a student's copy keeps it without a verdict before its feedback
/// begins, and after the attempts.
Verdict grade_now(const Question& question, const Variant& variant, const nlohmann::json& answer,
                  const QuestionProgress& before, LessonRuns& runs);
/// Is there nothing left to do: right, marked by hand, given up, or no attempts left.
bool is_done(const Question& question, const QuestionProgress& progress);
/// Notes an answer and what it got. An answer of the wrong form costs no attempt. `seen`: a run that it would have
/// opened was open (has_seen() of locks.h).
void note_answer(LessonProgress& progress, const Question& question, const nlohmann::json& answer,
                 const Verdict& verdict, bool seen = false);
/// The next hint that was not opened yet; null when all are. Notes that it is open.
const std::string* open_hint(LessonProgress& progress, const Question& question);
void give_up(LessonProgress& progress, const Question& question);

/// Makes a progress that was kept fit the lesson as it is now: no more hints and points than there are, and
/// what was answered to a question that has changed since is graded again. Returns how many were. Called
/// when a lesson is opened.
int renew(LessonProgress& progress, const Lesson& lesson, LessonRuns& runs);

nlohmann::json to_json(const LessonProgress& progress);
/// Throws UserError for what is no progress.
LessonProgress progress_from(const nlohmann::json& json);

/// The files: $XDG_DATA_HOME/rankscope/progress/STUDENT/LESSON.json, else ~/.local/share/...
class ProgressStore {
 public:
  /// Throws UserError when there is no home.
  ProgressStore();
  explicit ProgressStore(std::filesystem::path root) : root_(std::move(root)) {}

  struct Loaded {
    LessonProgress progress;
    bool found = false;
    std::string problem;  ///< A file that could not be read and was set aside, in a sentence.
  };
  /// A new progress when there is none. A broken file is renamed, never overwritten.
  Loaded load(std::string_view student, std::string_view lesson) const;
  /// The same for who only looks: throws UserError for a broken file, and leaves it.
  LessonProgress peek(std::string_view student, std::string_view lesson) const;
  /// Copies the file, if there is one, to a name that nobody has: for those who start again. Empty: there was
  /// none. Throws UserError.
  std::filesystem::path back_up(std::string_view student, std::string_view lesson) const;
  /// Whole or not at all. Throws UserError.
  void save(const LessonProgress& progress) const;
  std::filesystem::path file_of(std::string_view student, std::string_view lesson) const;
  /// Names of those who have begun something here.
  std::vector<std::string> students() const;

 private:
  std::filesystem::path root_;
};

/// Who sits here: $USER, or "student".
std::string default_student();

}  // namespace rankscope
