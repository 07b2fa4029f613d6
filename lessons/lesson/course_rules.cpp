// Reads what a course file says beside its exercises.
#include "lessons/lesson/course_rules.h"

#include <fmt/format.h>

#include "lessons/text/date_time.h"
#include "lessons/text/toml_source.h"

namespace rankscope {
namespace {

/// A date that can be read, as it is written.
std::string written_date(TomlNode& node, const char* key) {
  std::string out = node.text(key);
  if (out.empty() || time_of(out)) return out;
  node.at(key).complain(
      fmt::format("'{}' is a date and time such as 2026-11-20T23:59:00+01:00, not '{}'", key, out));
  return "";
}

int least_whole(TomlNode& node, const char* key, int otherwise, const char* means) {
  const int out = node.whole(key, otherwise);
  if (out >= 0 || !node.has(key)) return out;
  node.at(key).complain(fmt::format("'{}' is {}", key, means));
  return otherwise;
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

}  // namespace rankscope
