#include "lessons/shallow_json.h"

#include "engine/core/error.h"

namespace rankscope {

nlohmann::json parse_shallow_json(std::string_view text) {
  return nlohmann::json::parse(text, [](int depth, auto, auto&) {
    if (depth > kMostJsonLevels) throw UserError("it has lists within lists, too deep");
    return true;
  });
}

}  // namespace rankscope
