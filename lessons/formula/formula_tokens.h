// What students type, cut into pieces: numbers, words, signs, brackets. Knows the spellings (Unicode,
// LaTeX, Python, C), not the grammar.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Longer texts are refused before they are read.
inline constexpr std::size_t kMostFormulaCharacters = 500;
inline constexpr std::size_t kMostFormulaPieces = 300;
inline constexpr std::size_t kDeepestFormula = 40;

struct FormulaToken {
  enum class Kind { number, word, sign, open, close, comma, fraction, end };
  Kind kind = Kind::end;
  /// Signs in one spelling each: "+", "^", "mod", "//", "==", "=", "and"; brackets as "(", "⌈"; words
  /// as typed.
  std::string text;
  double value = 0;
  std::size_t begin = 0, end = 0;  ///< in the text that was typed
  bool spaced = false;             ///< white space before it
};

/// Ends with a token of Kind::end. Throws UserError for text that is too long, for what is not text
/// and for signs that no formula has.
std::vector<FormulaToken> formula_tokens(std::string_view text);

/// "at '/ N': what": quotes what stands at this place.
[[noreturn]] void fail_at(std::string_view text, std::size_t place, const std::string& what);

}  // namespace rankscope
