// Chooses the words of a lesson's text that stand on a slide: its key sentences.
#pragma once

#include <string>
#include <vector>

#include "lessons/text/markdown.h"

namespace rankscope {

struct SlideWord {
  std::string text;
  bool strong = false, code = false;
  bool key = false;  ///< In bold in the text, so a term; emphasised words are strong, too.
  bool space_before = true;
  bool line_end = false;  ///< A line ends after it.
  bool tied =
      false;  ///< Kept on the line of the word before if possible: "30 ms", "N − 1", "rank 2".
};
using SlideWords = std::vector<SlideWord>;

SlideWords slide_words(const MarkdownLine& line);
std::string text_of(const SlideWords& words);
/// A paragraph's sentences, in order.
std::vector<SlideWords> sentences_of(const SlideWords& words);
/// Returns all of a short paragraph or worked example. Of a longer paragraph it returns the sentences with a term in bold,
/// or else the first one, and the last one if it ends with a colon, since that introduces what follows. A question brings
/// the sentence after it along, and "They …" the one before.
SlideWords key_sentences(const SlideWords& words);
/// Returns whether a paragraph begins with a small letter, and so continues the sentence before a formula.
bool goes_on(const SlideWords& words);
/// The sentences before the first one of `lead`; later ones may refer to a picture that is not shown yet.
SlideWords sentences_before(const SlideWords& words, const SlideWords& lead);
/// The sentences that say what to look for in a picture; all of a short paragraph.
SlideWords sentences_for_picture(const SlideWords& words);

}  // namespace rankscope
