// The words of a formula: its functions, the signs between two values, and the variables of a question.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/formula/formula_tokens.h"

namespace rankscope {

using FormulaOperation = double (*)(std::span<const double> values);

struct FormulaFunction {
  std::string_view name;
  FormulaOperation compute = nullptr;
  int least = 1, most = 1;  ///< Number of arguments.
  bool prefix = true;       ///< "log2 N" without brackets
};

/// Null when there is none.
const FormulaFunction* find_formula_function(std::string_view name);

struct FormulaSign {
  enum class Precedence { either, both, comparison, sum, bits, product, division, power };
  std::string_view text;
  Precedence precedence;
  FormulaOperation compute = nullptr;
};

/// Null when it is none.
const FormulaSign* find_formula_operator(std::string_view text);

/// The tokens of a formula without a leading "n' =", its words resolved to variables, functions and signs. A word may be
/// several: "2NDlog2N" holds N, D, log2 and N, which then are spelled exactly as the variables. Throws UserError for an unknown
/// or ambiguous word, and for a variable that no formula could name.
std::vector<FormulaToken> formula_items(std::string_view typed,
                                        std::span<const std::string> variables);

}  // namespace rankscope
