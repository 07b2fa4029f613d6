// Evaluates the steps of a parsed formula.
#include "lessons/formula/formula.h"

#include <cmath>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace rankscope {

double Formula::at(const Values& values) const {
  std::vector<double> stack;
  for (const auto& step : steps_) {
    double result = step.number;
    if (step.compute != nullptr) {
      result = step.compute(std::span(stack).last(step.takes));
      stack.resize(stack.size() - step.takes);
    } else if (!step.variable.empty()) {
      const auto found = values.find(step.variable);
      result = found == values.end() ? std::nan("") : found->second;
    }
    stack.push_back(result);
  }
  return stack.back() + 0.0;  // -0 becomes 0
}

double evaluate(std::string_view text, const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  const double value = Formula(text, names).at(values);
  if (!std::isfinite(value))
    throw UserError("'" + escaped(text) +
                    "' has no value that is a number here: check divisions by 0, "
                    "logarithms and powers.");
  return value;
}

}  // namespace rankscope
