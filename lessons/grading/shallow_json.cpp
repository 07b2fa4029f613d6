// Rejects JSON that is nested too deeply before the library parses it.
#include "lessons/grading/shallow_json.h"

#include <cstddef>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"

namespace rankscope {

// Looks at the levels alone, before anything is made: the library's parser with a callback looks through a whole
// list at the end of each object in it. Up to its first mistake, where the library stops, a text has its brackets and
// quotes where this sees them.
nlohmann::json parse_shallow_json(std::string_view text) {
  constexpr int kMostLevels = 40;  // the most that anybody needs
  int level = 0;
  bool in_quotes = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') ++at;
    else if (c == '"') in_quotes = !in_quotes;
    else if (in_quotes) continue;
    else if (c == ']' || c == '}') --level;
    else if ((c == '[' || c == '{') && ++level > kMostLevels)
      throw UserError("it has lists within lists, too deep");
  }
  return parse_json(text);
}

}  // namespace rankscope
