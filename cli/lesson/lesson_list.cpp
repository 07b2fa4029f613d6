// Lists: `rankscope lesson list` and `language`, and `rankscope glossary`.
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/transports.h"
#include "lessons/course/course.h"
#include "lessons/course/glossary.h"
#include "lessons/course/progress.h"
#include "lessons/course/translation.h"
#include "lessons/handout/hand_in.h"

namespace rankscope::cli {

// ---- list ----------------------------------------------------------------------------------------

namespace {

using nlohmann::json;

/// A course, and how far a student is with it.
struct OpenCourse {
  OpenCourse(const LessonLibrary& library, const std::string& name, const std::string& student)
      : course(library.course(name)),
        grader(library, course),
        check(check_progress(grader, ProgressStore(), student)) {}

  const HandInItem* find(const CourseItem& item) const {
    const auto found = ranges::find(check.items, item.key(), &HandInItem::key);
    return found == check.items.end() ? nullptr : &*found;
  }

  Course course;
  CourseGrader grader;
  SheetCheck check;
};

json json_of(const OpenCourse& open) {
  const Course& course = open.course;
  json parts = json::array();
  for (const CoursePart& part : course.parts) {
    json items = json::array();
    for (const CourseItem& item : part.items) {
      const HandInItem* const one = open.find(item);
      if (one == nullptr) {
        items.push_back({{"later", item.later}, {"title", item.title}});
        continue;
      }
      items.push_back({{"exercise", item.key()},
                       {"title", one->title},
                       {"points", item.points},
                       {"state", to_string(one->standing)}});
      if (one->points) items.back()["reached"] = *one->points;
    }
    parts.push_back({{"title", part.title}, {"points", part.points}, {"items", items}});
  }
  return {{"course", course.slug},          {"title", course.title},
          {"summary", course.summary},      {"points", course.points()},
          {"reached", open.check.points()}, {"parts", parts}};
}

// Peeks at a progress file, because the list must not fail on a damaged one, which only `run` may set aside.
LessonProgress progress_of(const std::string& student, const std::string& lesson) {
  try {
    const ProgressStore store;
    if (std::filesystem::exists(store.file_of(student, lesson))) return store.peek(student, lesson);
  } catch (const UserError&) {
    // Without a home there is no progress.
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
                       {"items", lesson.items()},
                       {"points", lesson.points()},
                       {"done", one.done(lesson)},
                       {"reached", one.points()}});
  }
  for (const std::string& name : library.course_names())
    courses.push_back(json_of(OpenCourse(library, name, student)));
  return {{"lessons", lessons}, {"courses", courses}};
}

void list_all(const Console& console, const LessonLibrary& library, const std::string& student) {
  Table table(
      {{""}, {"lesson", kLeft}, {"minutes"}, {"items"}, {"done"}, {"points"}, {"about", kLeft}});
  for (const Lesson& lesson : library.lessons()) {
    const LessonProgress progress = progress_of(student, lesson.slug);
    const std::string folder = lesson.folder.filename().string();
    table.add_row({folder == lesson.slug ? "" : folder.substr(0, folder.find('-')), lesson.slug,
                   std::to_string(lesson.minutes), std::to_string(lesson.items()),
                   progress.questions.empty() && progress.programs.empty()
                       ? ""
                       : std::to_string(progress.done(lesson)),
                   progress.questions.empty() && progress.programs.empty()
                       ? number_text(lesson.points())
                       : fmt::format("{} of {}", number_text(progress.points()),
                                     number_text(lesson.points())),
                   lesson.title});
  }
  console.print(table.to_string(console.out()));
  console.print("\n");
  Table courses({{"course", kLeft}, "points", {"about", kLeft}});
  for (const std::string& name : library.course_names()) {
    const OpenCourse open(library, name, student);
    const std::string most = number_text(open.course.points());
    const bool begun = ranges::any_of(
        open.check.items, [](const HandInItem& item) { return !item.lacks() || item.points; });
    courses.add_row({name,
                     begun ? fmt::format("{} of {}", number_text(open.check.points()), most) : most,
                     open.course.title});
  }
  if (!courses.empty()) console.print(courses.to_string(console.out()));
  console.note(fmt::format(
      "Progress is that of {}; `rankscope lesson run LESSON` goes through one.", student));
}

void list_course(const Console& console, const LessonLibrary& library, const std::string& name,
                 const std::string& student) {
  const OpenCourse open(library, name, student);
  const Course& course = open.course;
  console.print(fmt::format("{} ({} of {} points)\n", console.out().bold(course.title),
                            number_text(open.check.points()), number_text(course.points())));
  if (!course.summary.empty()) console.print(wrap(course.summary, console.width()) + "\n");
  console.print("\n");
  Table table({{"exercise", kLeft}, "points", {"state", kLeft}, {"about", kLeft}});
  for (const CoursePart& part : course.parts) {
    table.add_section(fmt::format("{} ({} points)", part.title, number_text(part.points)));
    for (const CourseItem& item : part.items) {
      const HandInItem* const one = open.find(item);
      if (one != nullptr)
        table.add_row({item.key(),
                       one->points ? fmt::format("{} of {}", number_text(*one->points),
                                                 number_text(one->most))
                                   : number_text(one->most),
                       std::string(to_string(one->standing)), one->title});
      else table.add_row({item.later, "", "", item.title + " (not yet here)"});
    }
  }
  console.print(table.to_string(console.out(), 2));
}

/// Returns the course's first question that is still open, with the page that has it; the page is 0 if none is.
std::pair<const CourseItem*, int> next_question(const OpenCourse& open,
                                                const LessonLibrary& library) {
  constexpr std::array kOpen = {ItemStanding::open, ItemStanding::partly, ItemStanding::wrong,
                                ItemStanding::unreadable};
  for (const CoursePart& part : open.course.parts)
    for (const CourseItem& item : part.items) {
      const HandInItem* const one = open.find(item);
      if (one == nullptr || ranges::find(kOpen, one->standing) == kOpen.end()) continue;
      const auto& steps = library.need(item.lesson).steps;
      const auto page = ranges::find_if(steps, [&](const Step& step) {
        return ranges::any_of(step.blocks, [&](const Block& block) {
          return block.kind == Block::Kind::question && block.id == item.id;
        });
      });
      if (page != steps.end()) return {&item, static_cast<int>(page - steps.begin()) + 1};
    }
  return {nullptr, 0};
}

}  // namespace

std::string student_of(const LessonOptions& options) {
  return options.student.empty() ? default_student() : options.student;
}

bool names_course(const std::string& name) {
  if (std::filesystem::exists(std::filesystem::path(name) / "lesson.toml")) return false;
  const LessonLibrary library(lessons_folder());
  const auto names = library.course_names();
  return library.find(name) == nullptr && ranges::find(names, name) != names.end();
}

int run_course(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  const std::string& name = options.names[0];
  const std::string student = student_of(options);
  list_course(console, library, name, student);
  const OpenCourse open(library, name, student);
  const auto [item, page] = next_question(open, library);
  console.print(fmt::format(
      "\nPrograms: `rankscope exercise` judges one. To hand in: `rankscope lesson hand-in {}`.\n",
      name));
  if (item == nullptr) {
    console.print("No question is open.\n");
    return kOk;
  }
  console.print(fmt::format("The next open question is {}, on page {} of its lesson.\n\n",
                            item->key(), page));
  LessonOptions lesson = options;
  lesson.names = {item->lesson};
  lesson.step = page;
  return run_lesson(console, lesson);
}

int list_lessons(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  const std::string student = student_of(options);
  if (console.json()) {
    console.print_raw(json_text(options.names.empty()
                                    ? json_of(library, student)
                                    : json_of(OpenCourse(library, options.names[0], student))));
    return kOk;
  }
  if (options.names.empty()) list_all(console, library, student);
  else list_course(console, library, options.names[0], student);
  return kOk;
}

// ---- language ------------------------------------------------------------------------------------

namespace {

/// Returns the translated lessons by language.
std::map<std::string, std::vector<std::string>> translations_of(const LessonLibrary& library) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Lesson& lesson : library.lessons())
    for (const std::string& language : languages_of(lesson.folder))
      out[language].push_back(lesson.slug);
  return out;
}

}  // namespace

Lesson lesson_in_language(const LessonOptions& options) {
  Lesson lesson = lesson_named(options.names[0]);
  translate(lesson, language_for(lesson, options.lang));
  return lesson;
}

int lesson_language(const Console& console, const LessonOptions& options) {
  if (options.names.size() == 2) {
    console.print_raw(translation_template(lesson_named(options.names[1]), options.names[0]));
    return kOk;
  }
  const LessonLibrary library(lessons_folder());
  const auto known = translations_of(library);
  if (options.names.size() == 1) {
    const std::string& language = options.names[0];
    if (language != kEnglish && !known.contains(language)) {
      std::vector<std::string> names{std::string(kEnglish)};
      for (const auto& [name, lessons] : known) names.push_back(name);
      throw UserError(fmt::format("no lesson is there in '{}'; there are: {}{}", escaped(language),
                                  fmt::join(names, ", "), nearest_hint(language, names)));
    }
    remember_language(language);
  }
  const std::string kept = remembered_language();
  if (console.json()) {
    console.print_raw(json_text({{"remembered", kept}, {"lessons", known}}));
    return kOk;
  }
  console.print(
      kept.empty()
          ? "No language is remembered: that of LC_ALL, LC_MESSAGES or LANG is used where "
            "a lesson has it, else English.\n"
          : fmt::format("Lessons are shown in {} where they have it, else in English.\n", kept));
  for (const auto& [language, lessons] : known)
    console.print(fmt::format("  {}: {}\n", language, fmt::join(lessons, ", ")));
  return kOk;
}

// ---- rankscope glossary --------------------------------------------------------------------------

namespace {

using nlohmann::json;

json json_of(const GlossaryWord& word) {
  return {{"name", word.name},
          {"also", word.also},
          {"says", word.says},
          {"lesson", word.lesson},
          {"see", word.see}};
}

void print_word(const Console& console, const GlossaryWord& word) {
  std::string head = console.out().bold(word.name);
  if (!word.also.empty()) head += fmt::format(" ({})", fmt::join(word.also, ", "));
  console.print(head + "\n" + wrap("  " + word.says, console.width(), 2) + "\n");
  if (!word.see.empty()) console.print(fmt::format("  See also: {}\n", fmt::join(word.see, ", ")));
  console.print(fmt::format("  Lesson: rankscope lesson run {}\n", word.lesson));
}

int glossary(const Console& console, const std::string& name) {
  const auto content = lessons_folder() / "content";
  Complaints complaints;
  const auto words = read_glossary(content, complaints);
  if (!complaints.empty()) throw UserError(complaints.to_string());
  if (words.empty())
    throw UserError(fmt::format("there is no glossary.toml in {}: these lessons have no glossary",
                                content.string()));
  if (!name.empty()) {
    const GlossaryWord& word = glossary_word(words, name);
    if (console.json()) console.print_raw(json_text(json_of(word)));
    else print_word(console, word);
    return kOk;
  }
  if (console.json()) {
    json all = json::array();
    for (const GlossaryWord& word : words) all.push_back(json_of(word));
    console.print_raw(json_text(all));
    return kOk;
  }
  for (const GlossaryWord& word : words)
    console.print(
        wrap(fmt::format("{}: {}", console.out().bold(word.name), word.says), console.width(), 2) +
        "\n");
  console.note(
      fmt::format("{} words; `rankscope glossary WORD` names the lesson of one.", words.size()));
  return kOk;
}

Action define_glossary(OptionList app) {
  const auto name = std::make_shared<std::string>();
  app.add_option("WORD", "WORD", *name, "A word, in any of its forms; without it, all words");
  return [name](const Console& console) { return glossary(console, *name); };
}

}  // namespace

constinit const CommandEntry kGlossaryCommand{
    .name = "glossary",
    .group = kTeaching,
    .summary = "explain a term, and name the lesson that introduces it",
    .details = "Without a word, all of them. Any form of a word is understood: ranks, algbw, β.",
    .examples =
        "rankscope glossary rendezvous\n"
        "rankscope glossary  # all words\n"
        "rankscope glossary \"bus bandwidth\" --json  # for a script",
    .define = define_glossary,
};

}  // namespace rankscope::cli
