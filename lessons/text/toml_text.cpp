// Writes JSON values as TOML.
#include "lessons/text/toml_text.h"

#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace rankscope {
namespace {

using nlohmann::json;

toml::array array_of(const json& list);

toml::table table_of(const json& object) {
  toml::table out;
  const auto put = [&](const std::string& key, const json& value) {
    if (value.is_object()) out.insert(key, table_of(value));
    else if (value.is_array()) out.insert(key, array_of(value));
    else if (value.is_string()) out.insert(key, value.get<std::string>());
    else if (value.is_boolean()) out.insert(key, value.get<bool>());
    else if (value.is_number_float()) out.insert(key, value.get<double>());
    else if (value.is_number()) out.insert(key, value.get<std::int64_t>());
  };
  for (const auto& [key, value] : object.items()) put(key, value);
  return out;
}

toml::array array_of(const json& list) {
  toml::array out;
  for (const json& value : list) {
    if (value.is_object()) out.push_back(table_of(value));
    else if (value.is_array()) out.push_back(array_of(value));
    else if (value.is_string()) out.push_back(value.get<std::string>());
    else if (value.is_boolean()) out.push_back(value.get<bool>());
    else if (value.is_number_float()) out.push_back(value.get<double>());
    else if (value.is_number()) out.push_back(value.get<std::int64_t>());
  }
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
