// JSON of others: the library parses, copies and writes values by calling itself for each level.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// Throws json::parse_error for what is no JSON, UserError for what is too deep.
nlohmann::json parse_shallow_json(std::string_view text);

}  // namespace rankscope
