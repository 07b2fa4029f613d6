#include "engine/core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace rankscope {

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json parse_json_or_none(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}
nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

std::string dump_json(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string dump_json(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace rankscope
