// `rankscope lesson`: what there is to learn, and whether a lesson is whole.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/table.h"
#include "engine/core/error.h"
#include "engine/run/process_runner.h"
#include "lessons/course.h"
#include "lessons/grade.h"
#include "lessons/run_book.h"

namespace rankscope::cli {
namespace {

struct LessonOptions {
  std::string action;
  std::vector<std::string> names;
};

int list_lessons(const Console& console) {
  const LessonLibrary library(lessons_folder());
  Table table({{"lesson", Table::Align::left},
               {"minutes"},
               {"questions"},
               {"points"},
               {"about", Table::Align::left}});
  for (const Lesson& lesson : library.lessons())
    table.add_row({lesson.slug, std::to_string(lesson.minutes),
                   std::to_string(lesson.questions.size()), number_text(lesson.points()),
                   lesson.title});
  console.print(table.to_string(console.out()));
  return kOk;
}

int check_lessons(const Console& console, const std::vector<std::string>& names) {
  Complaints complaints;
  std::vector<Lesson> lessons;
  if (names.empty()) {
    const LessonLibrary library(lessons_folder());
    complaints = library.complaints();
    lessons = library.lessons();
    for (const std::string& name : library.course_names())
      library.read_course(library.root() / "courses" / (name + ".toml"), complaints);
  }
  for (const std::string& name : names) {
    std::filesystem::path folder = name;
    if (!std::filesystem::exists(folder / "lesson.toml"))
      folder = LessonLibrary(lessons_folder()).need(name).folder;
    lessons.push_back(read_lesson(folder, complaints));
  }
  RunBook runs([] { return make_runner("inproc"); }, {});
  for (const Lesson& lesson : lessons) check_lesson(lesson, runs, complaints);
  console.print(complaints.to_string());
  if (!complaints.empty()) return kBadInput;
  std::size_t questions = 0, answers = 0;
  for (const Lesson& lesson : lessons)
    for (const Question& question : lesson.questions) {
      ++questions;
      answers += question.stored.size();
    }
  console.print(
      fmt::format("{} lessons with {} questions are whole; {} stored answers grade as stored.\n",
                  lessons.size(), questions, answers));
  return kOk;
}

int run_lesson(const Console& console, const LessonOptions& options) {
  if (options.action == "list") return list_lessons(console);
  if (options.action == "check") return check_lessons(console, options.names);
  throw UserError(fmt::format("'{}' is no action: list or check", options.action));
}

}  // namespace

Action define_lesson(OptionList app) {
  const auto options = std::make_shared<LessonOptions>();
  app.add_option("ACTION", options->action, "What to do")->type_name("list|check")->required();
  app.add_option("LESSON", options->names, "A lesson's name or folder; all of them for check")
      ->type_name("LESSON");
  return [options](const Console& console) { return run_lesson(console, *options); };
}

}  // namespace rankscope::cli
