// How the signs and names of formulas are spelled in Unicode, LaTeX, Python and C.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lessons/formula/formula_tokens.h"

namespace rankscope {

struct FormulaSpelling {
  std::string_view typed;
  FormulaToken::Kind kind;
  std::string_view text;
};

/// The sign, bracket or superscript that the text begins with; null for none.
const FormulaSpelling* find_formula_sign(std::string_view rest);
const FormulaSpelling* find_superscript(std::string_view rest);
/// Bytes of the blank (or $) that the text begins with.
std::size_t formula_space(std::string_view rest);

/// LaTeX, without the backslash.
const FormulaSpelling* find_latex_command(std::string_view name);
bool is_ignored_latex(std::string_view name);  ///< \left, \quad
bool is_text_latex(std::string_view name);     ///< \text, \operatorname: a word in braces follows

/// "math" of "math.ceil".
bool is_formula_module(std::string_view word);

bool begins_formula_word(char32_t character);
bool continues_formula_word(char32_t character);

/// One spelling for a name: "α₁", "α_1", "alpha1" and "alpha_{1}" are one, "n′" and "n'" too.
std::string plain_name(std::string_view name);

}  // namespace rankscope
