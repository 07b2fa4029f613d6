// From what students type to what the evaluator reads: signs for all products, functions with their
// brackets, one spelling for each sign.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct FormulaText {
  /// Variables are "v0", "v1", ... by their place, so that they may be called "α" or "min".
  std::string text;
  std::vector<std::size_t> used;  ///< places of the variables in it, ascending
};

/// Throws UserError that quotes the place and says what is expected there. What can be read in two
/// ways (D/N b, log2 2N, n xor 2^k + 1) is refused as well: a wrong guess would be a wrong verdict.
FormulaText formula_text(std::string_view typed, std::span<const std::string> variables);

}  // namespace rankscope
