// Parses and writes JSON in one place: instantiating parser and writer takes two seconds of build time per source.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// Throws nlohmann::json::parse_error.
nlohmann::json parse_json(std::string_view text);
/// Returns a value that is_discarded() for text that is not JSON.
nlohmann::json parse_json_or_none(std::string_view text);
/// Keeps the order of members. Throws nlohmann::json::parse_error.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// Writes one line, or several with `indent`. Invalid UTF-8 becomes U+FFFD.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace rankscope
