#include "engine/analysis/event_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rankscope {

std::string op_text(OpId op) {
  if (op == 0) return {};
  return fmt::format("{}:{}", rank_of(op), op & ((OpId{1} << kOpCounterBits) - 1));
}

std::string site_text(const Trace& trace, std::uint32_t site) {
  const auto* definition = trace.definition(Definition::Kind::site, site);
  if (definition == nullptr) return {};
  return fmt::format("{}:{} {}", definition->file, definition->line, definition->name);
}

std::string definition_name(const Trace& trace, Definition::Kind kind, std::uint32_t id) {
  const auto* definition = trace.definition(kind, id);
  return definition == nullptr ? std::string() : definition->name;
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rankscope
