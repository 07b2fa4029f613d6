// A lesson as slides for a projector: one idea each, in large type, with notes for the speaker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"
#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

struct Slide {
  static constexpr double kWidth = 1280, kHeight = 720;  ///< 16:9; 13.33 x 7.5 inches.
  Scene scene;
  std::string notes;  ///< Plain text for the speaker; may be empty.
};

struct SlideOptions {
  std::uint64_t seed = 0;  ///< The seed of the questions' numbers; 0 as printed.
  bool answers = false;    ///< Adds each question's answer on the next slide.
};

/// Slides of headings, key sentences, lists, tables, programs, pictures and questions, in the lesson's order.
std::vector<Slide> slides_of(const Lesson& lesson, LessonRuns& runs, const SlideOptions& options,
                             const Ruler& ruler);

struct Lecture;
/// A page for each stop of each scene: the picture there, the question that stands there, the scene's notes on its first one. Scenes of
/// programs and of too detailed runs have one page of words; a later stop with too much detail has none. Throws UserError for a run that cannot be made.
std::vector<Slide> slides_of(const Lecture& lecture, LessonRuns& runs, const Ruler& ruler);

/// A PDF with a page for each slide. Notes become text annotations, which pdfpc and pympress show to the speaker. Throws
/// UserError where this program was built without Cairo.
std::string slides_pdf(const std::vector<Slide>& slides, const Theme& theme, bool with_notes);
/// A4 pages to print: each slide with its notes below it.
std::string slide_notes_pdf(const std::vector<Slide>& slides, const std::string& title);

}  // namespace rankscope
