// Draws a question's variables from a seed and computes the values that depend on them.
#include "lessons/lesson/expand.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr int kMostDraws = 2000;
constexpr int kMostElements = 100000;

double number_of(const json& value, const Values& values) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    std::string_view text = value.get_ref<const std::string&>();
    if (text.starts_with("=")) text.remove_prefix(1);
    return evaluate(text, values);
  }
  throw UserError(fmt::format("{} is not a number or a formula", dump_json(value)));
}

// The values that a rule allows: those of a list, of a range "a..b", or the only one.
struct Choices {
  const json* list = nullptr;
  double from = 0;
  std::uint64_t many = 1;
  bool drawn = false;  ///< Whether the rule is a list or a range, from which a value is drawn.
  double at(std::uint64_t i, const Values& values) const {
    return list != nullptr ? number_of((*list)[i], values) : from + static_cast<double>(i);
  }
};

Choices choices_of(const json& rule, const Values& values) {
  if (rule.is_array()) {
    if (rule.empty()) throw UserError("an empty list has no value to choose");
    return {&rule, 0, rule.size(), true};
  }
  if (rule.is_string()) {
    const std::string& text = rule.get_ref<const std::string&>();
    if (const auto dots = text.find(".."); dots != std::string::npos) {
      const double from = evaluate(text.substr(0, dots), values);
      const double to = evaluate(text.substr(dots + 2), values);
      if (to < from || to - from > 1e9) throw UserError(fmt::format("'{}' is no range", text));
      return {nullptr, from, static_cast<std::uint64_t>(to - from) + 1, true};
    }
  }
  return {nullptr, number_of(rule, values)};
}

// Seed 0 takes the first value.
double choose(const json& rule, const Values& values, RandomNumbers* random) {
  const Choices choices = choices_of(rule, values);
  return choices.at(choices.drawn && random != nullptr ? random->below(choices.many) : 0, values);
}

// Rules may use each other's variables in any order: those that cannot be computed yet wait.
void settle(const json& rules, Values& values, RandomNumbers* random) {
  std::vector<std::string> open;
  for (const auto& [name, rule] : rules.items()) open.push_back(name);
  while (!open.empty()) {
    std::vector<std::string> later;
    std::string why;
    for (const std::string& name : open) {
      try {
        values[name] = choose(rules.at(name), values, random);
      } catch (const UserError& error) {
        later.push_back(name);
        why = fmt::format("variable {}: {}", name, error.what());
      }
    }
    if (later.size() == open.size()) throw UserError(why);
    open = std::move(later);
  }
}

json expand_list(const json& value, const Values& values, LessonRuns* runs) {
  const std::string name = value.at("for").get<std::string>();
  const double from = value.contains("from") ? number_of(value["from"], values) : 0;
  const double count = number_of(value.at("count"), values);
  if (!(count >= 0 && count <= kMostElements))
    throw UserError(fmt::format("a list cannot have {} elements", count));
  json out = json::array();
  Values inner = values;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    inner[name] = from + i;
    out.push_back(expand(value.at("value"), inner, runs));
  }
  return out;
}

json expand_object(const json& value, const Values& values, LessonRuns* runs) {
  if (value.contains("for") && value.contains("count") && value.contains("value"))
    return expand_list(value, values, runs);
  if (value.contains("run") && value.contains("measure")) {
    if (runs == nullptr) throw UserError("a run cannot be used here");
    json query = json::object();
    for (const auto& [key, item] : value.items()) query[key] = expand(item, values);
    return runs->measure(query, values);
  }
  json out = json::object();
  for (const auto& [key, item] : value.items()) out[key] = expand(item, values, runs);
  return out;
}

// Goes through all draws, variable by variable.
class Draws {
 public:
  Draws(const VariableRules& rules, std::size_t most) : rules_(rules), most_(most) {}

  bool go() {
    std::vector<std::string> open;
    for (const auto& [name, rule] : rules_.variables.items()) open.push_back(name);
    return choose_next({}, open);
  }
  std::vector<Values> out;

 private:
  // Returns false when there are too many.
  bool choose_next(const Values& values, std::vector<std::string> open) {
    if (open.empty()) return keep(values);
    std::string why;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::string name = open[i];
      Choices choices;
      Values with = values;
      try {
        choices = choices_of(rules_.variables.at(name), values);
        if (choices.many > most_) return false;
        for (std::uint64_t k = 0; k < choices.many; ++k) choices.at(k, values);
      } catch (const UserError& error) {
        why = error.what();  // it may need a variable that is not known yet
        continue;
      }
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::uint64_t k = 0; k < choices.many; ++k) {
        with[name] = choices.at(k, values);
        if (!choose_next(with, open)) return false;
      }
      return true;
    }
    throw UserError(why);
  }

  bool keep(Values values) {
    // Draws that `where` forbids count, too.
    if (++seen_ > 64 * most_) return false;
    settle(rules_.let, values, nullptr);
    if (!rules_.where.empty() && evaluate(rules_.where, values) == 0) return true;
    if (ranges::find(out, values) == out.end()) out.push_back(std::move(values));
    return out.size() <= most_;
  }

  const VariableRules& rules_;
  const std::size_t most_;
  std::size_t seen_ = 0;
};

}  // namespace

std::optional<std::vector<Values>> all_draws(const VariableRules& rules, std::size_t most) {
  Draws draws(rules, most);
  try {
    if (!draws.go()) return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
  return std::move(draws.out);
}

Values draw(const VariableRules& rules, std::uint64_t seed) {
  RandomNumbers random(seed);
  for (int tries = 0; tries < kMostDraws; ++tries) {
    Values values;
    settle(rules.variables, values, seed == 0 && tries == 0 ? nullptr : &random);
    settle(rules.let, values, nullptr);
    if (rules.where.empty() || evaluate(rules.where, values) != 0) return values;
    if (seed == 0)
      throw UserError(fmt::format("the first values do not meet where = \"{}\"", rules.where));
  }
  throw UserError(fmt::format("no values found that meet where = \"{}\"", rules.where));
}

json expand(const json& value, const Values& values, LessonRuns* runs) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (!text.starts_with("=")) return fill_in(text, values);
    const double number = evaluate(std::string_view(text).substr(1), values);
    if (number == std::floor(number) && std::abs(number) < 1e15)
      return static_cast<std::int64_t>(number);
    return number;
  }
  if (value.is_array()) {
    json out = json::array();
    for (const json& item : value) out.push_back(expand(item, values, runs));
    return out;
  }
  if (value.is_object()) return expand_object(value, values, runs);
  return value;
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{:.6g}", value);
}

std::string points_text(double points) {
  return number_text(points) + (points == 1 ? " point" : " points");
}

std::string values_text(const Values& values) {
  return joined(values, ", ", [](const auto& one) {
    return fmt::format("{} = {}", one.first, number_text(one.second));
  });
}

std::string fill_in(std::string_view text, const Values& values) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const std::string_view inside =
        close == std::string_view::npos ? std::string_view() : text.substr(1, close - 1);
    if (inside.starts_with("=")) out += number_text(evaluate(inside.substr(1), values));
    else if (const auto value = values.find(inside); value != values.end())
      out += number_text(value->second);
    else {
      out += '{';
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace rankscope
