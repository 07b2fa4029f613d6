// A lesson or a course on paper: what is on it, whatever it is written as.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "lessons/handout/answer_sheet.h"
#include "lessons/lesson/course.h"
#include "lessons/lesson/glossary.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/translation.h"

namespace rankscope {

struct HandoutItem {
  enum class Kind { heading, text, figure, listing, question, coding, note, reveal, answer };
  Kind kind = Kind::text;
  int level = 2;        ///< Of a heading.
  std::string title;    ///< Also "Question 3: Messages (2 points)".
  std::string text;     ///< Markdown; of a listing the program's text.
  std::string caption;  ///< Of a figure or listing.
  std::string name;     ///< Of a figure: for a file's name.
  std::optional<Scene> scene;
  std::string svg;                   ///< Of a figure that is a file of the lesson.
  std::vector<std::string> options;  ///< Of a question: a), b) ...
  std::string how;                   ///< What is to be written.
  int lines = 0;                     ///< Room to write.
};

struct Handout {
  std::string title, summary;
  std::vector<std::string> facts;  ///< "about 20 minutes", "with the numbers of seed 3"
  std::vector<HandoutItem> items;
  std::string language;                ///< Empty: English.
  FixedWords fixed;                    ///< "Answer", "Name" … in it.
  std::vector<GlossaryWord> glossary;  ///< Of English ones: words to be linked.
};

struct HandoutOptions {
  std::uint64_t seed = 0;
  bool answers = false;   ///< The right answers and explanations, at the end.
  bool lecturer = false;  ///< Notes and rubrics.
};

Handout handout_of(const Lesson& lesson, LessonRuns& runs, const HandoutOptions& options);
/// The exercises of a course, part by part, each with the run that it is about.
Handout handout_of(const Course& course, const LessonLibrary& library, LessonRuns& runs,
                   const HandoutOptions& options);

/// One file without anything beside it.
std::string to_html(const Handout& handout);
/// Pages of A4, as page_flow.h measures them.
std::vector<Scene> handout_pages(const Handout& handout);
/// The same as a file. Throws UserError where this program was built without Cairo.
std::string to_pdf(const Handout& handout);
/// Markdown whose figures are files of a folder beside it (`figures`: its name in the links).
struct MarkdownHandout {
  struct Figure {
    std::string name, svg;  ///< "four-spacetime.svg"
  };
  std::string text;
  std::vector<Figure> figures;
};
MarkdownHandout to_markdown(const Handout& handout, const std::string& figures);

}  // namespace rankscope
