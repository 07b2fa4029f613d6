// Takes lists in texts apart.
#include "lessons/text/list_text.h"

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

}  // namespace rankscope
