// Writes JSON values as TOML.
#include "engine/toml/toml_text.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace rankscope {
namespace {

using nlohmann::json;

toml::table table_of(const json& object);
toml::array array_of(const json& list);

/// Passes a value to `take` in its type for TOML; does nothing for null.
template <class Take>
void convert(const json& value, const Take& take) {
  if (value.is_object()) take(table_of(value));
  else if (value.is_array()) take(array_of(value));
  else if (value.is_string()) take(value.get<std::string>());
  else if (value.is_boolean()) take(value.get<bool>());
  else if (value.is_number_float()) take(value.get<double>());
  else if (value.is_number()) take(value.get<std::int64_t>());
}

toml::array array_of(const json& list) {
  toml::array out;
  for (const json& value : list)
    convert(value, [&](auto&& element) { out.push_back(std::move(element)); });
  return out;
}

toml::table table_of(const json& object) {
  toml::table out;
  for (const auto& [key, value] : object.items())
    convert(value, [&, &key = key](auto&& element) { out.insert(key, std::move(element)); });
  return out;
}

}  // namespace

std::string to_toml(const json& table) {
  std::ostringstream out;
  out << table_of(table) << '\n';
  return out.str();
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += fmt::format("\\{}", c);
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out + "\"";
}

}  // namespace rankscope
