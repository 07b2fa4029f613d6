// `rankscope lesson language`: which languages there are, which one is used, and texts to translate.
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "lessons/course/translation.h"

namespace rankscope::cli {
namespace {

/// By language: the lessons that are there in it.
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
      const auto guess = did_you_mean(language, names);
      throw UserError(fmt::format("no lesson is there in '{}'; there are: {}{}{}",
                                  escaped(language), fmt::join(names, ", "),
                                  guess.empty() ? "" : "; ", guess));
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

}  // namespace rankscope::cli
