// A lesson or a course on paper: its contents, and their forms as HTML, PDF and Markdown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "lessons/course/course.h"
#include "lessons/course/glossary.h"
#include "lessons/course/translation.h"
#include "lessons/handout/answer_sheet.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

struct HandoutItem {
  enum class Kind { heading, text, figure, listing, question, coding, note, reveal, answer };
  Kind kind = Kind::text;
  int level = 2;        ///< A heading's level.
  std::string title;    ///< Also "Question 3: Messages (2 points)".
  std::string text;     ///< Markdown, or the program of a listing.
  std::string caption;  ///< The caption of a figure or listing.
  std::string name;     ///< The name of a figure's file.
  std::optional<Scene> scene;
  std::string svg;                   ///< The text of a figure that is a file of the lesson.
  std::vector<std::string> options;  ///< The options a), b) … of a question.
  std::string how;                   ///< The form of the answer.
  int lines = 0;                     ///< Lines to write on.
};

struct Handout {
  std::string title, summary;
  std::vector<std::string> facts;  ///< "about 20 minutes", "with the numbers of seed 3"
  std::vector<HandoutItem> items;
  std::string language;                ///< English when empty.
  FixedWords fixed;                    ///< "Answer", "Name" … in this language.
  std::vector<GlossaryWord> glossary;  ///< Words to be linked, in English.
};

struct HandoutOptions {
  std::uint64_t seed = 0;
  bool answers = false;   ///< Adds right answers and explanations at the end.
  bool lecturer = false;  ///< Adds notes and rubrics.
};

Handout handout_of(const Lesson& lesson, LessonRuns& runs, const HandoutOptions& options);
/// The exercises of a course, part by part, each with its run.
Handout handout_of(const Course& course, const LessonLibrary& library, LessonRuns& runs,
                   const HandoutOptions& options);

std::string to_html(const Handout& handout);
/// A handout as pages of A4, which page_flow.h measures.
std::vector<Scene> handout_pages(const Handout& handout);
/// A handout as PDF. Throws UserError where this program was built without Cairo.
std::string to_pdf(const Handout& handout);
/// A handout as Markdown, with its figures as files of the folder `figures` beside it.
struct MarkdownHandout {
  struct Figure {
    std::string name, svg;  ///< "four-spacetime.svg"
  };
  std::string text;
  std::vector<Figure> figures;
};
MarkdownHandout to_markdown(const Handout& handout, const std::string& figures);

}  // namespace rankscope
