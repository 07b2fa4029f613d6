// TOML whose values remember their lines, and a reader that complains instead of throwing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/toml/complaints.h"

namespace rankscope {

/// A key or list that is too deep to be parsed; false if there is none.
struct TooDeep {
  int line = 0;
  std::string says;
  explicit operator bool() const noexcept { return line > 0; }
};

/// Finds the first key with more parts, or list within more lists, than anybody needs.
TooDeep too_deep(std::string_view text);

/// A file as it was read. It cannot be copied, as `lines` knows values by their addresses.
struct TomlSource {
  TomlSource() = default;
  TomlSource(const TomlSource&) = delete;
  TomlSource& operator=(const TomlSource&) = delete;

  std::string name;  ///< The file's name, as in complaints.
  nlohmann::json root = nlohmann::json::object();
  /// The lines of the values in `root`; a value without one has the line of its table.
  std::unordered_map<const nlohmann::json*, int> lines;
};

struct TomlLimits {
  std::uintmax_t bytes = std::uintmax_t{4} << 20;
  /// How deep values remember their lines: 1 is the root's keys. A hostile file has a million elements.
  int line_levels = 1000;
};

/// Returns null, and complains, if the file cannot be read, is too large, is not UTF-8, not TOML, or has
/// keys or lists so deep that a recursive parser would run out of stack. Dates become text.
std::shared_ptr<const TomlSource> read_toml(const std::filesystem::path& file, std::string name,
                                            Complaints& complaints, TomlLimits limits = {});
/// As read_toml(), but does not check the limit of bytes.
std::shared_ptr<const TomlSource> parse_toml(std::string_view text, std::string name,
                                             Complaints& complaints, TomlLimits limits = {});

/// A value of such a file. It remembers the keys that were asked for: finish() complains about the rest.
class TomlNode {
 public:
  TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints);

  bool present() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return present(); }
  int line() const noexcept { return line_; }
  const std::string& file() const noexcept { return source_->name; }
  const nlohmann::json& json() const;  ///< null if absent.
  void complain(const std::string& text) const;

  /// Returns a value of this table, which may be absent.
  TomlNode at(std::string_view key);
  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;
  /// Returns the elements of an array; a single value counts as an array of one.
  std::vector<TomlNode> elements() const;

  // Return values of this table. A value of a wrong type is a complaint and gives the default.
  std::string text(std::string_view key, std::string_view otherwise = "");
  std::string required_text(std::string_view key);
  double number(std::string_view key, double otherwise);
  /// Returns a finite number that is not negative.
  double points(std::string_view key, double otherwise);
  int whole(std::string_view key, int otherwise);
  bool flag(std::string_view key, bool otherwise);
  std::vector<std::string> texts(std::string_view key);
  nlohmann::json value(std::string_view key);

  /// The keys that were asked for so far.
  const std::set<std::string, std::less<>>& asked() const noexcept { return *asked_; }
  /// Complains about keys that were not read, with the nearest known one.
  void finish() const;

 private:
  TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints,
           const nlohmann::json* value, int line_around);
  template <class T, class Check>
  T checked(std::string_view key, T otherwise, Check fits, std::string_view what);

  std::shared_ptr<const TomlSource> source_;
  Complaints* complaints_;
  const nlohmann::json* value_;
  int line_ = 0;
  /// Complains about a key once, however often it is asked for.
  void complain_once(std::string_view key, const TomlNode& at, const std::string& text);

  std::shared_ptr<std::set<std::string, std::less<>>> asked_, complained_;
};

}  // namespace rankscope
