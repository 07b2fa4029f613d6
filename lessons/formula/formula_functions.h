// The functions of formulas and the signs between two values, as formula_names and formula_tokens spell them.
#pragma once

#include <limits>
#include <span>
#include <string_view>

namespace rankscope {

using FormulaOperation = double (*)(std::span<const double> values);

struct FormulaFunction {
  std::string_view name;
  FormulaOperation compute = nullptr;
  int least = 1, most = 1;
  bool prefix = true;  ///< "log2 N" without brackets
};

std::span<const FormulaFunction> formula_functions();
/// Null: there is none.
const FormulaFunction* find_formula_function(std::string_view name);

struct FormulaSign {
  enum class Precedence { either, both, comparison, sum, bits, product, division, power };
  std::string_view text;
  Precedence precedence;
  FormulaOperation compute = nullptr;
};

/// Null: it is none.
const FormulaSign* find_formula_operator(std::string_view text);

}  // namespace rankscope
