// `rankscope lesson list`, `show` and `run`.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/lesson/lesson_json.h"
#include "cli/lesson/lesson_page.h"
#include "cli/lesson/lesson_session.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "lessons/course/locks.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

LessonRuns lesson_runs_of(const Lesson& lesson) {
  return LessonRuns([] { return make_runner(kThreadTransport); }, lesson.runs);
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

/// Lines of the standard input, however long.
std::optional<std::string> next_line() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

LessonProgress begin(const Console& console, const LessonOptions& options, const Lesson& lesson,
                     const ProgressStore& store, LessonRuns& runs) {
  const std::string student = student_of(options);
  ProgressStore::Loaded loaded = store.load(student, lesson.slug);
  if (!loaded.problem.empty()) console.note(loaded.problem);
  LessonProgress& progress = loaded.progress;
  if (options.restart) {
    if (const auto copy = store.back_up(student, lesson.slug); !copy.empty())
      console.note(fmt::format("The former answers are kept in {}.", escaped(copy.string())));
    progress = LessonProgress{lesson.slug, student, 0, 0, {}};
    loaded.found = false;
  }
  if (options.seed_given && lesson.copy_seed)
    throw UserError(
        fmt::format("this is the copy of {}, which has numbers of its own: go without --seed",
                    escaped(lesson.copy_of)));
  if (options.seed_given && loaded.found && progress.seed != options.seed &&
      !progress.questions.empty())
    throw UserError(
        fmt::format("{} began this lesson with --seed {}: go on without --seed, or begin "
                    "again with --restart",
                    student, progress.seed));
  if (options.seed_given) progress.seed = options.seed;
  if (const int graded = renew(progress, lesson, runs); graded > 0)
    console.note(
        fmt::format("The lesson has changed: {} graded again.",
                    graded == 1 ? "1 answer was" : fmt::format("{} answers were", graded)));
  if (loaded.found && !progress.questions.empty())
    console.note(fmt::format("Going on for {}, from page {}.", student, progress.step + 1));
  return std::move(loaded.progress);
}

int checked_step(const LessonOptions& options, const Lesson& lesson) {
  const int pages = static_cast<int>(lesson.steps.size());
  if (options.step < 0 || options.step > pages)
    throw UserError(fmt::format("--step: this lesson has pages 1 to {}", pages));
  return options.step;
}

}  // namespace

int list_lessons(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  const std::string student = student_of(options);
  if (console.json()) {
    console.print_raw(json_text(
        options.names.empty()
            ? json_of(library,
                      [&](const std::string& lesson) { return progress_of(student, lesson); })
            : json_of(library.course(options.names[0]))));
    return kOk;
  }
  if (options.names.empty()) list_all(console, library, student);
  else list_course(console, library, options.names[0], student);
  return kOk;
}

int show_lesson(const Console& console, const LessonOptions& options) {
  const Lesson lesson = lesson_in_language(options);
  LessonRuns runs = lesson_runs_of(lesson);
  const int only = checked_step(options, lesson);
  if (console.json()) {
    console.print_raw(json_text(json_of(lesson, options.seed, options.lecturer, runs)));
    return kOk;
  }
  const LessonPage page(lesson, runs, console.out(), console.width(),
                        {options.seed, options.lecturer, options.reveal});
  if (only == 0) console.print(page.head());
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    if (only != 0 && static_cast<int>(i) + 1 != only) continue;
    console.print((only == 0 ? "\n" : "") + page.step_title(i));
    for (const Block& block : lesson.steps[i].blocks) {
      // Nothing was answered here: what opens with an answer is closed.
      const auto locked = locked_by(
          lesson, block, [&](const Question&) { return options.reveal || options.lecturer; });
      const std::string text =
          locked.empty() ? page.block(block) : page.locked_block(block, locked);
      if (!text.empty()) console.print("\n" + text);
    }
  }
  return kOk;
}

int run_lesson(const Console& console, const LessonOptions& options) {
  const Lesson lesson = lesson_in_language(options);
  LessonRuns runs = lesson_runs_of(lesson);
  const ProgressStore store;
  const int only = checked_step(options, lesson);
  LessonProgress progress = begin(console, options, lesson, store, runs);
  if (only > 0) progress.step = only - 1;
  const LessonPage page(lesson, runs, console.out(), console.width(),
                        {progress.seed, false, false});
  SessionSettings settings;
  settings.next_line = next_line;
  settings.say = [&](const std::string& text) { console.print(text); };
  settings.interactive = console.in_is_terminal();
  settings.ask = [&](const std::string& prompt) {
    if (settings.interactive) console.print(prompt);
    console.flush();
  };
  settings.save = [&](const LessonProgress& now) { store.save(now); };
  settings.again = only > 0;
  if (progress.step == 0) console.print(page.head() + "\n");
  LessonSession session(lesson, runs, page, progress, settings);
  const bool ended = session.run();
  console.print("\n" + progress_text(lesson, progress, console.out()));
  if (!ended)
    console.note(fmt::format("`rankscope lesson run {}` goes on from here.", options.names[0]));
  return kOk;
}

}  // namespace rankscope::cli
