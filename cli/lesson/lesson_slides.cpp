// `rankscope lesson slides` and `lesson script`: a lesson for the projector.
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "lessons/slides/lecture_script.h"
#include "lessons/slides/slides.h"

namespace rankscope::cli {
namespace {

std::string pdf_name(const std::string& option, const std::string& file) {
  if (!file.ends_with(".pdf") && !file.ends_with(".PDF"))
    throw UserError(fmt::format("{} {}: slides are PDF; give the file a name that ends with .pdf",
                                option, file));
  return file;
}

}  // namespace

int make_slides(const Console& console, const LessonOptions& options) {
  if (!has_cairo())
    throw UserError(
        "this rankscope was built without Cairo (RANKSCOPE_CAIRO=OFF), so it writes no PDF");
  if (options.no_notes && !options.notes.empty())
    throw UserError("--no-notes leaves the notes out, --notes writes them: give one of them");
  const Lesson lesson = whole_lesson(options.names[0]);
  const std::string file =
      pdf_name("--output", options.output.empty() ? lesson.slug + "-slides.pdf" : options.output);
  if (!options.notes.empty() && pdf_name("--notes", options.notes) == file)
    throw UserError(
        fmt::format("--notes would replace the slides in '{}': give it another name", file));
  LessonRuns runs([] { return make_runner(kThreadTransport); }, {});
  const auto slides = slides_of(lesson, runs, {options.seed, options.answers}, system_ruler());
  const Theme theme(options.dark ? Theme::Kind::dark : Theme::Kind::light);
  write_text(console, file, slides_pdf(slides, theme, !options.no_notes));
  if (!options.notes.empty())
    write_text(console, options.notes, slide_notes_pdf(slides, lesson.title));
  console.note(fmt::format("{}.", plural(slides.size(), "slide")));
  return kOk;
}

int make_script(const Console& console, const LessonOptions& options) {
  const std::string& name = options.names[0];
  const Lesson lesson = whole_lesson(name);
  std::error_code error;
  const bool by_folder =
      std::filesystem::exists(std::filesystem::path(name) / "lesson.toml", error);
  const std::string file = options.output.empty() ? lesson.slug + ".rankscript" : options.output;
  write_text(
      console, file,
      lecture_script(lesson, by_folder ? std::filesystem::absolute(name).string() : lesson.slug));
  console.note(
      fmt::format("Give the lecture with: rankscope-gui --script {0}\n"
                  "Watch it first, without clicks: rankscope-gui -c 'rehearse 0.1' --script {0}\n",
                  file));
  return kOk;
}

}  // namespace rankscope::cli
