// A lesson as data: the contents of a folder lessons/content/NN-slug. lessons/README.md describes the files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/toml/complaints.h"
#include "lessons/lesson/coding.h"
#include "lessons/lesson/expand.h"

namespace rankscope {

class QuestionKind;

/// A run that a text shows or a question asks about. Fields of `job` may be computed from a question's variables ("=N").
struct LessonRun {
  std::string id;
  nlohmann::json job;  ///< algorithm, ranks, count ... (see LessonRuns::job_of).
  std::string at;      ///< The cursor's first place: "round 2", "end"; the beginning when empty.
  std::string view;    ///< The view that shows it: spacetime, player, graph, matrix, code ...
  std::string caption;
  int line = 0;
  bool closed = false;  ///< In a student's copy: no error quotes its job.
};

/// A diagram of a run, or an SVG file of the lesson.
struct LessonFigure {
  std::string id;
  std::string run, diagram;  ///< A run, and its diagram: spacetime, grid, graph …
  std::string file;          ///< A file beside lesson.toml, instead of both.
  std::string caption;
};

/// A known wrong idea, recognised by the answer that it leads to.
struct Misconception {
  std::string id;
  nlohmann::json answer;  ///< In the form of an answer; values may be computed.
  std::string says;
  double share = 0;  ///< Share of the points, 0 to 1.
};

/// An answer with the points that it must get, which `lesson check` verifies.
struct StoredAnswer {
  std::string name;
  nlohmann::json answer;  ///< "key" stands for the computed right answer.
  nlohmann::json share;   ///< Share of the points, a number or a formula; null means all of them.
  std::string says;       ///< Must occur in the feedback.
  int line = 0;
};

struct Question {
  std::string id, title, prompt;
  std::vector<std::string> covers;  ///< Rows of the list of exercises, such as "C6".
  const QuestionKind* kind = nullptr;
  double points = 1;
  VariableRules rules;
  std::vector<std::string> hints;
  std::string explanation;  ///< Why the right answer is right; shown after answering.
  int attempts = 0;         ///< 0 means any number.
  nlohmann::json data;      ///< The keys of its kind: answer, options, columns …
  std::vector<Misconception> misconceptions;
  std::vector<StoredAnswer> stored;
  int line = 0;
  std::string digest;         ///< A hash of all that its verdicts depend on, runs included.
  bool student_copy = false;  ///< It has no key: only sealed formulas can be judged.
  /// The time from which a student's copy says whether an answer is right.
  std::optional<std::chrono::sys_seconds> feedback_from = {};
  /// The time at which the course that asks it closes: until then no answer is shown.
  std::optional<std::chrono::sys_seconds> answer_from = {};
};

struct Block {
  enum class Kind { text, run, figure, question, coding, note, reveal };
  Kind kind = Kind::text;
  std::string text;   ///< The Markdown of a text, note or reveal.
  std::string id;     ///< The id of a run, figure, question or exercise.
  std::string title;  ///< The title of a reveal or note.
  int line = 0;
  std::vector<std::string> after =
      {};  ///< Questions to be answered before a run, figure or reveal opens.
};

struct Step {
  std::string title, file;
  std::vector<Block> blocks;
};

struct Lesson {
  std::string slug, title, summary;
  int minutes = 0;
  /// The rules by which `lesson check` checks it: 1, those of 0.1.0; 2, also its texts (check_texts.h).
  int edition = 1;
  std::vector<std::string> goals, prerequisites;
  int prerequisites_line = 0;
  std::vector<Step> steps;
  std::vector<LessonRun> runs;
  std::vector<LessonFigure> figures;
  std::vector<Question> questions;
  std::vector<CodingExercise> coding;
  std::filesystem::path folder;
  bool student_copy = false;  ///< It has no answers, so little can be checked.
  /// The student whose personal copy it is, and the seed of all its questions.
  std::string copy_of = {};
  std::optional<std::uint64_t> copy_seed = {};
  std::string
      language;  ///< The language of its texts ("de"), English when empty. See translation.h.

  const LessonRun* find_run(std::string_view id) const noexcept;
  const LessonFigure* find_figure(std::string_view id) const noexcept;
  const Question* find_question(std::string_view id) const noexcept;
  /// The question's number, from 1, counted page by page.
  int number_of(const Question& question) const noexcept;
  const CodingExercise* find_coding(std::string_view id) const noexcept;
  double points() const noexcept;
  /// The number of questions and of programs that are graded.
  int items() const noexcept;
};

inline constexpr std::string_view kNotInCopy =
    "this is a student's copy: it has no notes for lecturers, and its runs open with an answer to "
    "their questions only";
/// Returns why a question's answer is hidden: its copy has none, or a course that asks it is open. Empty if it may be shown.
std::string kept_back(const Question& question);

inline constexpr int kNewestEdition = 2;

struct RubricRow {
  std::string text;
  double points = 0;  ///< A part of the question's points.
};
/// The rows that a TA gives points for; empty when the question has no rubric.
std::vector<RubricRow> rubric_of(const Question& question);
/// The model of a written answer, with places to fill in; empty when the question has none.
std::string model_answer(const Question& question);
/// The runs that a question names, with places to fill in.
std::vector<std::string> runs_asked(const Question& question);

}  // namespace rankscope
