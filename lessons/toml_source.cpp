#include "lessons/toml_source.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "engine/core/suggest.h"

namespace rankscope {
namespace {

using nlohmann::json;

std::string pointer_part(std::string_view key) {
  std::string out;
  for (const char c : key)
    if (c == '~') out += "~0";
    else if (c == '/') out += "~1";
    else out += c;
  return out;
}

class Converter {
 public:
  explicit Converter(TomlSource& into) : into_(into) {}

  json convert(const toml::node& node, const std::string& path) {
    into_.line[path] = static_cast<int>(node.source().begin.line);
    if (const auto* table = node.as_table()) {
      json out = json::object();
      for (const auto& [key, value] : *table) {
        const std::string below = path + "/" + pointer_part(key.str());
        out[std::string(key.str())] = convert(value, below);
        into_.line[below] = static_cast<int>(key.source().begin.line);
      }
      return out;
    }
    if (const auto* array = node.as_array()) {
      json out = json::array();
      for (const auto& value : *array)
        out.push_back(convert(value, fmt::format("{}/{}", path, out.size())));
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

 private:
  TomlSource& into_;
};

}  // namespace

std::string Complaint::to_string() const {
  return line > 0 ? fmt::format("{}:{}: {}", file, line, text) : fmt::format("{}: {}", file, text);
}

std::string Complaints::to_string() const {
  std::string out;
  for (const Complaint& complaint : all_) out += complaint.to_string() + "\n";
  return out;
}

std::shared_ptr<const TomlSource> parse_toml(std::string_view text, std::string name,
                                             Complaints& complaints) {
  auto out = std::make_shared<TomlSource>();
  out->name = std::move(name);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  try {
    const toml::table table = toml::parse(text, out->name);
    out->root = Converter(*out).convert(table, "");
  } catch (const toml::parse_error& error) {
    complaints.add(out->name, static_cast<int>(error.source().begin.line),
                   fmt::format("is not TOML here: {}", error.description()));
    return nullptr;
  }
  return out;
}

std::shared_ptr<const TomlSource> read_toml(const std::filesystem::path& file, std::string name,
                                            Complaints& complaints, std::uintmax_t most) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) {
    complaints.add(std::move(name), 0, fmt::format("cannot be read: {}", error.message()));
    return nullptr;
  }
  if (size > most) {
    complaints.add(std::move(name), 0,
                   fmt::format("has {} bytes; at most {} are read", size, most));
    return nullptr;
  }
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) {
    complaints.add(std::move(name), 0, "cannot be read");
    return nullptr;
  }
  return parse_toml(text, std::move(name), complaints);
}

// ---- TomlNode -----------------------------------------------------------------------------------

TomlNode::TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints)
    : TomlNode(source, complaints, &source->root, "") {}

TomlNode::TomlNode(std::shared_ptr<const TomlSource> source, Complaints& complaints,
                   const nlohmann::json* value, std::string path)
    : source_(std::move(source)),
      complaints_(&complaints),
      value_(value),
      path_(std::move(path)),
      asked_(std::make_shared<std::set<std::string, std::less<>>>()) {}

int TomlNode::line() const {
  for (std::string path = path_;; path.resize(path.rfind('/'))) {
    if (const auto at = source_->line.find(path); at != source_->line.end()) return at->second;
    if (path.find('/') == std::string::npos) return 0;
  }
}

const nlohmann::json& TomlNode::json() const {
  static const nlohmann::json kNone;
  return value_ == nullptr ? kNone : *value_;
}

void TomlNode::complain(const std::string& text) const {
  complaints_->add(source_->name, line(), text);
}

bool TomlNode::has(std::string_view key) const {
  return value_ != nullptr && value_->is_object() && value_->contains(key);
}

TomlNode TomlNode::at(std::string_view key) {
  asked_->emplace(key);
  return {source_, *complaints_, has(key) ? &value_->find(key).value() : nullptr,
          path_ + "/" + pointer_part(key)};
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
    out.push_back({source_, *complaints_, &(*value_)[i], fmt::format("{}/{}", path_, i)});
  return out;
}

template <class Check>
const nlohmann::json* TomlNode::checked(std::string_view key, Check fits, std::string_view what) {
  const TomlNode node = at(key);
  if (!node) return nullptr;
  if (fits(*node.value_)) return node.value_;
  node.complain(fmt::format("'{}' must be {}", key, what));
  return nullptr;
}

std::string TomlNode::text(std::string_view key, std::string_view otherwise) {
  const auto* value = checked(
      key, [](auto& v) { return v.is_string(); }, "a text in quotes");
  return value != nullptr ? value->template get<std::string>() : std::string(otherwise);
}

std::string TomlNode::required_text(std::string_view key) {
  if (!has(key)) complain(fmt::format("'{}' is missing", key));
  std::string out = text(key);
  if (has(key) && out.empty()) at(key).complain(fmt::format("'{}' is empty", key));
  return out;
}

double TomlNode::number(std::string_view key, double otherwise) {
  const auto* value = checked(
      key, [](auto& v) { return v.is_number(); }, "a number");
  return value != nullptr ? value->template get<double>() : otherwise;
}

int TomlNode::whole(std::string_view key, int otherwise) {
  const auto* value = checked(
      key, [](auto& v) { return v.is_number_integer(); }, "a whole number");
  return value != nullptr ? value->template get<int>() : otherwise;
}

bool TomlNode::flag(std::string_view key, bool otherwise) {
  const auto* value = checked(
      key, [](auto& v) { return v.is_boolean(); }, "true or false");
  return value != nullptr ? value->template get<bool>() : otherwise;
}

std::vector<std::string> TomlNode::texts(std::string_view key) {
  std::vector<std::string> out;
  for (const TomlNode& node : at(key).elements())
    if (node.value_->is_string()) out.push_back(node.value_->template get<std::string>());
    else node.complain(fmt::format("'{}' must be a list of texts", key));
  return out;
}

nlohmann::json TomlNode::value(std::string_view key) { return at(key).json(); }

void TomlNode::finish() const {
  for (const std::string& key : keys()) {
    if (asked_->contains(key)) continue;
    const std::vector<std::string> known(asked_->begin(), asked_->end());
    const std::string meant = did_you_mean(key, known);
    TomlNode(*this).at(key).complain(
        fmt::format("there is no '{}' here{}{}", key, meant.empty() ? "" : "; ", meant));
  }
}

}  // namespace rankscope
