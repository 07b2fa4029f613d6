#include "lessons/answer_file.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/core/suggest.h"
#include "engine/core/utf8.h"
#include "lessons/toml_source.h"

namespace rankscope {
namespace {

// The JSON library copies and writes values by calling itself for each level.
constexpr int kMostLevels = 40;
constexpr std::size_t kMostAnswers = 5000;

int line_at(std::string_view text, std::size_t byte) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, byte), '\n'));
}

/// Empty for UTF-8.
std::string wrong_encoding(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    return fmt::format("{} is UTF-16; save it as UTF-8", name);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(bytes, at);
    if (character == 0) return fmt::format("{} is not a text file: it has zero bytes", name);
    if (character == U'\uFFFD' && bytes.substr(begin, at - begin) != "\xEF\xBF\xBD")
      return fmt::format("{}:{}: is not UTF-8 (byte 0x{:02x}); save the file as UTF-8", name,
                         line_at(bytes, begin), static_cast<unsigned char>(bytes[begin]));
  }
  return "";
}

std::shared_ptr<const TomlSource> parse_json(std::string_view bytes, const std::string& name,
                                             Complaints& complaints) {
  auto out = std::make_shared<TomlSource>();
  out->name = name;
  try {
    out->root = nlohmann::json::parse(bytes, [](int depth, auto, auto&) {
      if (depth > kMostLevels) throw std::length_error("it has lists within lists, too deep");
      return true;
    });
  } catch (const nlohmann::json::parse_error& error) {
    // The library counts lines, too, but only in its text.
    complaints.add(name, line_at(bytes, std::min<std::size_t>(error.byte, bytes.size())),
                   "is not JSON here; a comma or a quote may be missing just before");
    return nullptr;
  } catch (const std::exception& error) {
    complaints.add(name, 0, error.what());
    return nullptr;
  }
  return out;
}

std::optional<std::uint64_t> seed_of(TomlNode& root) {
  if (!root.has("seed")) return {};
  const nlohmann::json value = root.value("seed");
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
    return value.get<std::uint64_t>();
  root.at("seed").complain("'seed' must be a whole number, as it is printed on the answer sheet");
  return {};
}

/// An exercise's key; others are settings.
bool is_exercise(const std::string& key) { return key.find('/') != std::string::npos; }

void read_root(TomlNode root, AnswerFile& out) {
  out.course = root.text("course");
  out.student = root.text("student");
  out.seed = seed_of(root);
  // Below [answers], or beside the settings, as answer sheets have them.
  for (const std::string& key : root.keys())
    if (is_exercise(key)) out.answers[key] = root.value(key);
  TomlNode answers = root.at("answers");
  if (answers.json().is_object()) {
    for (const auto& [key, value] : answers.json().items()) out.answers[key] = value;
  } else if (answers) {
    out.fault =
        fmt::format("{}:{}: 'answers' must be a table of answers", root.file(), answers.line());
  } else if (out.answers.empty()) {
    out.fault = fmt::format(
        "{} has no [answers]; `rankscope lesson export {} --sheet` makes a file to fill in",
        root.file(), out.course.empty() ? "COURSE" : escaped(out.course));
  }
  if (out.answers.size() > kMostAnswers)
    out.fault = fmt::format("{} has {} answers; at most {} are read", root.file(),
                            out.answers.size(), kMostAnswers);
  root.finish();
}

}  // namespace

AnswerFile read_answers(std::string_view bytes, const std::string& name) {
  AnswerFile out;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  if (bytes.size() > AnswerFile::kMostBytes)
    out.fault = fmt::format("{} has more than {} bytes; an answer file has at most so many", name,
                            AnswerFile::kMostBytes);
  if (out.fault.empty()) out.fault = wrong_encoding(bytes, name);
  if (!out.fault.empty()) return out;
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    out.fault = fmt::format("{} is empty", name);
    return out;
  }
  Complaints parsing;
  const bool json = name.ends_with(".json") || bytes[first] == '{';
  const auto source = json ? parse_json(bytes, name, parsing) : parse_toml(bytes, name, parsing);
  if (!source || !source->root.is_object()) {
    out.fault = parsing.empty() ? fmt::format("{} holds no table of answers", name)
                                : parsing.all().front().to_string();
    return out;
  }
  read_root(TomlNode(source, out.complaints), out);
  return out;
}

Complaints unknown_answers(const AnswerFile& file, const std::string& name,
                           const std::vector<std::string>& known) {
  constexpr std::size_t kMostLines = 20;
  Complaints out;
  std::size_t more = 0;
  for (const auto& [key, answer] : file.answers) {
    if (std::ranges::find(known, key) != known.end()) continue;
    if (out.all().size() >= kMostLines) {
      ++more;
      continue;
    }
    // A long key is no typing error, and comparing it with all others would take its time.
    const std::string meant = key.size() > 200 ? "" : did_you_mean(key, known);
    out.add(name, 0,
            fmt::format("the course has no exercise '{}'{}{}", escaped(key.substr(0, 200)),
                        meant.empty() ? "" : "; ", meant));
  }
  if (more > 0)
    out.add(name, 0, fmt::format("{} more answers to exercises it does not have", more));
  return out;
}

}  // namespace rankscope
