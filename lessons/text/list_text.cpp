// Takes lists in texts apart, and finds what a wrong word meant.
#include "lessons/text/list_text.h"

#include "engine/core/base/suggest.h"

namespace rankscope {

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  for (auto end = text.find_first_of(separators); end != std::string_view::npos;
       end = text.find_first_of(separators)) {
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  out.push_back(text);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out = split_at(text, "\n");
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  const std::string meant = did_you_mean(word, known);
  const std::string_view hint = meant.empty() ? otherwise : meant;
  return hint.empty() ? "" : "; " + std::string(hint);
}

}  // namespace rankscope
