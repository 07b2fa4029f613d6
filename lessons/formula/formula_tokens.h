// Cuts a typed formula into numbers, words, signs and brackets, in the spellings of Unicode, LaTeX, Python and C.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct FormulaFunction;

struct FormulaToken {
  /// formula_names resolves words to variables, functions and signs. Kinds that cannot begin a value are last.
  enum class Kind { number, word, variable, function, open, fraction, sign, close, comma, end };
  Kind kind = Kind::end;
  /// Signs and brackets in one spelling each: "+", "^", "mod", "//", "==", "(", "⌈"; words as typed.
  std::string text = {};
  double value = 0;
  std::size_t begin = 0;   ///< Place in the typed text.
  bool spaced = false;     ///< It follows white space.
  bool same_word = false;  ///< Part of the same word as the token before.
  std::string variable = {};
  const FormulaFunction* function = nullptr;
};

/// The tokens, followed by one of Kind::end. Throws UserError for a text that is too long or not UTF-8, and for signs that no
/// formula has.
std::vector<FormulaToken> formula_tokens(std::string_view text);

/// One spelling for a name: "α₁", "α_1", "alpha1" and "alpha_{1}" are one, "n′" and "n'" too.
std::string plain_name(std::string_view name);

/// Throws UserError "At '/ N': what", which quotes the text at this place.
[[noreturn]] void fail_at(std::string_view text, std::size_t place, const std::string& what);

}  // namespace rankscope
