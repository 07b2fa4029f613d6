// JSON written as TOML.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// Returns a table as a TOML document, without null values.
std::string to_toml(const nlohmann::json& table);
/// Returns the text in quotes: "a \"quoted\" text".
std::string toml_quoted(std::string_view text);

}  // namespace rankscope
