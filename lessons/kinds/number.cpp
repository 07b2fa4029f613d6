// A number with a unit and a tolerance:
//   answer = "=2*ceil(log2(N))" | { run = "tree", measure = "rounds" }
//   unit = "ms"            what the answer is in; other units of its kind are converted ("0.0045 s")
//   tolerance = 0.01       relative; default 1e-6, and none where a run's bytes, messages or rounds are counted
//   whole = true           only whole numbers are accepted, and no tolerance applies
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/formula/formula.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// ---- Numbers with units: "53.2 ms", "88.9 GB/s", "2 KiB" ----

struct AnswerUnit {
  std::string_view name;
  std::string_view measures;  ///< "time", "data", "rate" ...
  double factor = 1;          ///< In s, bytes, bytes/s.
};
constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;
constexpr AnswerUnit kUnits[] = {
    {"s", "time", 1},           {"ms", "time", 1e-3},       {"us", "time", 1e-6},
    {"µs", "time", 1e-6},  // the micro sign
    {"μs", "time", 1e-6},  // the Greek letter
    {"seconds", "time", 1},     {"ns", "time", 1e-9},       {"B", "data", 1},
    {"Bytes", "data", 1},       {"B / s", "rate", 1},       {"GB / s", "rate", 1e9},
    {"step", "count", 1},       {"round", "count", 1},      {"message", "count", 1},
    {"bytes", "data", 1},       {"byte", "data", 1},        {"bit", "data", 1.0 / 8},
    {"bits", "data", 1.0 / 8},  {"kB", "data", 1e3},        {"KB", "data", 1e3},
    {"MB", "data", 1e6},        {"GB", "data", 1e9},        {"KiB", "data", kKi},
    {"MiB", "data", kMi},       {"GiB", "data", kGi},       {"B/s", "rate", 1},
    {"kB/s", "rate", 1e3},      {"MB/s", "rate", 1e6},      {"GB/s", "rate", 1e9},
    {"KiB/s", "rate", kKi},     {"MiB/s", "rate", kMi},     {"GiB/s", "rate", kGi},
    {"Gbit/s", "rate", 1.25e8}, {"Mbit/s", "rate", 1.25e5}, {"%", "share", 0.01},
    {"steps", "count", 1},      {"rounds", "count", 1},     {"messages", "count", 1},
    {"points", "count", 1},     {"values", "count", 1},     {"elements", "count", 1},
};

// "≈ 88,9" becomes 88.9; "1,000" stays, and is refused later: it may be one or a thousand.
std::string plain_number(std::string_view text) {
  for (const std::string_view about : {"≈", "~", "about", "ca."}) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    if (text.substr(begin).starts_with(about)) text.remove_prefix(begin + about.size());
  }
  std::string out(text);
  const auto comma = out.find(',');
  const auto last = out.find_last_not_of(" \t");
  if (comma == std::string::npos || comma == 0 ||
      (last - comma == 3 && out.find_first_not_of(" \t0") < comma) ||
      out.find_first_not_of("0123456789, \t") != std::string::npos ||
      out.find(',', comma + 1) != std::string::npos)
    return out;
  out[comma] = '.';
  return out;
}

std::optional<AnswerUnit> find_unit(std::string_view name) noexcept {
  const auto found = ranges::find(kUnits, name, &AnswerUnit::name);
  if (found == std::end(kUnits)) return std::nullopt;
  return *found;
}

std::string unit_names() {
  return "known are " + joined(kUnits, ", ", [](const AnswerUnit& unit) { return unit.name; });
}

/// Returns a number, which may be a calculation, in `unit`, converted if another unit stands behind it.
/// Throws UserError for a unit of another kind, or no number.
double parse_quantity(std::string_view text, std::string_view unit) {
  text = trimmed(text);
  std::optional<AnswerUnit> given;
  for (const AnswerUnit& one :
       kUnits) {  // the longest unit at the end of the text, behind a digit, ) or blank
    if (!text.ends_with(one.name) || (given && given->name.size() >= one.name.size())) continue;
    const std::string_view before = text.substr(0, text.size() - one.name.size());
    if (!before.empty() &&
        std::string_view("0123456789). \t").find(before.back()) != std::string_view::npos)
      given = one;
  }
  if (given) text.remove_suffix(given->name.size());
  const double value = evaluate(plain_number(text), {});
  const auto wanted = find_unit(unit);
  if (!given) return value;
  if (!wanted) {
    if (given->measures == "count") return value;
    throw UserError(fmt::format("a number without a unit is wanted, not {}", given->name));
  }
  if (wanted->measures != given->measures)
    throw UserError(fmt::format("{} is a unit of {}; the answer is wanted in {}", given->name,
                                given->measures, unit));
  return value * given->factor / wanted->factor;
}

// ---- The kind ----

using nlohmann::json;

constexpr KindKey kNumberKeys[] = {
    {.name = "answer", .required = true},
    {.name = "unit", .is = KindKey::Is::text, .students = true},
    {.name = "tolerance", .is = KindKey::Is::number},
    {.name = "whole", .is = KindKey::Is::flag},
};
constexpr KindRow kNumberRow{.name = "number",
                             .title = "a number",
                             .answer = R"(a number, or what was typed: "53.2 ms", "2*7")",
                             .keys = kNumberKeys,
                             .seen_in_run = true,
                             .said_in_text = true};

class NumberKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kNumberRow; }

  void check_further(TomlNode& question) const override {
    const std::string unit = question.text("unit");
    if (!unit.empty() && !find_unit(unit))
      question.at("unit").complain(fmt::format("there is no unit '{}'; {}", unit, unit_names()));
    if (question.number("tolerance", 0) < 0)
      question.at("tolerance").complain("must not be negative");
    if (question.flag("whole", false) && question.has("tolerance"))
      question.at("tolerance").complain("a whole number has no tolerance: leave one of both out");
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    if (!question.data.contains("answer")) return {};
    return answer_number(expand(question.data["answer"], variant.values, &runs));
  }

  AnswerForm form(const Question& question, const Variant&, LessonRuns&) const override {
    const std::string unit = question.data.value("unit", "");
    return {.how = unit.empty()
                       ? "a number, or a calculation such as 2*7/8"
                       : fmt::format("a number in {} (another unit may stand behind it)", unit),
            .fields = {{"", "", AnswerField::Type::number, {}, unit}},
            .example = unit.empty() ? "12345.5/2" : "12345.5 " + unit};  // no question's answer
  }

  Judgement judge(const Question& question, const Variant&, const json& key, const json& answer,
                  LessonRuns&) const override {
    const std::string unit = question.data.value("unit", "");
    const double given = number_in(question, answer);
    const double right = key.get<double>();
    const bool whole = question.data.value("whole", false);
    if (whole && !close(given, std::round(given), kExact, 0))
      return {0, "A whole number is asked for."};
    const double tolerance = whole ? kExact : tolerance_of(question);
    if (close(given, right, tolerance, tolerance * 1e-3)) return {1, ""};
    for (const double factor :
         {1000.0, 1e6, 1024.0, 8.0, 100.0, 1.0 / 1000, 1e-6, 1.0 / 1024, 1.0 / 8, 1.0 / 100})
      if (!unit.empty() && right != 0 && close(given, right * factor, tolerance))
        return {0, fmt::format("Check the unit: the answer is wanted in {}.", unit)};
    if (right != 0 && given != 0 && close(given, -right, tolerance))
      return {0, "The sign is wrong."};
    return {0, given < right ? "Too small." : "Too large."};
  }

  void require_form(const Question& question, const Variant&, const json& answer) const override {
    number_in(question, answer);
  }

  std::string show(const Question& question, const json& answer) const override {
    const std::string unit = question.data.value("unit", "");
    const std::string text = answer_text(answer);
    return unit.empty() || answer.is_string() ? text : text + " " + unit;
  }

 private:
  static double number_in(const Question& question, const json& answer) {
    return answer.is_number()
               ? answer.get<double>()
               : parse_quantity(answer_text(answer), question.data.value("unit", ""));
  }
};

}  // namespace

const QuestionKind& number_kind() { return only_kind<NumberKind>(); }

}  // namespace rankscope
