// `rankscope lesson run`: a lesson page by page, with its questions, on a terminal or through a pipe.
#pragma once

#include <functional>

#include "cli/lesson/lesson_page.h"
#include "cli/run/step_prompt.h"
#include "lessons/course/locks.h"

namespace rankscope::cli {

struct SessionSettings {
  LineSource next_line;
  LineSink say;  ///< A text with its line break.
  LineSink ask;  ///< A prompt; not called where nobody sees it.
  std::function<void(const LessonProgress&)> save;
  bool interactive = true;  ///< Wait at the end of a page; a pipe goes on.
  bool again = false;       ///< Ask also what is done and could be answered otherwise.
};

class LessonSession {
 public:
  LessonSession(const Lesson& lesson, LessonRuns& runs, const LessonPage& page,
                LessonProgress& progress, SessionSettings settings);
  /// From the progress's page to the end, to `quit`, or to the end of the input. True when the last
  /// page was left by its end.
  bool run();

 private:
  enum class Move { on, next_page, back, quit };
  enum class Answered { done, open };

  Move show_page(const Step& step);
  Move ask_question(const Question& question);
  Move page_end();
  /// What both prompts understand. Nothing: the line is none of these.
  std::optional<Move> common(const std::string& line);
  std::string with_more_lines(std::string text);
  Answered answer(const Question& question, const std::string& line);
  void feedback(const Question& question, const Verdict& verdict);
  Answered close(const Question& question, const Verdict& verdict);
  void hint(const Question& question);
  void print_earlier_answer(const Question& question);
  void print_run(const std::string& name);
  IsOpen is_open() const;
  std::string locked_text(const Block& block, const std::vector<const Question*>& questions) const;
  void open_reveal();
  void print_points();
  std::optional<std::string> read(const std::string& prompt);

  const Lesson& lesson_;
  LessonRuns& runs_;
  const LessonPage& page_;
  LessonProgress& progress_;
  SessionSettings settings_;
  std::string last_run_;                ///< Of the page: what `run` tells.
  const Block* last_reveal_ = nullptr;  ///< What `open` tells.
  bool again_ = false;
};

/// Questions with what they got, and the sum.
std::string progress_text(const Lesson& lesson, const LessonProgress& progress, const Style& style);

}  // namespace rankscope::cli
