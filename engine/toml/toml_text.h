// JSON written as TOML.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// A table as a TOML document; what is null is left out.
std::string to_toml(const nlohmann::json& table);
/// "a \"quoted\" text"
std::string toml_quoted(std::string_view text);

}  // namespace rankscope
