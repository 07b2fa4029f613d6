// The table of question kinds, and what several of them share.
#include "lessons/kinds/kind.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

using nlohmann::json;

namespace {

void check_keys(TomlNode& table, std::span<const KindKey> keys) {
  for (const KindKey& key : keys) {
    using Is = KindKey::Is;
    switch (key.is) {
      case Is::file:
      case Is::text: key.required ? table.required_text(key.name) : table.text(key.name); break;
      case Is::number: table.number(key.name, 0); break;
      case Is::flag: table.flag(key.name, false); break;
      case Is::texts: table.texts(key.name); break;
      case Is::any: break;
    }
    const bool complained = key.is == Is::text || key.is == Is::file;
    if (key.required && !complained && !table.has(key.name))
      table.complain(fmt::format("'{}' is missing", key.name));
    for (TomlNode part : table.at(key.name).elements()) {
      if (key.parts.empty()) break;
      check_keys(part, key.parts);
      part.finish();
    }
  }
}

}  // namespace

void QuestionKind::check(TomlNode& question) const {
  check_keys(question, row().keys);
  check_further(question);
}

json QuestionKind::key(const Question& question, const Variant& variant, LessonRuns& runs) const {
  return question.student_copy ? json() : find_key(question, variant, runs);
}

json QuestionKind::parse(const Question&, const Variant&, std::string_view typed) const {
  return std::string(typed);
}

std::string QuestionKind::show(const Question&, const json& answer) const {
  return answer_text(answer);
}

bool QuestionKind::same(const Question& question, const Variant& variant, const json& other,
                        const json& answer, LessonRuns& runs) const {
  return judge(question, variant, other, answer, runs).share >= 1;
}

const QuestionKind* find_kind(std::string_view name) noexcept {
  const auto* const found =
      ranges::find(kQuestionKinds, name, [](auto* kind) { return kind().name(); });
  return found == std::end(kQuestionKinds) ? nullptr : &(*found)();
}

double answer_number(const json& answer) {
  if (answer.is_number()) return answer.get<double>();
  if (answer.is_string()) return evaluate(answer.get_ref<const std::string&>(), {});
  throw UserError(fmt::format("a number is expected, not {}", brief(answer)));
}

std::string answer_text(const json& answer) {
  if (answer.is_string()) return answer.get<std::string>();
  if (answer.is_number()) return number_text(answer.get<double>());
  throw UserError(fmt::format("a text is expected, not {}", brief(answer)));
}

int answer_whole(const json& answer, std::string_view what, int least, int most) {
  const auto fail = [&] {
    throw UserError(fmt::format("{} must be a whole number from {} to {}, not {}", what, least,
                                most, brief(answer)));
  };
  double value = 0;
  try {
    value = answer_number(answer);
  } catch (const UserError&) {
    fail();
  }
  if (value != std::floor(value) || value < least || value > most) fail();
  return static_cast<int>(value);
}

std::string brief(const json& answer) {
  constexpr std::size_t kMost = 60;
  if (answer.is_structured() && answer.size() > kMost)
    return answer.is_array() ? "a long list" : "a long table";
  std::string text = answer.is_string() ? fmt::format("'{}'", answer.get_ref<const std::string&>())
                                        : dump_json(answer);
  return shortened(std::move(text), kMost);
}

bool blank(const json& answer) {
  if (answer.is_null()) return true;
  if (answer.is_string())
    return answer.get_ref<const std::string&>().find_first_not_of(" \t\r\n") == std::string::npos;
  if (answer.is_structured()) return ranges::all_of(answer, blank);
  return false;
}

const json* filled_in(const json& answer, std::string_view field) {
  const auto found = answer.find(std::string(field));
  return found == answer.end() || blank(*found) ? nullptr : &*found;
}

double default_tolerance(const json& rule) {
  const json* inner = &rule;
  while (inner->is_object() && inner->contains("value")) inner = &inner->at("value");
  const bool counted = inner->is_object() && inner->contains("run") && inner->contains("measure") &&
                       LessonRuns::counts(inner->at("measure"));
  return counted ? kExact : kTolerance;
}

double tolerance_of(const Question& question) {
  return question.data.value("tolerance", default_tolerance(question.data.value("answer", json())));
}

bool close(double a, double b, double relative, double absolute) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= std::max(absolute, relative * std::max(std::abs(a), std::abs(b)));
}

}  // namespace rankscope
