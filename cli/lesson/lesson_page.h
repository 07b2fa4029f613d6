// Lessons as text for a terminal: Markdown, runs in brief, questions with their form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "lessons/course/progress.h"
#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::cli {

struct Story;

/// Formats headings, lists, tables and code in lines of at most `width` columns. Ends in a line break unless empty.
std::string markdown_text(std::string_view markdown, const Style& style, int width, int indent = 0);

struct PageOptions {
  std::uint64_t seed = 0;
  bool lecturer = false;  ///< Shows notes and the right answers.
  bool reveal = false;    ///< Opens what the reader may open.
};

class LessonPage {
 public:
  LessonPage(const Lesson& lesson, LessonRuns& runs, const Style& style, int width,
             const PageOptions& options)
      : lesson_(lesson), runs_(runs), style_(style), width_(width), options_(options) {}

  const PageOptions& options() const noexcept { return options_; }
  /// Returns title, goals, length and points.
  std::string head() const;
  /// Returns "Page 2 of 4: What it costs".
  std::string step_title(std::size_t step) const;
  std::string block(const Block& block) const;
  /// Returns the text in place of a run or figure that these questions keep closed: what to do, and the first
  /// `open_rounds` rounds of a run.
  std::string locked_block(const Block& block, const std::vector<const Question*>& questions,
                           int open_rounds = 0) const;
  std::string question(const Question& question) const;
  /// Says what to type, and lists the choices.
  std::string form(const Question& question) const;
  /// Returns the right answer and why it is right.
  std::string solution(const Question& question) const;
  std::string paragraph(std::string_view markdown, int indent = 0) const {
    return markdown_text(markdown, style_, width_, indent);
  }
  std::string wrapped(std::string_view text, int indent) const;
  /// Returns every message and buffer of a run, and what went wrong.
  std::string whole_run(const LessonRun& run) const;
  const Style& style() const noexcept { return style_; }

 private:
  std::string run(const LessonRun& run) const;
  std::string rounds_text(const Story& story, int most) const;
  std::string run_title(const LessonRun& run) const;
  std::string figure(const LessonFigure& figure) const;
  std::string coding(const CodingExercise& exercise) const;
  std::string format_note(const Block& block, std::string_view word, bool open) const;

  const Lesson& lesson_;
  LessonRuns& runs_;
  const Style& style_;
  int width_;
  PageOptions options_;
};

}  // namespace rankscope::cli
