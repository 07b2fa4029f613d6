// A lesson as it lies open before a student: what the lesson views show.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/state/code/code_state.h"
#include "lessons/course/course.h"
#include "lessons/course/locks.h"
#include "lessons/course/progress.h"
#include "lessons/kinds/kind.h"
#include "lessons/kinds/predicted_messages.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::gui {

/// A question with its numbers, and the answer that is being given.
struct QuestionState {
  std::string prompt;  ///< With the numbers filled in.
  Values values;
  AnswerForm form;
  bool ready = false;    ///< The form is known.
  nlohmann::json draft;  ///< The answer as it stands in the fields.
  bool edited = false;   ///< Since the last check.
  bool checking = false;
  std::string problem;     ///< Why the last answer could not be read, or why there is no form.
  std::string solution;    ///< The right answer as text, once it may be seen; empty: not known yet.
  nlohmann::json key;      ///< The same as it is kept.
  bool solved = false;     ///< The solution has been asked for and is there.
  std::vector<int> hands;  ///< A show of hands, by option.
};

/// The question whose answer is given in the picture.
struct AskedQuestion {
  std::string question;     ///< May be empty.
  int step = 1;             ///< The step whose messages are drawn, for an answer with steps.
  bool in_picture = false;  ///< The run that is shown is the one that it is about.
  bool operator==(const AskedQuestion&) const = default;
};
/// An answer that was given, to be shown beside the run: the one that is not right up to where they part.
struct Prediction {
  std::vector<PredictedMessage> messages;
  std::optional<Parting> parting;
  bool came_true = false;
  bool any() const noexcept { return parting.has_value() || came_true; }
};
/// A question, run or figure of the page that is to come into sight.
struct SoughtBlock {
  std::string id;
  int times = 0;
};

/// A run that a figure is drawn of.
struct LessonPicture {
  std::shared_ptr<const RunRecord> run;  ///< Null: being made, or there is a problem.
  std::string problem;
};

/// A line of the lesson browser.
struct LessonCard {
  std::string slug, title, summary;
  int minutes = 0, questions = 0, done = 0;
  double points = 0, most = 0;
  bool begun = false;
  std::vector<std::string> prerequisites;  ///< Titles.
};
struct CourseCard {
  struct Part {
    std::string title;
    double points = 0;
    std::vector<std::string> lessons;  ///< Slugs, each once.
    std::vector<std::string> later;    ///< Exercises that are not here yet.
  };
  std::string name, title, summary;
  double points = 0;
  std::vector<Part> parts;
};

struct LessonState {
  bool browser = false;
  std::vector<LessonCard> cards;
  std::vector<CourseCard> courses;
  std::string chosen_course;  ///< In the browser; empty: all lessons.
  std::vector<std::string> students;
  std::string student;
  std::string problem;  ///< Why there are no lessons.
  bool busy = false;    ///< Something is being read, made or graded.

  std::shared_ptr<const Lesson> lesson;  ///< Null: none is open.
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
  /// Rounds of the run that is shown: what follows is the answer, and stays closed until it is given.
  std::optional<double> horizon;
  SoughtBlock sought;
  std::uint64_t openings = 0;  ///< Grows when a lesson is opened, begun again or closed.

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
  /// The question that is answered in the picture that is shown; null: there is none.
  const Question* in_picture(AnswerPicture::Is is) const;
  /// May the right answer be seen?
  bool closed(const Question& question) const {
    return lecture ? revealed.contains(question.id) : is_done(question, progress.of(question.id));
  }
  /// A question of the page has no answer yet, and the run that is shown is not one that an answer has opened.
  bool asks() const;
  /// How far what it locks is open; in a lecture until its answer is revealed, or a lecturer opens it.
  Lock lock(const Question& question) const;
  /// The questions that keep a block of the page, or a run, closed; none: it is open.
  std::vector<const Question*> locking(const Block& block) const;
  std::vector<const Question*> locking_run(std::string_view run) const;
  /// A run that waited for an answer, and has it.
  bool was_opened(std::string_view run) const;
};

/// Returns the name that is revealed in a lecture when a question's runs are opened without its answer.
std::string unlocked_name(std::string_view question);
/// Returns the name for `reveal` of the n-th block (from 0) of a page (from 0): "open-2-5".
std::string reveal_name(int page, std::size_t block);

// ---- Answers that are being given ----

/// An answer of the form with nothing in it. Of rows: none.
nlohmann::json empty_draft(const AnswerForm& form);
/// An answer of several parts: a cell each, or rows.
bool has_parts(const AnswerForm& form) noexcept;
/// Returns the text of a field ("/x/2"; in rows "/3/from"), or empty.
std::string field_text(const nlohmann::json& draft, const std::string& field);
/// Rows that stand in the draft.
std::size_t draft_rows(const nlohmann::json& draft) noexcept;
/// Puts a text into a field; rows come into being as needed. "/3" with nothing: the row goes.
/// Throws UserError for a field that the form does not have.
void fill_field(nlohmann::json& draft, const AnswerForm& form, const std::string& field,
                const std::string& text);
/// Adds a message to an answer of messages: to rows a new one, else in place of the one that is there. In a row of the
/// same step and ranks that lacks its chunk, the chunk is put. Throws UserError for another form.
void add_message(nlohmann::json& draft, const AnswerForm& form, const PredictedMessage& message);
/// Returns the rows of the steps before this one; another answer as it is.
nlohmann::json before_step(const nlohmann::json& draft, int step);
/// The ranks in a cell of contributions, each as often as it is in it; of what cannot be read none.
std::vector<int> ranks_in_cell(const std::string& cell, int ranks);
/// The cell with this rank added, or taken out if it is there.
std::string with_rank_toggled(const std::string& cell, Rank rank, int ranks);
/// An answer that was typed as text or saved, as the fields show it.
nlohmann::json as_draft(const nlohmann::json& answer, const AnswerForm& form);

}  // namespace rankscope::gui
