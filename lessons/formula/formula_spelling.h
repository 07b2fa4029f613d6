// How the signs and names of formulas are spelled in Unicode, LaTeX, Python and C.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lessons/formula/formula_tokens.h"

namespace rankscope {

struct FormulaSpelling {
  std::size_t size = 0;  ///< of what is typed; 0: nothing that is known
  FormulaToken::Kind kind = FormulaToken::Kind::end;
  std::string_view text = {};
};

/// The sign or bracket (or, behind a backslash, the LaTeX command) or superscript that the text begins with.
FormulaSpelling find_spelling(std::string_view rest);
FormulaSpelling find_superscript(std::string_view rest);
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Bytes of the blank (or $) that the text begins with.
std::size_t formula_space(std::string_view rest);

// LaTeX, without the backslash.
bool is_ignored_latex(std::string_view name);  ///< \left, \quad
bool is_text_latex(std::string_view name);     ///< \text, \operatorname: a word in braces follows

/// "math" of "math.ceil".
bool is_formula_module(std::string_view word);

bool begins_formula_word(char32_t character);
bool continues_formula_word(char32_t character);

/// One spelling for a name: "α₁", "α_1", "alpha1" and "alpha_{1}" are one, "n′" and "n'" too.
std::string plain_name(std::string_view name);

}  // namespace rankscope
