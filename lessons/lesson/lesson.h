// Lessons as data: what a folder lessons/content/NN-slug holds. lessons/README.md describes the files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
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

/// A run that a text shows or a question asks about. Fields of `job` may be computed from a
/// question's variables ("=N").
struct LessonRun {
  std::string id;
  nlohmann::json job;  ///< algorithm, ranks, count ... (see LessonRuns::job_of).
  std::string at;      ///< Where the cursor starts: "round 2", "end"; empty: the beginning.
  std::string view;    ///< The view that shows it: spacetime, player, graph, matrix, code ...
  std::string caption;
  int line = 0;
};

/// A picture that our own exporters make of a run, or an SVG file of the lesson.
struct LessonFigure {
  std::string id;
  std::string run, diagram;  ///< Of a run: spacetime, grid, graph, matrix, schematic ...
  std::string file;          ///< Or a file beside lesson.toml.
  std::string caption;
};

/// A known wrong idea: who answers so reads what it is.
struct Misconception {
  std::string id;
  nlohmann::json answer;  ///< As answers are written, computed values allowed.
  std::string says;
  double share = 0;  ///< Of the points.
};

/// An answer with the marks that it must get: a test goes through all of them.
struct StoredAnswer {
  std::string name;
  nlohmann::json answer;  ///< "key": the computed right answer.
  nlohmann::json share;   ///< Of the points: a number or a formula; none: all of them.
  std::string says;       ///< Must occur in the feedback.
  int line = 0;
};

struct Question {
  std::string id, title, prompt;
  std::vector<std::string> covers;  ///< Rows of the list of exercises: "C6".
  const QuestionKind* kind = nullptr;
  double points = 1;
  VariableRules rules;
  std::vector<std::string> hints;
  std::string explanation;  ///< Why the right answer is right; shown afterwards.
  int attempts = 0;         ///< 0: as many as one likes.
  nlohmann::json data;      ///< What the kind needs: answer, options, columns ...
  std::vector<Misconception> misconceptions;
  std::vector<StoredAnswer> stored;
  int line = 0;
  std::string digest;         ///< Of all that its verdicts depend on, its runs too.
  bool student_copy = false;  ///< Its key was taken out: only what it has sealed is judged here.
  /// Of a student's copy: from when it says whether an answer is right.
  std::optional<std::chrono::sys_seconds> feedback_from = {};
};

struct Block {
  enum class Kind { text, run, figure, question, coding, note, reveal };
  Kind kind = Kind::text;
  std::string text;   ///< Markdown of text, note, reveal.
  std::string id;     ///< Of run, figure, question, coding.
  std::string title;  ///< Of reveal and note.
  int line = 0;
  std::vector<std::string> after = {};  ///< Of run and figure: questions that are answered first.
};

struct Step {
  std::string title, file;
  std::vector<Block> blocks;
};

struct Lesson {
  std::string slug, title, summary;
  int minutes = 0;
  /// By which rules it is checked: 1, those of 0.1.0; 2, its texts, too (check_texts.h).
  int edition = 1;
  std::vector<std::string> goals, prerequisites;
  int prerequisites_line = 0;
  std::vector<Step> steps;
  std::vector<LessonRun> runs;
  std::vector<LessonFigure> figures;
  std::vector<Question> questions;
  std::vector<CodingExercise> coding;
  std::filesystem::path folder;
  bool student_copy = false;  ///< Without answers: nothing can be checked.
  /// Of a personal copy: whose it is, and the seed of all its questions.
  std::string copy_of = {};
  std::optional<std::uint64_t> copy_seed = {};
  std::string language;  ///< Of its texts ("de"); empty: English. See translation.h.

  const LessonRun* find_run(std::string_view id) const noexcept;
  const LessonFigure* find_figure(std::string_view id) const noexcept;
  const Question* find_question(std::string_view id) const noexcept;
  /// As one meets the questions, page by page, from 1.
  int number_of(const Question& question) const noexcept;
  const CodingExercise* find_coding(std::string_view id) const noexcept;
  double points() const noexcept;
};

inline constexpr int kNewestEdition = 2;

/// Reads a lesson's folder. Whatever is wrong goes into `complaints`; what could be read comes back.
Lesson read_lesson(const std::filesystem::path& folder, Complaints& complaints);

/// Splits Markdown into blocks: lines "@run ID", "@figure ID" (each may go on with "after QUESTION …"),
/// "@question ID", "@coding ID", and "::: note", "::: reveal TITLE" up to ":::".
std::vector<Block> split_blocks(std::string_view markdown, const std::string& file,
                                Complaints& complaints);

/// Where content/ (lessons) and courses/ are: $RANKSCOPE_LESSONS, or beside the program
/// (share/rankscope/lessons; build/lesson-files). Throws UserError if nowhere.
std::filesystem::path lessons_folder();
/// Folders with a lesson.toml, by name.
std::vector<std::filesystem::path> lesson_folders(const std::filesystem::path& root);
/// "ring-allreduce" of "12-ring-allreduce".
std::string slug_of(const std::filesystem::path& folder);

}  // namespace rankscope
