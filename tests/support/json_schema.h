// The part of JSON Schema that our schemas use. An unknown keyword is an error, because an unchecked one would seem to
// hold.
#pragma once

#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace rankscope::test {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : schema_(std::move(schema)) {}
  /// Returns the violations, one per line, by JSON pointer.
  std::vector<std::string> errors(const nlohmann::json& value) const {
    std::vector<std::string> out;
    check(schema_, value, "", out);
    return out;
  }

 private:
  using json = nlohmann::json;
  using Errors = std::vector<std::string>;

  static bool is_type(const std::string& type, const json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    throw std::runtime_error("unknown type in the schema: " + type);
  }

  static void check(const json& schema, const json& value, const std::string& at, Errors& out) {
    for (const auto& [keyword, rule] : schema.items())
      check_one(keyword, rule, schema, value, at, out);
  }

  static void check_one(const std::string& keyword, const json& rule, const json& schema,
                        const json& value, const std::string& at, Errors& out) {
    const auto fail = [&](const std::string& why) { out.push_back(at + ": " + why); };
    const auto text = [&] { return value.is_string() ? value.get<std::string>() : std::string(); };
    if (keyword == "$comment") return;
    if (keyword == "type") {
      if (!is_type(rule, value)) fail("is no " + rule.get<std::string>());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        fail("is not allowed: " + value.dump());
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) fail("is less than " + rule.dump());
    } else if (keyword == "minLength") {
      if (value.is_string() && text().size() < rule.get<std::size_t>()) fail("is too short");
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule.get<std::size_t>()) fail("has too few elements");
    } else if (keyword == "pattern") {
      if (value.is_string() && !std::regex_search(text(), std::regex(rule.get<std::string>())))
        fail("does not match: " + text());
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(rule, value[i], at + "/" + std::to_string(i), out);
    } else {
      check_object(keyword, rule, schema, value, at, out);
    }
  }

  static void check_object(const std::string& keyword, const json& rule, const json& schema,
                           const json& value, const std::string& at, Errors& out) {
    if (keyword == "required") {
      for (const auto& name : rule)
        if (value.is_object() && !value.contains(name.get<std::string>()))
          out.push_back(at + ": lacks " + name.get<std::string>());
    } else if (keyword == "dependentRequired") {
      for (const auto& [name, others] : rule.items())
        if (value.is_object() && value.contains(name))
          check_object("required", others, schema, value, at, out);
    } else if (keyword == "properties") {
      for (const auto& [name, below] : rule.items())
        if (value.is_object() && value.contains(name))
          check(below, value[name], at + "/" + name, out);
    } else if (keyword == "additionalProperties") {
      for (const auto& [name, below] : value.items())
        if (rule == false && !schema.at("properties").contains(name))
          out.push_back(at + ": has " + name + ", which is not in the schema");
    } else {
      throw std::runtime_error("unknown keyword in the schema: " + keyword);
    }
  }

  nlohmann::json schema_;
};

}  // namespace rankscope::test
