// Shortens a program for a slide: its comment and its function, without what stands around them.
#include "lessons/slides/slide_program.h"

#include <string>

#include "lessons/text/list_text.h"

namespace rankscope {

std::vector<SlidePart> program_parts(std::string_view program) {
  SlidePart words, code;
  words.scale = 0.75;
  words.ink = {Tone::muted};
  code.kind = SlidePart::Kind::code;
  int number = 0;
  for (const std::string_view line : lines_of(program)) {
    ++number;
    const bool is_head = line.empty() || line.starts_with("#") || line.starts_with("//") ||
                         line.starts_with("namespace ");
    if (code.lines.empty() && is_head) {
      if (line.starts_with("// "))
        for (const std::string_view word : split_at(line.substr(3), " "))
          words.words.push_back({std::string(word), false, false, false, true, false});
      continue;
    }
    if (code.lines.empty()) code.first_number = number;
    code.lines.emplace_back(line);
  }
  while (!code.lines.empty() &&
         (code.lines.back().empty() || code.lines.back().starts_with("}  // namespace")))
    code.lines.pop_back();
  if (words.words.empty()) return {code};
  return {words, code};
}

}  // namespace rankscope
