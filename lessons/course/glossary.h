// The glossary of all lessons, content/glossary.toml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/toml/complaints.h"

namespace rankscope {

class LessonLibrary;

struct GlossaryWord {
  std::string name = {};
  std::vector<std::string> also = {};  ///< Other forms: plurals, abbreviations.
  std::string says = {};               ///< Its meaning, in a sentence or two.
  std::string lesson = {};             ///< The slug of the lesson that introduces it.
  std::vector<std::string> see = {};   ///< Names of other words.
  bool link = true;                    ///< Handouts link its first use.
  int line = 0;
};

/// Reads the words, ordered by name; none where `content` has no glossary.toml.
std::vector<GlossaryWord> read_glossary(const std::filesystem::path& content,
                                        Complaints& complaints);
/// Finds a word by its name or another form, ignoring case. Throws UserError with the nearest words.
const GlossaryWord& glossary_word(const std::vector<GlossaryWord>& words, std::string_view name);
/// Complains about a word without a lesson, with a lesson that does not exist or never uses the word, about a name that is
/// used twice, and about `see` of an unknown word.
void check_glossary(const LessonLibrary& library, Complaints& complaints);

/// Links the first use of each word outside of headings, code and links to #word-LINE, with its meaning as title.
/// `used`
/// gets the words that were found; words that are already in it are not linked.
std::string link_words(std::string html, const std::vector<GlossaryWord>& words,
                       std::vector<const GlossaryWord*>& used);

}  // namespace rankscope
