// The state of the open lesson, for the lesson views.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/state/code/code_state.h"
#include "lessons/course/course.h"
#include "lessons/course/locks.h"
#include "lessons/course/progress.h"
#include "lessons/handout/hand_in.h"
#include "lessons/kinds/kind.h"
#include "lessons/kinds/predicted_messages.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::gui {

/// A question with its numbers, and the current answer.
struct QuestionState {
  std::string prompt;  ///< With the numbers filled in.
  Values values;
  AnswerForm form;
  bool ready = false;    ///< The form is known.
  nlohmann::json draft;  ///< The answer in the fields.
  nlohmann::json taken;  ///< What stood there when the kept answer was taken.
  bool edited = false;   ///< It differs from that.
  /// The draft as it was typed in one text, until its fields are changed.
  std::string typed;
  bool unread = false;  ///< That text cannot be read: the draft is as it was before.
  bool checking = false;
  std::string problem;     ///< Why the last answer could not be read, or why there is no form.
  std::string solution;    ///< The right answer as text, once it is known and may be seen.
  nlohmann::json key;      ///< The right answer as JSON.
  bool solved = false;     ///< The solution has been asked for and is there.
  std::vector<int> hands;  ///< A show of hands, by option.
};

/// The question whose answer is given in the picture.
struct AskedQuestion {
  std::string question;     ///< May be empty.
  int step = 1;             ///< The step whose messages are drawn, for an answer with steps.
  bool in_picture = false;  ///< The run on display belongs to the question.
  bool operator==(const AskedQuestion&) const = default;
};
/// A prediction drawn beside the run; a wrong one only up to the first difference.
struct Prediction {
  std::vector<PredictedMessage> messages;
  std::optional<Parting> parting;
  bool came_true = false;
  bool any() const noexcept { return parting.has_value() || came_true; }
};
/// A question, run or figure of the page that is to be scrolled into view.
struct SoughtBlock {
  std::string id;
  int times = 0;
};

/// Returns whether a block of a page is a question or a code exercise.
inline bool is_exercise(const Block& block) noexcept {
  return block.kind == Block::Kind::question || block.kind == Block::Kind::coding;
}

/// The run of a figure.
struct LessonPicture {
  std::shared_ptr<const RunRecord> run;  ///< Null while it is being made, or if there is a problem.
  std::string problem;
};

/// A row of the lesson browser.
struct LessonCard {
  std::string slug, title, summary;
  int minutes = 0, items = 0, done = 0;  ///< Questions and programs.
  double points = 0, most = 0;
  bool begun = false;
  std::vector<std::string> prerequisites;  ///< Titles.
};
/// A course's check list.
struct CourseCard {
  struct Item {
    std::string lesson, id;    ///< No lesson for an exercise that is announced but not written.
    std::string title;         ///< In the course's words.
    std::string lesson_title;  ///< Title of its lesson.
    int minutes = 0;           ///< Reading time of that lesson.
    bool program = false;
    bool judged = true;  ///< Here, so that its points are known.
    double most = 0;     ///< The course's points.
    std::optional<double> points;
    ItemStanding standing = ItemStanding::open;
    std::string says;  ///< What is wrong with it; empty if nothing is.
    // Set for a program alone; both may be empty:
    std::string file;  ///< Where the course has it handed in: "src/collectives.py", "*.ipynb".
    std::string own;   ///< The student's program, which was graded for it.
    bool is_open() const noexcept;
  };
  struct Part {
    std::string title;
    double points = 0;
    std::vector<Item> items;
    double reached() const noexcept;
    /// "26.5 of 50 points"; "5 of 7 kept" where nothing is judged here.
    std::string score() const;
  };
  std::string name, title, summary;
  std::shared_ptr<const LessonLibrary> library;  ///< With its lessons.
  double points = 0;
  HandInRules rules;
  std::vector<Part> parts;
  std::vector<std::string> remarks;  ///< About the student's progress in the course.

  double reached() const noexcept;
  std::string score() const;  ///< The same of all parts.
  /// "due 2026-11-20 23:59", "closed"; empty without a deadline.
  std::string due() const;
  /// The first item after this one (null: of all) that is not done, else the first before it; null if all are.
  const Item* next(const Item* after = nullptr) const noexcept;
};

/// The hand-in dialog for the chosen course: target and result.
struct HandInState {
  bool open = false, busy = false;
  bool stale = false;   ///< Answers have changed since the receipt.
  std::string to;       ///< The folder or zip file.
  std::string problem;  ///< Why it could not be written.
  std::optional<HandInReceipt> receipt;
};
struct StoppedLesson {
  std::string slug, title;
};

struct LessonState {
  bool browser = false;
  std::vector<LessonCard> cards;
  std::vector<CourseCard> courses;
  std::string chosen_course;  ///< The student's; empty for all lessons.
  bool list_open = false;     ///< The course's check list is shown instead of the page.
  HandInState hand_in;
  StoppedLesson stopped;
  std::string opening;  ///< "lesson/exercise" of the lesson that is being read.
  std::vector<std::string> students;
  std::string student;
  std::string sheet_name;  ///< On what is handed in; empty for the student's.
  std::string problem;     ///< Why there are no lessons.
  bool busy = false;       ///< Something is being read, made or graded.

  std::shared_ptr<const Lesson> lesson;  ///< Null if none is open.
  LessonProgress progress;
  std::map<std::string, QuestionState, std::less<>> question_states;
  std::map<std::string, LessonPicture, std::less<>> pictures;  ///< By figure.
  std::map<std::string, CodeState, std::less<>> code;          ///< By exercise, of all lessons.
  std::set<std::string, std::less<>> revealed;  ///< Questions (lecture form), and blocks to open.
  bool lecture = false;                         ///< On the projector: nothing is graded.
  bool lecturer = false;                        ///< Notes are shown.
  std::string shown_run;                        ///< The run that "show me" showed last.
  AskedQuestion asked;
  Prediction prediction;
  /// The last open round of the shown run: the rest is the answer, and stays closed until it is given.
  std::optional<double> horizon;
  SoughtBlock sought;
  std::string in_view;         ///< The question or exercise in view; may be empty.
  std::string staged;          ///< The question or exercise whose run was last moved to the stage.
  std::string enlarged;        ///< The figure that fills the window; empty if none does.
  std::uint64_t openings = 0;  ///< Grows when a lesson is opened, begun again or closed.

  /// The chosen course; null if none is, or while it is being read.
  const CourseCard* course() const noexcept;
  /// Returns the course item on the open page: the one to scroll to, else the lesson's first, else null.
  const CourseCard::Item* item_here() const noexcept;
  /// Returns the course item to go on with: the first open one of the lesson where the student stopped, else the next; null if
  /// there is none.
  const CourseCard::Item* item_to_go_on() const noexcept;
  /// Returns the program that was graded for another exercise which the course has in the same file; empty if there is none.
  std::string program_beside(const CourseCard::Item& item) const;
  /// Returns the first question or exercise of the open page that is not done; empty if all are.
  std::string first_open() const;
  /// Returns the course item of a question or exercise of a lesson, by default the open one; null if the course does not count it.
  const CourseCard::Item* item_of(std::string_view exercise,
                                  const Lesson* of = nullptr) const noexcept;
  /// Returns what a point of a question or exercise with so many points is worth in the chosen course; 1 where it has no course.
  double course_scale(std::string_view exercise, double points,
                      const Lesson* of = nullptr) const noexcept;
  /// Returns whether this block is to be scrolled to. If several blocks share the name, questions and exercises win.
  bool is_sought(const Block& block) const;
  /// Returns the figure that fills the window; null if none does.
  const LessonFigure* enlarged_figure() const;
  /// Returns the open figure to look at with the question in view: the nearest above it under the same heading, or null.
  const LessonFigure* figure_here() const;
  /// Returns whether the block is a figure that the student may see.
  bool is_open_figure(const Block& block) const;
  /// Returns the open page, or the one so many after it; null if there is none.
  const Step* page_shown(int ahead = 0) const noexcept;
  /// Returns the blocks of the open page; none without a lesson.
  std::span<const Block> blocks() const noexcept;
  /// Returns whether this question or exercise is on the open page, and no other one is in view.
  bool looks_at(std::string_view exercise) const noexcept;
  int page() const noexcept { return progress.step; }
  int pages() const noexcept { return lesson ? static_cast<int>(lesson->steps.size()) : 0; }
  const QuestionState* question_state(std::string_view question) const noexcept {
    const auto found = question_states.find(question);
    return found == question_states.end() ? nullptr : &found->second;
  }
  const CodeState* program(std::string_view exercise) const noexcept {
    const auto found = code.find(exercise);
    return found == code.end() ? nullptr : &found->second;
  }
  /// Returns the question that is answered in the shown picture, or null.
  const Question* in_picture(AnswerPicture::Is is) const;
  /// Returns whether the right answer may be seen.
  bool closed(const Question& question) const {
    return lecture ? revealed.contains(question.id) : is_done(question, progress.of(question.id));
  }
  /// Returns whether the outcome of the shown run must stay hidden until a question is answered.
  bool keeps_end() const;
  /// Returns whether the page has an unanswered question and the shown run was not unlocked by an answer.
  bool asks() const;
  /// Returns the lock on a question's blocks. In a lecture it lasts until the answer is revealed or the lecturer opens them.
  Lock lock(const Question& question) const;
  /// Return the questions that keep a block of the page, or a run, closed.
  std::vector<const Question*> locking(const Block& block) const;
  std::vector<const Question*> locking_run(std::string_view run) const;
  /// Returns whether a run was locked and has been unlocked by an answer.
  bool was_opened(std::string_view run) const;
};

/// Returns the name that is revealed in a lecture when a question's runs are opened without its answer.
std::string unlocked_name(std::string_view question);
/// Returns the name for `reveal` of the n-th block (from 0) of a page (from 0): "open-2-5".
std::string reveal_name(int page, std::size_t block);

// ---- Answers that are being given ----

/// Returns an empty answer for this form, with no rows.
nlohmann::json empty_draft(const AnswerForm& form);
/// Returns whether an answer has several parts: cells, or rows.
bool has_parts(const AnswerForm& form) noexcept;
/// Returns the text of a field ("/x/2"; in rows "/3/from"), or empty.
std::string field_text(const nlohmann::json& draft, const std::string& field);
std::size_t draft_rows(const nlohmann::json& draft) noexcept;
/// Puts a text into a field and adds rows as needed; an empty text for "/3" removes the row. Throws UserError for a field that
/// the form does not have.
void fill_field(nlohmann::json& draft, const AnswerForm& form, const std::string& field,
                const std::string& text);
/// Adds a message to an answer of messages: as a new row, or in place of the only one. A row of the same step and ranks without
/// a chunk gets the chunk. Throws UserError for another form.
void add_message(nlohmann::json& draft, const AnswerForm& form, const PredictedMessage& message);
/// Returns the rows of the steps before this one; another answer as it is.
nlohmann::json before_step(const nlohmann::json& draft, int step);
/// Returns the ranks in a cell of contributions, each as often as it occurs; none from an unreadable cell.
std::vector<int> ranks_in_cell(const std::string& cell, int ranks);
/// Returns the cell with this rank added, or removed if it is there.
std::string with_rank_toggled(const std::string& cell, Rank rank, int ranks);
/// Returns an answer that was typed as text in the form of the fields. Throws UserError for one that cannot be read.
nlohmann::json read_draft(const Question& question, const Variant& variant, const AnswerForm& form,
                          const std::string& text);
/// Returns an answer that was typed as text or saved in the form of the fields.
nlohmann::json as_draft(const nlohmann::json& answer, const AnswerForm& form);

}  // namespace rankscope::gui
