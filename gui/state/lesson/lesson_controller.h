// Opens, answers and grades lessons. Work that takes longer than a frame (reading files, runs, grading) is done in a thread, one
// task after the other.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gui/state/lesson/lesson_state.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

class LessonController {
 public:
  /// `changed` is called from another thread when there is news. `remember`: whether progress is read and saved.
  LessonController(LessonState& state, std::function<void()> changed, bool remember);
  /// Waits for the current task.
  ~LessonController();
  LessonController(const LessonController&) = delete;
  LessonController& operator=(const LessonController&) = delete;

  /// Takes in finished tasks. Returns whether there is something new to show.
  bool update();
  bool busy() const noexcept { return doing_.valid() || !waiting_.empty(); }
  /// Return an error or a message of the work in the background, once.
  std::optional<std::string> take_error() { return std::exchange(error_, std::nullopt); }
  std::optional<std::string> take_message() { return std::exchange(message_, std::nullopt); }

  /// Makes the cards of all lessons and courses, for the browser.
  void list();
  /// Opens a lesson by slug, number or folder where the student stopped, or at the page with a question, run or figure.
  void open(const std::string& name, const std::string& at = "");
  /// Brings a question, run, figure or exercise of the open lesson into view. Throws UserError if no page has it.
  void seek(const std::string& id);
  /// Chooses the course whose items are counted; empty for none.
  void course(const std::string& name);
  /// The student looks away from a question: what was changed in its field counts in the check list.
  void leave();
  /// Writes what is handed in for the chosen course.
  void hand_in(const std::string& to);
  void close();
  /// Begins the lesson again; another seed gives other numbers.
  void restart(std::uint64_t seed);
  void turn_to(int page);  ///< From 0.
  /// Changes the student whose progress it is.
  void student(const std::string& name);

  // Each throws UserError without an open lesson, and for an unknown question.
  void answer(const std::string& question, const std::string& text);
  void fill(const std::string& question, const std::string& field, const std::string& text);
  /// Puts what was undone back into the fields of an open question.
  void bring_back(const std::string& question, const nlohmann::json& draft);
  /// Adds a message to an answer. Throws UserError for an answer without messages, too.
  void draw(const std::string& question, const PredictedMessage& message);
  /// Makes the run of an answer's steps before this one; at step 0 of the right answer, once it may be seen.
  void trial(const std::string& question, int step);
  /// Returns that run, once.
  DocumentPtr take_trial() { return std::exchange(trial_, nullptr); }
  /// Opens the next item of the course, or the lesson where the student stopped at its next question. Throws UserError where
  /// nothing was begun.
  void go_on();
  void check(const std::string& question);
  void hint(const std::string& question);
  /// Shows the right answer of a question, which gives no more points then (in a lecture, shows or hides it); opens or closes a
  /// block.
  void reveal(const std::string& name);
  /// Opens a run or figure (by id) that waits for an answer. Throws UserError for students.
  void unlock(const std::string& id);
  /// program_hash() of what lies in the chosen file or folder.
  static std::string hash_of_program(const CodingExercise& exercise, const std::string& file);
  /// Remembers what the grading of a program for an exercise of this lesson said; another may be open by now.
  void note_program(const Lesson& lesson, const std::string& exercise, const CodeState& code);
  void hands(const std::string& question, std::size_t option, int change);
  /// Returns the job of a lesson's run. Throws UserError for an unknown one.
  JobSpec job(const std::string& run, const Values& values = {});
  const LessonRun& run(const std::string& id) const;
  const Question& question(const std::string& id) const;
  /// Returns the state of a question. Throws UserError unless it can be answered now.
  QuestionState& ready_state(const Question& question);

 private:
  /// Runs a task in the background; update() calls the function that it returns.
  using News = std::function<void()>;
  using Task = std::function<News()>;
  void later(Task task);
  void start_next();
  // Called in the background only.
  std::shared_ptr<const LessonLibrary> library();
  std::shared_ptr<const Lesson> find_lesson(const std::string& name);
  struct CourseBook;
  CourseBook& book(const std::string& name);
  CourseCard course_card(const std::string& name, const std::string& student,
                         const std::optional<ProgressStore>& store);
  /// Counts the chosen course's points again.
  void count_course();
  void prepare_page();
  void prepare_question(const Question& question);
  void prepare_picture(const LessonFigure& figure);
  void solve(const Question& question);
  /// Puts the programs that were graded earlier on their cards.
  void show_programs();
  void show_lesson(std::shared_ptr<const Lesson> lesson, LessonProgress progress,
                   const std::string& at = "");
  const Lesson& lesson() const;
  QuestionState& question_state(const Question& question);
  void save();
  /// Puts what stands in the fields into the progress, so that nothing that was written is lost.
  void keep_drafts();
  /// The answer was changed: saves soon, since what is written into fields comes letter by letter.
  void edited(QuestionState& answer);

  LessonState& state_;
  std::function<void()> changed_;
  std::shared_ptr<LessonRuns> runs_;
  std::shared_ptr<const LessonLibrary> library_;              // used by tasks alone
  std::map<std::string, std::shared_ptr<CourseBook>> books_;  // used by tasks alone
  std::optional<ProgressStore> store_;
  std::deque<Task> waiting_;
  std::future<News> doing_;
  std::optional<std::string> error_, message_;
  DocumentPtr trial_;
  std::optional<std::chrono::steady_clock::time_point> unsaved_;  ///< Since then.
  bool uncounted_ = false;                                        ///< The course is to be counted.
  std::string opened_as_;                                         ///< The lesson's name or folder.
  int opened_ = 0;  ///< The number of the lesson's opening: results for an older one are dropped.
};

}  // namespace rankscope::gui
