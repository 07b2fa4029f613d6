// `rankscope lesson list`: lessons, courses and progress.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "lessons/lesson/course.h"
#include "lessons/lesson/progress.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

json json_of(const Course& course) {
  json parts = json::array();
  for (const CoursePart& part : course.parts) {
    json items = json::array();
    for (const CourseItem& item : part.items)
      if (item.later.empty())
        items.push_back({{"exercise", item.key()}, {"title", item.title}, {"points", item.points}});
      else items.push_back({{"later", item.later}, {"title", item.title}});
    parts.push_back({{"title", part.title}, {"points", part.points}, {"items", items}});
  }
  return {{"course", course.slug},
          {"title", course.title},
          {"summary", course.summary},
          {"points", course.points()},
          {"parts", parts}};
}

std::string student_of(const LessonOptions& options) {
  return options.student.empty() ? default_student() : options.student;
}

// A list must not fail because of a file that only `run` may set aside: it is looked at, not loaded.
LessonProgress progress_of(const std::string& student, const std::string& lesson) {
  try {
    const ProgressStore store;
    if (std::filesystem::exists(store.file_of(student, lesson))) return store.peek(student, lesson);
  } catch (const UserError&) {
    // Without a home nobody has a progress.
  }
  return {};
}

json json_of(const LessonLibrary& library, const std::string& student) {
  json lessons = json::array(), courses = json::array();
  for (const Lesson& lesson : library.lessons()) {
    const LessonProgress one = progress_of(student, lesson.slug);
    lessons.push_back({{"lesson", lesson.slug},
                       {"title", lesson.title},
                       {"summary", lesson.summary},
                       {"minutes", lesson.minutes},
                       {"questions", lesson.questions.size()},
                       {"points", lesson.points()},
                       {"done", one.done(lesson)},
                       {"reached", one.points()}});
  }
  for (const std::string& name : library.course_names()) {
    Complaints ignored;
    courses.push_back(
        json_of(library.read_course(library.root() / "courses" / (name + ".toml"), ignored)));
  }
  return {{"lessons", lessons}, {"courses", courses}};
}

void list_all(const Console& console, const LessonLibrary& library, const std::string& student) {
  Table table({{""},
               {"lesson", kLeft},
               {"minutes"},
               {"questions"},
               {"done"},
               {"points"},
               {"about", kLeft}});
  for (const Lesson& lesson : library.lessons()) {
    const LessonProgress progress = progress_of(student, lesson.slug);
    const std::string folder = lesson.folder.filename().string();
    table.add_row({folder == lesson.slug ? "" : folder.substr(0, folder.find('-')), lesson.slug,
                   std::to_string(lesson.minutes), std::to_string(lesson.questions.size()),
                   progress.questions.empty() ? "" : std::to_string(progress.done(lesson)),
                   progress.questions.empty()
                       ? number_text(lesson.points())
                       : fmt::format("{} of {}", number_text(progress.points()),
                                     number_text(lesson.points())),
                   lesson.title});
  }
  console.print(table.to_string(console.out()));
  console.print("\n");
  Table courses({{"course", kLeft}, {"points"}, {"about", kLeft}});
  for (const std::string& name : library.course_names()) {
    Complaints complaints;
    const Course course =
        library.read_course(library.root() / "courses" / (name + ".toml"), complaints);
    courses.add_row({name, number_text(course.points()), course.title});
  }
  if (!courses.empty()) console.print(courses.to_string(console.out()));
  console.note(fmt::format(
      "Progress is that of {}; `rankscope lesson run LESSON` goes through one.", student));
}

// What an exercise is worth for a student who went through its lesson: scaled to the course's points.
std::string points_in_course(const LessonLibrary& library, const CourseItem& item,
                             const std::string& student) {
  const Lesson* lesson = library.find(item.lesson);
  const Question* question = lesson == nullptr ? nullptr : lesson->find_question(item.id);
  if (question == nullptr) return "not graded";
  const QuestionProgress one = progress_of(student, lesson->slug).of(item.id);
  if (one.attempts == 0 && !one.gave_up) return "";
  if (one.state == Verdict::State::by_hand) return "by hand";
  return number_text(question->points > 0 ? one.points / question->points * item.points : 0);
}

void list_course(const Console& console, const LessonLibrary& library, const std::string& name,
                 const std::string& student) {
  const Course course = library.course(name);
  console.print(fmt::format("{} ({} points)\n", console.out().bold(course.title),
                            number_text(course.points())));
  if (!course.summary.empty()) console.print(wrap(course.summary, console.width()) + "\n");
  console.print("\n");
  Table table({{"exercise", kLeft}, {"points"}, {"yours"}, {"about", kLeft}});
  for (const CoursePart& part : course.parts) {
    table.add_section(fmt::format("{} ({} points)", part.title, number_text(part.points)));
    for (const CourseItem& item : part.items) {
      if (item.later.empty())
        table.add_row({item.key(), number_text(item.points),
                       points_in_course(library, item, student), item.title});
      else table.add_row({item.later, "", "", item.title + " (not yet here)"});
    }
  }
  console.print(table.to_string(console.out(), 2));
}

}  // namespace

int list_lessons(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  const std::string student = student_of(options);
  if (console.json()) {
    console.print_raw(json_text(options.names.empty() ? json_of(library, student)
                                                      : json_of(library.course(options.names[0]))));
    return kOk;
  }
  if (options.names.empty()) list_all(console, library, student);
  else list_course(console, library, options.names[0], student);
  return kOk;
}

}  // namespace rankscope::cli
