// Parses TOML with line numbers and implements the complaining reader.
#include "engine/toml/toml_source.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr int kMostDots = 32;   // in a key
constexpr int kMostLists = 40;  // lists and inline tables within each other

/// Counts dots and brackets outside strings and comments. In a text that is no TOML the counts may be
/// wrong, but there the parser stops.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  TooDeep run() {
    int dots = 0, lists = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      ++at_;
      if (c == '\n') ++line_;
      if (c == '[' || c == '{') ++lists;
      if (c == ']' || c == '}') lists = std::max(lists - 1, 0);
      if (c == '.') ++dots;
      if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots = 0;
      if (dots > kMostDots)
        return {line_, fmt::format("a key with more than {} dots is not read", kMostDots)};
      if (lists > kMostLists)
        return {line_,
                fmt::format("more than {} lists within each other are not read", kMostLists)};
    }
    return {};
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool block = text_.substr(at_, 3) == three;
    at_ += block ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        if (!block) return;  // no TOML
        ++line_;
      }
      if (quote == '"' && text_[at_] == '\\') {
        // The escaped character may be the line's end.
        line_ += at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
        at_ += 2;
        continue;
      }
      if (block ? text_.substr(at_, 3) == three : text_[at_] == quote) return close(block, quote);
      ++at_;
    }
  }

  /// Goes past the closing quotes; a block may end with two that belong to it: """a""""".
  void close(bool block, char quote) {
    at_ += block ? 3 : 1;
    for (int i = 0; block && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

TooDeep too_deep(std::string_view text) { return DepthScan(text).run(); }

namespace {

using nlohmann::json;

constexpr int kMostTomlLevels = 100;          // tables and lists within each other
constexpr std::size_t kMostKeyLetters = 200;  // shown in a message

json converted(const toml::node& node, int level) {
  if (level > kMostTomlLevels)
    throw UserError("it has tables or lists within each other, too deep");
  if (const auto* table = node.as_table()) {
    json out = json::object();
    for (const auto& [key, value] : *table)
      out[std::string(key.str())] = converted(value, level + 1);
    return out;
  }
  if (const auto* array = node.as_array()) {
    json out = json::array();
    for (const auto& value : *array) out.push_back(converted(value, level + 1));
    return out;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  std::ostringstream text;  // dates and times
  if (const auto* date = node.as_date()) text << date->get();
  if (const auto* time = node.as_time()) text << time->get();
  if (const auto* both = node.as_date_time()) text << both->get();
  return text.str();
}

/// Notes the lines of all values below `value`, which must not move in memory afterwards.
void note_lines(const toml::node& node, const json& value, int levels, TomlSource& into) {
  if (levels == 0) return;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, below] : *table) {
      const json& at = value.at(std::string(key.str()));
      into.lines[&at] = static_cast<int>(key.source().begin.line);
      note_lines(below, at, levels - 1, into);
    }
  } else if (const auto* array = node.as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      into.lines[&value.at(i)] = static_cast<int>((*array)[i].source().begin.line);
      note_lines((*array)[i], value.at(i), levels - 1, into);
    }
  }
}

/// Returns a key of the file as a message shows it.
std::string shown_key(std::string_view key) {
  return escaped(shortened(std::string(key.substr(0, 2 * kMostKeyLetters)), kMostKeyLetters));
}

}  // namespace

std::string Complaint::to_string() const {
  return line > 0 ? fmt::format("{}:{}: {}", file, line, text) : fmt::format("{}: {}", file, text);
}

std::string Complaints::to_string() const {
  std::string out;
  for (const Complaint& complaint : all_) out += complaint.to_string() + "\n";
  return out;
}

Complaints Complaints::first(std::size_t most, const std::string& file) const {
  Complaints out;
  for (const Complaint& one : all_)
    if (out.all_.size() < most) out.all_.push_back(one);
  if (all_.size() > most)
    out.add(file, 0, fmt::format("and {} more lines like these", all_.size() - most));
  return out;
}

std::shared_ptr<const TomlSource> parse_toml(std::string_view text, std::string name,
                                             Complaints& complaints, TomlLimits limits) {
  auto out = std::make_shared<TomlSource>();
  out->name = std::move(name);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  // The parser recurses for each part of a key, and so do its values when they are destroyed.
  if (const TooDeep deep = too_deep(text)) {
    complaints.add(out->name, deep.line, deep.says);
    return nullptr;
  }
  try {
    const toml::table table = toml::parse(text, out->name);
    out->root = converted(table, 0);
    out->lines[&out->root] = static_cast<int>(table.source().begin.line);
    note_lines(table, out->root, limits.line_levels, *out);
  } catch (const toml::parse_error& error) {
    complaints.add(out->name, static_cast<int>(error.source().begin.line),
                   fmt::format("is not TOML here: {}", printable(error.description())));
    return nullptr;
  } catch (const UserError& error) {
    complaints.add(out->name, 0, error.what());
    return nullptr;
  }
  return out;
}

std::shared_ptr<const TomlSource> read_toml(const std::filesystem::path& file, std::string name,
                                            Complaints& complaints, TomlLimits limits) {
  std::string fault;
  const std::string text = read_whole(file, limits.bytes, fault);
  if (fault.empty()) return parse_toml(text, std::move(name), complaints, limits);
  complaints.add(std::move(name), 0, fault);
  return nullptr;
}

// ---- TomlNode -----------------------------------------------------------------------------------

TomlNode::TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints)
    : TomlNode(source, complaints, &source->root, 0) {}

TomlNode::TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints,
                   const nlohmann::json* value, int line_around)
    : source_(std::move(source)),
      complaints_(&complaints),
      value_(value),
      line_(line_around),
      asked_(std::make_shared<std::set<std::string, std::less<>>>()),
      complained_(std::make_shared<std::set<std::string, std::less<>>>()) {
  if (const auto own = source_->lines.find(value); own != source_->lines.end()) line_ = own->second;
}

const nlohmann::json& TomlNode::json() const {
  static const nlohmann::json kNone;
  return value_ == nullptr ? kNone : *value_;
}

void TomlNode::complain(const std::string& text) const {
  complaints_->add(source_->name, line(), text);
}

void TomlNode::complain_once(std::string_view key, const TomlNode& at, const std::string& text) {
  if (complained_->emplace(key).second) at.complain(text);
}

bool TomlNode::has(std::string_view key) const {
  return value_ != nullptr && value_->is_object() && value_->contains(key);
}

TomlNode TomlNode::at(std::string_view key) {
  asked_->emplace(key);
  return {source_, *complaints_, has(key) ? &value_->find(key).value() : nullptr, line_};
}

std::vector<std::string> TomlNode::keys() const {
  std::vector<std::string> out;
  if (value_ != nullptr && value_->is_object())
    for (const auto& [key, value] : value_->items()) out.push_back(key);
  return out;
}

std::vector<TomlNode> TomlNode::elements() const {
  std::vector<TomlNode> out;
  if (value_ == nullptr) return out;
  if (!value_->is_array()) return {*this};
  for (std::size_t i = 0; i < value_->size(); ++i)
    out.push_back({source_, *complaints_, &(*value_)[i], line_});
  return out;
}

template <class T, class Check>
T TomlNode::checked(std::string_view key, T otherwise, Check fits, std::string_view what) {
  const TomlNode node = at(key);
  if (!node) return otherwise;
  if (fits(*node.value_)) return node.value_->template get<T>();
  complain_once(key, node, fmt::format("'{}' must be {}", key, what));
  return otherwise;
}

std::string TomlNode::text(std::string_view key, std::string_view otherwise) {
  return checked(
      key, std::string(otherwise), [](auto& v) { return v.is_string(); }, "a text in quotes");
}

std::string TomlNode::required_text(std::string_view key) {
  if (!has(key)) complain(fmt::format("'{}' is missing", key));
  std::string out = text(key);
  if (has(key) && out.empty()) at(key).complain(fmt::format("'{}' is empty", key));
  return out;
}

double TomlNode::number(std::string_view key, double otherwise) {
  return checked(
      key, otherwise, [](auto& v) { return v.is_number(); }, "a number");
}

double TomlNode::points(std::string_view key, double otherwise) {
  const double out = number(key, otherwise);
  if (std::isfinite(out) && out >= 0) return out;
  at(key).complain(fmt::format("'{}' is a number that is not negative", key));
  return otherwise;
}

int TomlNode::whole(std::string_view key, int otherwise) {
  return checked(
      key, otherwise, [](auto& v) { return v.is_number_integer(); }, "a whole number");
}

bool TomlNode::flag(std::string_view key, bool otherwise) {
  return checked(
      key, otherwise, [](auto& v) { return v.is_boolean(); }, "true or false");
}

std::vector<std::string> TomlNode::texts(std::string_view key) {
  std::vector<std::string> out;
  for (const TomlNode& node : at(key).elements())
    if (node.value_->is_string()) out.push_back(node.value_->template get<std::string>());
    else complain_once(key, node, fmt::format("'{}' must be a list of texts", key));
  return out;
}

nlohmann::json TomlNode::value(std::string_view key) { return at(key).json(); }

void TomlNode::finish() const {
  const std::vector<std::string> known(asked_->begin(), asked_->end());
  for (const std::string& key : keys()) {
    if (asked_->contains(key)) continue;
    // A long key is no typing error, and comparing it takes long.
    TomlNode(*this).at(key).complain(
        fmt::format("there is no '{}' here{}", shown_key(key),
                    key.size() > kMostKeyLetters ? "" : nearest_hint(key, known)));
  }
}

}  // namespace rankscope
