// `rankscope lesson bank`: questions for other systems.
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "lessons/bank/bank.h"

namespace rankscope::cli {
namespace {

constexpr int kMostVariants = 20;

std::string bank_format(const LessonOptions& options) {
  std::string format = options.format;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (format.empty()) format = ending == ".xml" ? "moodle" : ending == ".zip" ? "qti" : "";
  if (format != "moodle" && format != "qti")
    throw UserError(
        format.empty()
            ? std::string("say which question bank it is for: --format moodle or --format qti")
            : fmt::format("'{}' is no format of question banks: use --format moodle or qti",
                          escaped(format)));
  return format;
}

std::vector<Lesson> lessons_of(const std::vector<std::string>& names) {
  std::vector<Lesson> out;
  if (names.empty()) {
    const LessonLibrary library(lessons_folder());
    for (const Lesson& lesson : library.lessons())
      if (!lesson.student_copy) out.push_back(whole_lesson(lesson.slug));
  }
  for (const std::string& name : names) {
    Lesson lesson = whole_lesson(name);
    for (const Lesson& other : out)
      if (other.slug == lesson.slug)
        throw UserError(fmt::format("the lesson {} is named twice", lesson.slug));
    out.push_back(std::move(lesson));
  }
  return out;
}

}  // namespace

int make_bank(const Console& console, const LessonOptions& options) {
  if (options.variants < 1 || options.variants > kMostVariants)
    throw UserError(
        fmt::format("--variants: from 1 to {}, not {}", kMostVariants, options.variants));
  const std::string format = bank_format(options);
  const std::string file = !options.output.empty() ? options.output
                           : format == "qti"       ? "questions.zip"
                                                   : "questions.xml";
  if (format == "qti" && file == "-")
    throw UserError("a zip file is not written to the standard output: name a file with --output");
  const std::vector<Lesson> lessons = lessons_of(options.names);
  LessonRuns runs([] { return make_runner(kThreadTransport); }, {});
  const QuestionBank bank = question_bank(lessons, runs, options.variants);
  if (bank.size() == 0) throw UserError("there is no question here that another system can ask");
  const std::string title = lessons.size() == 1 ? lessons[0].title : "rankscope";
  write_text(console, file, format == "qti" ? qti_package(bank, title) : moodle_xml(bank));
  std::string out;
  for (const std::string& one : bank.left_out) out += "left out: " + one + "\n";
  console.note(fmt::format(
      "{}{} of {}{}.", out, plural(bank.size(), "question"), plural(lessons.size(), "lesson"),
      bank.left_out.empty() ? "" : fmt::format("; {} left out", bank.left_out.size())));
  return kOk;
}

}  // namespace rankscope::cli
