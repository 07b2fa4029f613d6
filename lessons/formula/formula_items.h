// The pieces of a formula with their meaning: what its words are, and without the "n' =" before it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/formula/formula_names.h"

namespace rankscope {

// A token whose words are found.
struct FormulaItem {
  enum class Kind { number, variable, function, sign, open, close, comma, fraction, end };
  Kind kind = Kind::end;
  std::string text;
  double value = 0;
  std::size_t variable = 0;
  const FormulaFunction* function = nullptr;
  std::size_t begin = 0;
  bool spaced = false;
  bool same_word = false;  // cut from the same word as the item before
};

/// Ends with an item of Kind::end. Throws UserError.
std::vector<FormulaItem> formula_items(std::string_view typed,
                                       std::span<const std::string> variables);

}  // namespace rankscope
