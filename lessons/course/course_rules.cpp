// Reads a course's rules on feedback and handing in.
#include "lessons/course/course_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/toml/toml_source.h"
#include "lessons/text/date_time.h"

namespace rankscope {

std::string written_date(TomlNode& node, const char* key) {
  std::string out = node.text(key);
  if (out.empty() || time_of(out)) return out;
  node.at(key).complain(
      fmt::format("'{}' is a date and time such as 2026-11-20T23:59:00+01:00, not '{}'", key, out));
  return "";
}

namespace {

int least_whole(TomlNode& node, const char* key, int otherwise, const char* means) {
  const int out = node.whole(key, otherwise);
  if (out >= 0 || !node.has(key)) return out;
  node.at(key).complain(fmt::format("'{}' is {}", key, means));
  return otherwise;
}

double percent(TomlNode& node, const char* key, double otherwise) {
  const double out = node.number(key, otherwise);
  if (out >= 0 && out <= 100) return out;
  node.at(key).complain(fmt::format("'{}' is a percentage: 0 to 100", key));
  return otherwise;
}

/// Reads one of these words; the first is the default.
std::string one_word(TomlNode& node, const char* key, const std::vector<std::string>& words) {
  const std::string out = node.text(key, words.front());
  if (ranges::find(words, out) != words.end()) return out;
  node.at(key).complain(fmt::format("'{}' is \"{}\"", key, fmt::join(words, "\" or \"")));
  return words.front();
}

}  // namespace

std::optional<CourseFeedback> read_feedback(TomlNode node) {
  if (!node) return std::nullopt;
  CourseFeedback out;
  if (!node.json().is_object()) {
    node.complain("the feedback is a table: [feedback]");
    return std::nullopt;
  }
  out.attempts = least_whole(node, "attempts", 0,
                             "how often a question says whether an answer is right; 0: always");
  out.from = written_date(node, "from");
  out.hints = least_whole(node, "hints", -1, "how many hints of each question students have");
  out.programs = node.flag("programs", true);
  node.finish();
  return out;
}

HandInRules read_hand_in(TomlNode node) {
  HandInRules out;
  if (!node) return out;
  const auto date = [](TomlNode& table, const char* key) {
    const std::string text = written_date(table, key);
    return text.empty() ? std::nullopt : time_of(text);
  };
  out.deadline = date(node, "deadline");
  out.closes = date(node, "closes");
  out.grace = std::chrono::minutes(least_whole(node, "grace", 0, "a number of minutes"));
  out.penalty = percent(node, "penalty", 0);
  out.most = percent(node, "most", 100);
  out.per = one_word(node, "per", {"day", "hour", "once"});
  out.counts = node.has("counts") ? one_word(node, "counts", {"last", "best"}) : "";
  out.names = one_word(node, "names", {"shown", "hidden"});
  out.without_boxes = one_word(node, "without_boxes", {"refuse", "other-user"});
  out.columns = node.texts("columns");
  for (const std::string& column : out.columns)
    if (column != "id" && column != "email")
      node.at("columns").complain(
          fmt::format("'columns' are \"id\" and \"email\", not '{}'", column));
  for (TomlNode one : node.at("extension").elements()) {
    const std::string student = one.required_text("student");
    const auto until = date(one, "until");
    if (!until) one.complain("an extension says 'until' when");
    else out.extensions.push_back({student, *until});
    one.finish();
  }
  if (!out.deadline && (out.penalty > 0 || out.closes || !out.extensions.empty()))
    node.complain("without a 'deadline' nothing is late");
  if (out.deadline && out.closes && *out.closes < *out.deadline)
    node.at("closes").complain("'closes' is before the deadline");
  node.finish();
  return out;
}

}  // namespace rankscope
