// Makes parts of a slide from Markdown, and from what a question's kind shows of its key.
#include "lessons/slides/slide_answer.h"

#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/text/list_text.h"

namespace rankscope {

void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign) {
  for (const MarkdownBlock& block : parse_markdown(text))
    for (SlidePart& part : slide_parts(block, whole)) {
      if (!sign.empty() && part.kind == SlidePart::Kind::words) {
        part.kind = SlidePart::Kind::item;
        part.sign = std::exchange(sign, "");
        if (part.sign.empty()) part.sign = " ";
      }
      parts.push_back(std::move(part));
    }
}

void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts) {
  std::vector<std::size_t> chosen;
  for (const std::string_view letter : split_at(shown, ", "))
    if (letter.size() == 1 && letter[0] >= 'a' &&
        static_cast<std::size_t>(letter[0] - 'a') < options.size())
      chosen.push_back(static_cast<std::size_t>(letter[0] - 'a'));
    else if (!letter.empty()) chosen.push_back(options.size());
  if (options.empty() || ranges::find(chosen, options.size()) != chosen.end()) {
    SlidePart part;
    bool space = false;
    for (const std::string_view word : split_at(shown, " \n")) {
      if (!word.empty())
        part.words.push_back({std::string(word), true, false, false, space, false});
      space = true;
    }
    part.ink = {Tone::accent};
    parts.push_back(std::move(part));
    return;
  }
  for (const std::size_t option : chosen)
    add_markdown(options[option], true, parts, fmt::format("{})", static_cast<char>('a' + option)));
}

}  // namespace rankscope
