// Lessons in other languages: texts by key, in a folder of the language beside lesson.toml.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/read_lesson.h"

namespace rankscope {

inline constexpr std::string_view kEnglish = "en";

/// A lesson's texts in one language: LANG/texts.toml, and pages LANG/1-values.md.
struct Translation {
  std::string language;                      ///< The folder's name: "de", "zh_CN".
  std::string name;                          ///< "Deutsch"
  std::map<std::string, std::string> texts;  ///< By key ("question.sums.prompt", "1-values.md").
  std::map<std::string, std::string>
      of;  ///< The text_mark() of each English text that was translated.
};

/// Returns a short hash of an English text.
std::string text_mark(std::string_view english);
/// Calls `visit` with the key and text of all that a lesson says to its readers outside of pages, except empty texts.
/// Ids, code,
/// answers, and the names of a table's columns, which stand in answers, are not translated.
void for_each_text(Lesson& lesson,
                   const std::function<void(const std::string& key, std::string& text)>& visit);
/// Returns the languages into which a lesson was translated, by their folders' names.
std::vector<std::string> languages_of(const std::filesystem::path& lesson_folder);
Translation read_translation(const Lesson& lesson, const std::string& language,
                             Complaints& complaints);
/// Replaces the lesson's texts by those in a language; a text without translation stays English. Throws UserError with the
/// known languages for an unknown one.
void translate(Lesson& lesson, const std::string& language);

/// Returns the language in which to show a lesson: `asked`, even if the lesson lacks it (translate() then throws);
/// else, if the lesson has it, the remembered one, then that of the environment (LC_ALL, LC_MESSAGES, LANG); else
/// English.
std::string language_for(const Lesson& lesson, const std::string& asked);
/// Returns the language that a reader chose, from $XDG_CONFIG_HOME/rankscope/language; empty if none.
std::string remembered_language();
/// Throws UserError when it cannot be written.
void remember_language(const std::string& language);

/// Complains about translated texts whose English has changed since, unknown keys, pages whose runs and questions differ
/// from the English ones, and texts that fill in something else.
void check_translations(const Lesson& lesson, Complaints& complaints);
/// Returns a texts.toml to fill in: every text outside of pages, with its translation so far and the mark of the
/// English text.
std::string translation_template(const Lesson& lesson, const std::string& language);

/// The fixed words of handouts ("Question", "points") in a language, from content/words/LANG.toml; unknown ones stay English.
class FixedWords {
 public:
  FixedWords() = default;
  FixedWords(const std::filesystem::path& content, const std::string& language);
  std::string operator()(const std::string& english) const;

 private:
  std::map<std::string, std::string> words_;
};

}  // namespace rankscope
