// The words of the course, each with the lesson that introduces it: content/glossary.toml.
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
  std::string says = {};               ///< What it means, in a sentence or two.
  std::string lesson = {};             ///< The slug of the lesson that introduces it.
  std::vector<std::string> see = {};   ///< Names of other words.
  bool link = true;                    ///< Handouts link its first use.
  int line = 0;
};

/// The words by name. Empty where `content` has no glossary.toml.
std::vector<GlossaryWord> read_glossary(const std::filesystem::path& content,
                                        Complaints& complaints);
/// By name or another form, whatever the case. Throws UserError with the nearest words.
const GlossaryWord& glossary_word(const std::vector<GlossaryWord>& words, std::string_view name);
/// Complains about a word without a lesson, with one that is not there or never uses the word, about a name that is there
/// twice, and about `see` of a word that is not there.
void check_glossary(const LessonLibrary& library, Complaints& complaints);

/// HTML in which the first use of each word outside of headings, code and links leads to #word-NAME and has its meaning as
/// title; `used` gets the words that were found, and words that it has already are left alone.
std::string link_words(std::string html, const std::vector<GlossaryWord>& words,
                       std::vector<const GlossaryWord*>& used);

}  // namespace rankscope
