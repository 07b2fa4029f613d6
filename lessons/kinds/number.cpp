// A number with a unit and a tolerance:
//   answer = "=2*ceil(log2(N))" | { run = "tree", measure = "rounds" }
//   unit = "ms"            what the answer is in; others of the same kind are understood ("0.0045 s")
//   tolerance = 0.01       relative; default 1e-6, and none where a run's bytes, messages or rounds are counted
//   whole = true           only whole numbers are answers, and only the right one is right
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "lessons/grading/kind.h"
#include "lessons/lesson/units.h"

namespace rankscope {
namespace {

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
                             .keys = kNumberKeys};

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

  json key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
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
    const Quantity given = quantity(question, answer);
    const double right = key.get<double>();
    const bool whole = question.data.value("whole", false);
    if (whole && !close(given.value, std::round(given.value), kExact, 0))
      return {0, "A whole number is asked for."};
    const double tolerance =
        whole ? kExact
              : question.data.value("tolerance",
                                    default_tolerance(question.data.value("answer", json())));
    if (close(given.value, right, tolerance, tolerance * 1e-3)) return {1, ""};
    const std::string unit = question.data.value("unit", "");
    for (const double factor :
         {1000.0, 1e6, 1024.0, 8.0, 100.0, 1.0 / 1000, 1e-6, 1.0 / 1024, 1.0 / 8, 1.0 / 100})
      if (!unit.empty() && right != 0 && close(given.value, right * factor, tolerance))
        return {0, fmt::format("Check the unit: the answer is wanted in {}.", unit)};
    if (right != 0 && given.value != 0 && close(given.value, -right, tolerance))
      return {0, "The sign is wrong."};
    return {0, given.value < right ? "Too small." : "Too large."};
  }

  std::string show(const Question& question, const json& answer) const override {
    const std::string unit = question.data.value("unit", "");
    const std::string text = answer_text(answer);
    return unit.empty() || answer.is_string() ? text : text + " " + unit;
  }

 private:
  static Quantity quantity(const Question& question, const json& answer) {
    const std::string unit = question.data.value("unit", "");
    if (answer.is_number()) return {answer.get<double>(), unit};
    return parse_quantity(answer_text(answer), unit);
  }
};

}  // namespace

const QuestionKind& number_kind() {
  static const NumberKind kKind;
  return kKind;
}

}  // namespace rankscope
