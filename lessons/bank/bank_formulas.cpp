// Formulas that other systems cannot compare: they ask for the number that the formula gives.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/bank/bank_items.h"
#include "lessons/bank/bank_text.h"
#include "lessons/formula/formula.h"
#include "lessons/lesson/random.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr double kRounded = 0.005;  // relative: three significant digits
constexpr int kMostTries = 200;

double three_digits(double value) {
  return value == 0 ? 0 : std::stod(fmt::format("{:.3g}", value));
}

// A sampled point with real numbers that people can type; what follows from others is computed again.
Values rounded_point(const json& domain, const Values& sampled) {
  Values out;
  for (const json& one : domain) {
    const std::string name = one.at(0).get<std::string>();
    std::string range = one.at(1).get<std::string>();
    double value = sampled.at(name);
    if (const auto real = range.find(" real"); real != std::string::npos) {
      range.resize(real);
      const auto dots = range.find("..");
      const bool follows = range.substr(0, dots) == range.substr(dots + 2);
      value = follows ? evaluate(range.substr(0, dots), out) : three_digits(value);
    }
    out[name] = value;
  }
  return out;
}

bool mentions(const std::string& text, const std::string& name) {
  const auto part_of_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + name.size())) return true;
  return false;
}

std::string shown_name(const std::string& name) {
  return name == "alpha" ? "α" : name == "beta" ? "β" : name == "gamma" ? "γ" : name;
}

/// The formula's domain, its names, and which of them a reader needs.
struct FormulaQuestion {
  json domain;
  std::string condition;
  std::vector<std::string> names, shown;
  Formula formula;
};

FormulaQuestion formula_question(const Question& question, const std::string& prompt) {
  std::vector<std::string> names;
  for (const json& one : question.data.at("domain")) names.push_back(one.at(0).get<std::string>());
  FormulaQuestion out{question.data.at("domain"),
                      question.data.value("condition", ""),
                      names,
                      {},
                      Formula(question.data.at("answer").get<std::string>(), names)};
  const auto& used = out.formula.variables_used();
  for (const std::string& name : names) {
    const bool needed = ranges::find(used, name) != used.end();
    if (needed || mentions(prompt, name) || mentions(prompt, shown_name(name)))
      out.shown.push_back(name);
  }
  return out;
}

/// Different numbers, large enough that they are not guessed; nothing: there are none.
std::vector<Values> good_points(const FormulaQuestion& question, int count, std::uint64_t seed) {
  FormulaDomain domain;
  for (const json& one : question.domain)
    domain.variables.emplace_back(one.at(0).get<std::string>(), one.at(1).get<std::string>());
  domain.condition = question.condition;
  const std::vector<Values> all = sample(domain);
  RandomNumbers random(seed);
  std::vector<Values> out;
  std::set<double> results;
  for (int i = 0; i < kMostTries && static_cast<int>(out.size()) < count; ++i) {
    const Values point = rounded_point(question.domain, all[random.below(all.size())]);
    if (!question.condition.empty() && evaluate(question.condition, point) == 0) continue;
    const double value = question.formula.at(point);
    const bool easy = std::abs(value) <= 1 && i < kMostTries / 2;
    if (!std::isfinite(value) || easy || !results.insert(value).second) continue;
    out.push_back(point);
  }
  return out;
}

}  // namespace

std::string fill_formula_item(const Question& question, const Variant& variant, int number,
                              BankItem& item) {
  const std::string prompt = fill_in(question.prompt, variant.values);
  const FormulaQuestion asked = formula_question(question, prompt);
  const auto points = good_points(asked, number + 1, stable_hash(question.id));
  if (number >= static_cast<int>(points.size()))
    return number == 0 ? "no numbers were found for which its formula is defined"
                       : "there are no further numbers";
  const Values& point = points[static_cast<std::size_t>(number)];
  BankBlank blank;
  blank.value = asked.formula.at(point);
  if (blank.value != std::floor(blank.value)) blank.tolerance = std::abs(blank.value) * kRounded;
  for (const Misconception& one : question.misconceptions) {
    if (!one.answer.is_string()) continue;
    const double wrong = Formula(one.answer.get<std::string>(), asked.names).at(point);
    const double apart = std::abs(wrong - blank.value);
    if (!std::isfinite(wrong) || apart <= std::abs(blank.value) * kTolerance) continue;
    blank.tolerance = std::min(blank.tolerance, apart / 3);
    item.known.push_back(
        {bank_number(wrong), wrong, false, bank_xhtml(fill_in(one.says, variant.values))});
  }
  const bool rounded = blank.tolerance > 0;
  item.blanks.push_back(std::move(blank));
  item.prompt +=
      fmt::format("<p>Find the formula, and give the number that it has for {}.{}</p><p>{}</p>",
                  joined(asked.shown, ", ",
                         [&](const std::string& name) {
                           return fmt::format("{} = {}", xml_escaped(shown_name(name)),
                                              bank_number(point.at(name)));
                         }),
                  rounded ? " Three significant digits are enough." : "", blank_mark(0));
  return {};
}

}  // namespace rankscope
