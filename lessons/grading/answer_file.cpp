// Reads answer files in TOML or JSON and reports entries that no exercise has.
#include "lessons/grading/answer_file.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/toml/toml_source.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/foreign_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostAnswers = 5000;
constexpr std::size_t kMostValues =
    50'000;  // of all answers: they are kept until the class is graded
constexpr std::size_t kMostFileComplaints = 20;

int line_at(std::string_view text, std::size_t byte) {
  return 1 + static_cast<int>(ranges::count(text.substr(0, byte), '\n'));
}

std::shared_ptr<const TomlSource> parse_json(std::string_view bytes, const std::string& name,
                                             Complaints& complaints) {
  auto out = std::make_shared<TomlSource>();
  out->name = name;
  try {
    out->root = parse_shallow_json(bytes);
  } catch (const nlohmann::json::parse_error& error) {
    // The library gives the line only within its message.
    complaints.add(name, line_at(bytes, std::min<std::size_t>(error.byte, bytes.size())),
                   "is not JSON here; a comma or a quote may be missing just before");
    return nullptr;
  } catch (const std::exception& error) {
    complaints.add(name, 0, error.what());
    return nullptr;
  }
  return out;
}

/// Empties a line of the text. Returns it, shortened for a complaint; nothing if it is missing or empty.
std::optional<std::string> take_line(std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return std::nullopt;
    ++begin;
  }
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  if (begin >= end) return std::nullopt;
  std::string line = text.substr(begin, end - begin);
  text.replace(begin, end - begin, "");
  return shortened(escaped(line), 80);
}

/// Removes control characters, and makes all line ends '\n'. Returns how many characters were removed.
std::size_t clean(std::string& text) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto one = static_cast<unsigned char>(text[i]);
    constexpr unsigned char kBlank = 0x20, kDelete = 0x7f;
    if (one == '\r') {
      if (i + 1 >= text.size() || text[i + 1] != '\n') out += '\n';
    } else if ((one < kBlank && one != '\n' && one != '\t') || one == kDelete) {
      ++count;
    } else {
      out += text[i];
    }
  }
  text = std::move(out);
  return count;
}

/// Returns the line as it was meant, if the table's head lacks a bracket, or an exercise's key lacks a '=' after it;
/// else nothing.
std::optional<std::string> mended_line(std::string_view line) {
  const std::string_view plain = trimmed(line);
  std::string letters;
  for (const char one : ascii_lower(plain.substr(0, plain.find('#'))))
    if (one >= 'a' && one <= 'z') letters += one;
  constexpr std::size_t kLongestHead = 12;
  if (letters == "answers" && plain.size() <= kLongestHead)
    return plain == "[answers]" ? std::nullopt : std::optional<std::string>("[answers]");
  if (plain.empty() || (plain[0] != '"' && plain[0] != '\'')) return std::nullopt;
  const auto end = plain.find(plain[0], 1);
  if (end == plain.npos) return std::nullopt;
  const std::string_view key = plain.substr(1, end - 1);
  if (key.find('/') == key.npos || key.find_first_of(" \t,") != key.npos) return std::nullopt;
  std::string_view rest = trimmed(plain.substr(end + 1));
  if (rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>"))
    return std::nullopt;
  for (const std::string_view sign : {"==", "=>", ":=", "=", ":", "\uFF1D", "\uFF1A"})
    if (rest.starts_with(sign)) {
      rest = trimmed(rest.substr(sign.size()));
      break;
    }
  if (rest.empty()) return std::nullopt;
  return fmt::format("\"{}\" = {}", key, rest);
}

std::string with_mended_lines(const std::string& text, const std::string& name,
                              Complaints& mended) {
  std::string out;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    ++number;
    const auto better = mended_line(line);
    if (better)
      mended.add(name, number,
                 fmt::format("'{}' was read as '{}'", shortened(escaped(line), 80),
                             shortened(escaped(*better), 80)));
    out += better ? std::string_view(*better) : line;
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

/// Returns whether a line begins an entry: an exercise's key, a setting, or the head of a table.
bool begins_entry(std::string_view line) {
  line = trimmed(line);
  if (line == "[answers]" || line.starts_with("[answers] ")) return true;
  const auto equals = line.find('=');
  if (equals == line.npos) return false;
  const std::string_view key = trimmed(line.substr(0, equals));
  if (key == "course" || key == "student" || key == "seed") return true;
  return key.size() > 2 && key.front() == key.back() && (key[0] == '"' || key[0] == '\'') &&
         key.substr(1, key.size() - 2).find_first_of("\"'") == key.npos &&
         key.find('/') != key.npos;
}

/// Returns an entry, made TOML by a quote or bracket at its end; nothing if none helps.
std::optional<std::string> closed_entry(const std::string& entry) {
  // On a sheet an answer is followed by the next question, in comments.
  std::size_t end = entry.size();
  for (std::size_t begin = end; begin > 0; end = begin) {
    begin = entry.rfind('\n', end - 1);
    begin = begin == std::string::npos ? 0 : begin;
    const std::string_view line = trimmed(std::string_view(entry).substr(begin, end - begin));
    if (!line.empty() && !line.starts_with('#')) break;
  }
  const auto parses = [](const std::string& text) {
    Complaints faults;
    const auto source = parse_toml(text, "", faults, {.line_levels = 1});
    return source && faults.empty() && source->root.size() == 1;
  };
  for (const char* const close : {"\"\"\"", "\"", "\"]", "]", "}", "\"\""}) {
    std::string closed = entry.substr(0, end) + close + entry.substr(end);
    if (parses(closed)) return closed;
  }
  // A text of several lines between single quotation marks.
  const auto opens = entry.find('"', entry.find('='));
  if (opens != std::string::npos && opens + 1 < end && entry[end - 1] == '"') {
    std::string longer = entry.substr(0, opens) + "\"\"\"" +
                         entry.substr(opens + 1, end - opens - 2) + "\"\"\"" + entry.substr(end);
    if (parses(longer)) return longer;
  }
  return std::nullopt;
}

/// Closes each entry whose string or list has no end, before the next key, with a complaint; returns the text.
std::string with_closed_entries(const std::string& text, const std::string& name,
                                Complaints& closed) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (begins.empty() || begins_entry(std::string_view(text).substr(at, end - at)))
      begins.push_back(at);
    at = end + 1;
  }
  if (begins.size() > kMostAnswers) return text;
  begins.push_back(text.size());
  std::string out;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::string entry = text.substr(begins[i], begins[i + 1] - begins[i]);
    Complaints faults;
    const auto source = parse_toml(entry, name, faults, {.line_levels = 1});
    const bool whole = source && faults.empty();
    const auto better = whole ? std::nullopt : closed_entry(entry);
    out += better.value_or(entry);
    if (better)
      closed.add(name, line_at(text, begins[i]),
                 fmt::format("a quote or bracket is missing in '{}'. It was taken to end before "
                             "line {}; look whether this answer is whole",
                             shortened(escaped(entry.substr(0, entry.find('\n'))), 80),
                             line_at(text, begins[i + 1])));
  }
  return out;
}

/// Lines of the settings and of the answers are reported, not those of their elements. A line that is not TOML is left
/// out and named, so that a forgotten quote costs one answer, not all.
std::shared_ptr<const TomlSource> parse_lines(std::string_view bytes, const std::string& name,
                                              Complaints& parsing, Complaints& left_out) {
  constexpr int kMostLines = 20;
  std::string text(bytes);
  Complaints first;
  if (Complaints faults; !parse_toml(text, name, faults, {.line_levels = 1}))
    text = with_closed_entries(with_mended_lines(text, name, left_out), name, left_out);
  for (int tries = 0;; ++tries) {
    Complaints faults;
    auto source = parse_toml(text, name, faults, {.line_levels = 2});
    if (source && source->root.is_object() && (tries == 0 || !source->root.empty())) return source;
    if (tries == 0) first = faults;
    const bool more = tries < kMostLines && !faults.empty() && faults.all().front().line > 0;
    const auto line = more ? take_line(text, faults.all().front().line) : std::nullopt;
    const std::string_view begins =
        line
            ? std::string_view(*line).substr(std::min(line->find_first_not_of(" \t"), line->size()))
            : std::string_view();
    // Without its header or its seed, all other answers would be those of another table or draw.
    if (!line || begins.starts_with('[') || begins.starts_with("seed")) {
      for (const Complaint& one : first.all()) parsing.add(one.file, one.line, one.text);
      return nullptr;
    }
    left_out.add(name, faults.all().front().line,
                 fmt::format("{}. The line '{}' is left out, the others count",
                             faults.all().front().text, *line));
  }
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

/// Returns the number of values in a value, itself included. Recursion is safe: parsing has limited the depth.
std::size_t values_in(const nlohmann::json& value) {
  std::size_t out = 1;
  if (value.is_structured())
    for (const auto& below : value) out += values_in(below);
  return out;
}

/// Returns whether it is an exercise's key; others are settings.
bool is_exercise(const std::string& key) { return key.find('/') != std::string::npos; }

void read_root(TomlNode root, AnswerFile& out) {
  out.course = root.text("course");
  out.student = root.text("student");
  out.seed = seed_of(root);
  // Answers stand below [answers], beside the settings as on answer sheets, or below a misspelt head.
  for (const std::string& key : root.keys()) {
    if (is_exercise(key)) out.answers[key] = root.value(key);
    // Read from the plain value, so that the misspelt head is still reported as unknown.
    if (const nlohmann::json& table = root.json().at(key); key != "answers" && table.is_object())
      for (const auto& [below, value] : table.items())
        if (is_exercise(below)) out.answers[below] = value;
  }
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
  if (bytes.size() > AnswerFile::kMostBytes) {
    out.fault = fmt::format("{} has more than {} bytes; this is the limit for an answer file", name,
                            AnswerFile::kMostBytes);
    return out;
  }
  DecodedText decoded = decoded_text(bytes);
  std::size_t taken_out = 0;
  if (!decoded.fault.empty()) {  // zero bytes in what may be a text
    constexpr std::size_t kMostZeros = 20, kLeastSize = 200;
    std::string rest(bytes);
    const auto zeros = static_cast<std::size_t>(std::erase(rest, '\0'));
    if (zeros > 0 && zeros <= kMostZeros && bytes.size() >= kLeastSize)
      decoded = decoded_text(rest);
    if (decoded.fault.empty()) taken_out = zeros;
  }
  if (!decoded.fault.empty()) {
    out.fault = name + " " + decoded.fault;
    return out;
  }
  if (!decoded.read_as.empty())
    out.complaints.add(
        name, decoded.line,
        fmt::format("is not UTF-8 and was read as {}; save the file as UTF-8", decoded.read_as));
  taken_out += clean(decoded.text);
  if (taken_out > 0)
    out.complaints.add(name, 0,
                       fmt::format("has {} control characters, which were left out; look whether "
                                   "its answers are whole",
                                   taken_out));
  bytes = decoded.text;
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    out.fault = fmt::format("{} is empty", name);
    return out;
  }
  Complaints parsing;
  const bool json = name.ends_with(".json") || bytes[first] == '{';
  const auto source =
      json ? parse_json(bytes, name, parsing) : parse_lines(bytes, name, parsing, out.complaints);
  if (!source || !source->root.is_object()) {
    out.fault = parsing.empty() ? fmt::format("{} holds no table of answers", name)
                                : parsing.all().front().to_string();
    return out;
  }
  if (const std::size_t values = values_in(source->root); values > kMostValues) {
    out.fault =
        fmt::format("{} has {} numbers and texts; at most {} are read", name, values, kMostValues);
    return out;
  }
  read_root(TomlNode(source, out.complaints), out);
  out.complaints = out.complaints.first(kMostFileComplaints, name);
  return out;
}

Complaints unknown_answers(const AnswerFile& file, const std::string& name,
                           const std::vector<std::string>& known) {
  Complaints out;
  std::size_t more = 0;
  for (const auto& [key, answer] : file.answers) {
    if (ranges::find(known, key) != known.end()) continue;
    if (out.all().size() >= kMostFileComplaints) {
      ++more;
      continue;
    }
    // A long key is no typing error, and comparing it with all others would take long.
    const std::string hint = key.size() > 200 ? "" : nearest_hint(key, known);
    out.add(name, 0,
            fmt::format("the course has no exercise '{}'{}", escaped(shortened(key, 200)), hint));
  }
  if (more > 0)
    out.add(name, 0, fmt::format("{} more answers to exercises it does not have", more));
  return out;
}

}  // namespace rankscope
