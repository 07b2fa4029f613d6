// A formula in the variables of the question:
//   answer = "(n + i - 2) mod N"
//   domain = [["N", "2..16"], ["n", "0..N-1"], ["i", "1..N-1"]]     where it must hold
//   condition = "n mod 2^i == 2^(i-1)"                              only at such points
//   also = [ { answer = "...", says = "You count ranks from 1: right so." , domain = .., condition = .. } ]
//   shift = ["i", "n"]      variables by which one is easily off by one
//   shift_share = 0.65      the share for an answer that is off by one in such a variable
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "lessons/formula/formula_compare.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

using nlohmann::json;

FormulaDomain domain_of(const json& rule, const json& otherwise) {
  const json& list = rule.contains("domain") ? rule["domain"] : otherwise.at("domain");
  return FormulaDomain::of(list, rule.contains("condition") ? rule["condition"].get<std::string>()
                                                            : otherwise.value("condition", ""));
}

constexpr KindKey kAlso[] = {{.name = "answer", .is = KindKey::Is::text, .required = true},
                             {.name = "says", .is = KindKey::Is::text},
                             {.name = "domain"},
                             {.name = "condition", .is = KindKey::Is::text}};
constexpr KindKey kFormulaKeys[] = {
    {.name = "answer", .is = KindKey::Is::text, .required = true},
    {.name = "domain", .students = true},
    {.name = "condition", .is = KindKey::Is::text},
    {.name = "also", .parts = kAlso},
    {.name = "shift", .is = KindKey::Is::texts},
    {.name = "shift_share", .is = KindKey::Is::number},
};
constexpr KindRow kFormulaRow{.name = "formula",
                              .title = "a formula",
                              .answer = "a text",
                              .keys = kFormulaKeys,
                              .said_in_text = true};

class FormulaKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kFormulaRow; }

  void check_further(TomlNode& question) const override {
    check_rule(question, question.json());
    for (TomlNode also : question.at("also").elements()) check_rule(also, question.json());
  }

  json find_key(const Question& question, const Variant&, LessonRuns&) const override {
    return question.data.contains("answer") ? question.data["answer"] : json();
  }

  AnswerForm form(const Question& question, const Variant&, LessonRuns&) const override {
    const auto names = domain_of(question.data, question.data).names();
    return {.how = fmt::format("a formula in {}; mod, ceil, floor, log2 and ^ are understood",
                               fmt::join(names, ", ")),
            .fields = {{"", "", AnswerField::Type::text}},
            .example = fmt::format("({} + 3)/2", names.at(0))};
  }

  Judgement judge(const Question& question, const Variant&, const json& key, const json& answer,
                  LessonRuns&) const override {
    const json& data = question.data;
    const std::string text = answer_text(answer);
    const FormulaDomain domain = domain_of(data, data);
    const Formula given(text, domain.names());
    const std::vector<Values> points = sample(domain);
    const auto shift = data.value("shift", std::vector<std::string>{});
    const FormulaVerdict verdict =
        compare(Formula(answer_text(key), domain.names()), given, points, shift);
    if (verdict.equal) return {1, ""};
    if (data.contains("also") && key == data.value("answer", json()))
      for (const json& also : data["also"])
        if (compare(Formula(also.at("answer").get<std::string>(), domain_of(also, data).names()),
                    given, sample(domain_of(also, data)))
                .equal)
          return {1, also.value("says", "")};
    if (verdict.off_by_one) {
      const auto& [variable, by] = *verdict.off_by_one;
      return {
          data.value("shift_share", 0.0),
          fmt::format(
              "You are off by one in {0}: this would be right if {0} were counted from one {1}.",
              variable, by > 0 ? "more" : "less")};
    }
    std::string says = fmt::format("Not the same: for {} your formula gives {}.",
                                   values_text(verdict.where), number_text(verdict.given));
    if (given.reads_log_as_log2()) says += " (log is read as log2.)";
    if (verdict.factor)
      says +=
          fmt::format(" It is {} times the right one everywhere.", number_text(*verdict.factor));
    return {0, says};
  }

  void require_form(const Question& question, const Variant&, const json& answer) const override {
    const Formula read(answer_text(answer), domain_of(question.data, question.data).names());
  }

  bool same(const Question& question, const Variant&, const json& other, const json& answer,
            LessonRuns&) const override {
    const FormulaDomain domain = domain_of(question.data, question.data);
    return compare(Formula(answer_text(other), domain.names()),
                   Formula(answer_text(answer), domain.names()), sample(domain))
        .equal;
  }

 private:
  static void check_rule(TomlNode& node, const json& otherwise) {
    try {
      const FormulaDomain domain = domain_of(node.json(), otherwise);
      check_domain(domain);
      const Formula formula(node.json().value("answer", ""), domain.names());
    } catch (const UserError& error) {
      node.complain(error.what());
    } catch (const json::exception&) {
      node.complain(
          "'domain' must be a list of [name, range]: [[\"N\", \"2..16\"], [\"n\", \"0..N-1\"]]");
    }
  }
};

}  // namespace

const QuestionKind& formula_kind() { return only_kind<FormulaKind>(); }

}  // namespace rankscope
