// Lessons in other languages: texts by key, in a folder of the language beside lesson.toml.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson/lesson.h"

namespace rankscope {

inline constexpr std::string_view kEnglish = "en";

/// A lesson's texts in one language: LANG/texts.toml, and pages LANG/1-values.md.
struct Translation {
  std::string language;                      ///< "de", "zh_CN": the folder's name.
  std::string name;                          ///< "Deutsch"
  std::map<std::string, std::string> texts;  ///< By key ("question.sums.prompt", "1-values.md").
  std::map<std::string, std::string>
      of;  ///< By key: text_mark() of the English text that was translated.
};

/// Short, and another one for another text.
std::string text_mark(std::string_view english);
/// Calls `visit` with the key and the text of everything that a lesson says to its readers; ids, code, answers, and names of a
/// table's columns, which are in answers, are none. Empty texts are left out.
void for_each_text(Lesson& lesson,
                   const std::function<void(const std::string& key, std::string& text)>& visit);
/// The languages into which a lesson was translated, by name of their folders.
std::vector<std::string> languages_of(const std::filesystem::path& lesson_folder);
Translation read_translation(const Lesson& lesson, const std::string& language,
                             Complaints& complaints);
/// The lesson's texts in this language; a text that it lacks stays English. Throws UserError, which names the languages that
/// there are, for one that there is not.
void translate(Lesson& lesson, const std::string& language);

/// Which language a lesson is shown in: `asked`, which has to be there; else, where the lesson has them, the remembered one,
/// then that of the environment (LC_ALL, LC_MESSAGES, LANG); else English. Throws UserError.
std::string language_for(const Lesson& lesson, const std::string& asked);
/// What somebody wants to read, kept in $XDG_CONFIG_HOME/rankscope/language; empty: nothing.
std::string remembered_language();
/// Throws UserError when it cannot be written.
void remember_language(const std::string& language);

/// Complains about translated texts whose English has changed since, keys that there are not, pages with other runs and
/// questions than the English one, and texts with other numbers to fill in.
void check_translations(const Lesson& lesson, Complaints& complaints);
/// A texts.toml to fill in: every text that a page does not hold, translated where it is, with the marks of the English ones.
std::string translation_template(const Lesson& lesson, const std::string& language);

/// Fixed words of handouts ("Question", "points") in a language, from content/words/LANG.toml; what it lacks stays as it is.
class FixedWords {
 public:
  FixedWords() = default;
  FixedWords(const std::filesystem::path& content, const std::string& language);
  std::string operator()(const std::string& english) const;

 private:
  std::map<std::string, std::string> words_;
};

}  // namespace rankscope
