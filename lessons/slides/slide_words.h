// Which words of a lesson's text stand on a slide: its key sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/text/markdown.h"

namespace rankscope {

struct SlideWord {
  std::string text;
  bool strong = false, code = false;
  bool key = false;  ///< In bold in the text: a term. (What is only stressed is strong, too.)
  bool space_before = true;
  bool line_end = false;  ///< The line is broken behind it.
  bool tied = false;  ///< Better on the same line as the word before: "30 ms", "N − 1", "rank 2".
};
using SlideWords = std::vector<SlideWord>;

SlideWords slide_words(const MarkdownLine& line);
/// As one would read them aloud.
std::string text_of(const SlideWords& words);
/// A paragraph's sentences, in order.
std::vector<SlideWords> sentences_of(const SlideWords& words);
/// A short paragraph and a worked example whole; of a longer one the sentences with a term in bold, else the first; and the
/// last one where it ends with a colon, since it introduces what follows. A question has its answer with it, and "They ..." the
/// sentence that says who.
SlideWords key_sentences(const SlideWords& words);
/// A paragraph that begins with a small letter: after a formula, the sentence of the paragraph before goes on.
bool goes_on(const SlideWords& words);
/// Those in front of the first one of `lead`: what is behind it would refer to a picture that comes later.
SlideWords sentences_before(const SlideWords& words, const SlideWords& lead);
/// The sentences that tell what to look for in a picture; all of a short paragraph.
SlideWords sentences_for_picture(const SlideWords& words);

}  // namespace rankscope
