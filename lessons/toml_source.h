// TOML whose values remember their lines, and a reader that complains instead of throwing.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/complaints.h"

namespace rankscope {

struct TomlSource {
  std::string name;  ///< Of the file, as complaints say it.
  nlohmann::json root = nlohmann::json::object();
  std::map<std::string, int, std::less<>> line;  ///< By JSON pointer ("/question/0/id").
};

/// Nothing (and complaints) when the file cannot be read, is larger than `most` bytes, is not UTF-8
/// or not TOML. Dates become text.
std::shared_ptr<const TomlSource> read_toml(const std::filesystem::path& file, std::string name,
                                            Complaints& complaints,
                                            std::uintmax_t most = std::uintmax_t{4} << 20);
std::shared_ptr<const TomlSource> parse_toml(std::string_view text, std::string name,
                                             Complaints& complaints);

/// A value of such a file. What was asked for is remembered: finish() complains about the rest.
class TomlNode {
 public:
  TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints);

  bool present() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return present(); }
  int line() const;
  const std::string& file() const noexcept { return source_->name; }
  const nlohmann::json& json() const;  ///< null when it is not there.
  void complain(const std::string& text) const;

  /// A value of this table; absent when there is none.
  TomlNode at(std::string_view key);
  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;
  /// The elements of an array; a single value counts as an array of one.
  std::vector<TomlNode> elements() const;

  // Values of this table. A wrong type is complained about and gives the default.
  std::string text(std::string_view key, std::string_view otherwise = "");
  std::string required_text(std::string_view key);
  double number(std::string_view key, double otherwise);
  int whole(std::string_view key, int otherwise);
  bool flag(std::string_view key, bool otherwise);
  std::vector<std::string> texts(std::string_view key);
  nlohmann::json value(std::string_view key);

  /// Complains about keys that nobody asked for, with the nearest known one.
  void finish() const;

 private:
  TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints,
           const nlohmann::json* value, std::string path);
  template <class Check>
  const nlohmann::json* checked(std::string_view key, Check fits, std::string_view what);

  std::shared_ptr<const TomlSource> source_;
  Complaints* complaints_;
  const nlohmann::json* value_;
  std::string path_;
  std::shared_ptr<std::set<std::string, std::less<>>> asked_;
};

}  // namespace rankscope
