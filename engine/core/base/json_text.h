// JSON from text and to text, compiled once: a parser and a writer of its own cost each source two seconds of a build.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// Throws nlohmann::json::parse_error.
nlohmann::json parse_json(std::string_view text);
/// What is no JSON gives a value that is_discarded().
nlohmann::json parse_json_or_none(std::string_view text);
/// Its members keep their order. Throws nlohmann::json::parse_error.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// On one line; with `indent`, on several. What is no UTF-8 becomes U+FFFD.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace rankscope
