// What students type, cut into pieces: numbers, words, signs, brackets. Knows the spellings (Unicode,
// LaTeX, Python, C), not the grammar.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct FormulaFunction;

struct FormulaToken {
  /// formula_names finds the variables, functions and signs that words are. What cannot begin a value is at the end.
  enum class Kind { number, word, variable, function, open, fraction, sign, close, comma, end };
  Kind kind = Kind::end;
  /// Signs in one spelling each: "+", "^", "mod", "//", "==", "=", "and"; brackets as "(", "⌈"; words
  /// as typed.
  std::string text = {};
  double value = 0;
  std::size_t begin = 0;   ///< in the text that was typed
  bool spaced = false;     ///< white space before it
  bool same_word = false;  ///< cut from the same word as the item before
  std::string variable = {};
  const FormulaFunction* function = nullptr;
};

/// Ends with a token of Kind::end. Throws UserError for text that is too long, for what is not text
/// and for signs that no formula has.
std::vector<FormulaToken> formula_tokens(std::string_view text);

/// Tokens whose words are found among the variables of a question; without the "n' =" before the formula. A word may be
/// several: "2NDlog2N" holds N, D, log2 and N; then all of them must be exactly as the variables are written.
/// Throws UserError: a word is unknown, or could mean several things, or no formula could name a variable.
std::vector<FormulaToken> formula_items(std::string_view typed,
                                        std::span<const std::string> variables);

/// "at '/ N': what": quotes what stands at this place.
[[noreturn]] void fail_at(std::string_view text, std::size_t place, const std::string& what);

}  // namespace rankscope
