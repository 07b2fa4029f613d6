// The tables of spellings of signs, functions and letters.
#include "lessons/formula/formula_spelling.h"

#include <algorithm>
#include <array>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

using TokenKind = FormulaToken::Kind;

// In groups with two blanks between: how we spell a sign (typed as well, if it is no word), and what else is
// typed for it. A backslash: LaTeX.
constexpr std::string_view kSpellings =
    "+  - − – ‐  * · ⋅ ∙ • ∗ × \\cdot \\times \\ast  / ÷ ∕ ⁄ \\div  //  ^ **  mod % \\bmod \\mod  "
    "xor ⊕ ⊻ \\oplus  <<  >>  &  |  =  ==  != <> ≠ \\ne \\neq  < \\lt  <= ≤ \\le \\leq  > \\gt  "
    ">= ≥ \\ge \\geq  and && ∧ \\land \\wedge  or || ∨ \\lor \\vee  not ¬ \\lnot \\neg  !  ?  :  "
    ":=  "
    ",  (  )  [  ]  {  }  ⌈ \\lceil  ⌉ \\rceil  ⌊ \\lfloor  ⌋ \\rfloor  sqrt √  "
    "frac \\frac \\dfrac \\tfrac";
constexpr std::string_view kIgnoredCommands =
    "left right big Big bigl bigr Bigl Bigr bigg quad qquad displaystyle limits thinspace";
constexpr std::string_view kTextCommands =
    "text mathrm operatorname mathit mathbin textrm textit mathsf";
constexpr std::string_view kModules = "math np numpy torch std Math";
constexpr std::string_view kGreek =
    "alpha α beta β gamma γ delta δ epsilon ε lambda λ sigma σ theta θ omega ω Delta Δ tau τ rho ρ "
    "mu μ eta η phi φ";
constexpr std::string_view kSuperscripts = "⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁺+⁻-⁽(⁾)ⁱiⁿnᵏkʲj";  // in pairs
constexpr auto kSpaces = std::to_array<std::string_view>(
    {" ", "\t", "\n", "\r", "$", "\u00a0", "\u2009", "\u202f", "\u2061", "\u2062", "\u200b"});

// Takes the first word of a list.
std::string_view take_word(std::string_view& list) {
  const auto word = list.substr(0, list.find(' '));
  list.remove_prefix(std::min(word.size() + 1, list.size()));
  return word;
}

bool is_among(std::string_view word, std::string_view list) {
  while (!list.empty())
    if (take_word(list) == word) return true;
  return false;
}

TokenKind kind_of(std::string_view text) {
  constexpr std::string_view kOpen = "( [ { ⌈ ⌊", kClose = ") ] } ⌉ ⌋";
  if (is_digit(text[0])) return TokenKind::number;
  if (text == "sqrt" || (text.size() == 1 && is_ascii_letter(text[0]))) return TokenKind::word;
  if (text == "frac") return TokenKind::fraction;
  if (text == ",") return TokenKind::comma;
  if (is_among(text, kOpen)) return TokenKind::open;
  return is_among(text, kClose) ? TokenKind::close : TokenKind::sign;
}

// Copied from a paper, a variable is often 𝑁 (mathematical italic) instead of N.
char32_t plain_letter(char32_t c) {
  if (c >= 0x1D400 && c <= 0x1D6A3) {
    const char32_t letter = (c - 0x1D400) % 52;
    return letter < 26 ? U'A' + letter : U'a' + (letter - 26);
  }
  if (c >= 0x2080 && c <= 0x2089) return U'0' + (c - 0x2080);
  if (c == U'′' || c == U'’') return U'\'';
  if (c == U'ℎ') return U'h';
  if (c == U'µ') return U'μ';  // the sign for micro is another character than the letter
  return c;
}

void append_utf8(std::string& text, char32_t c) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  byte(c < 0x800 ? 0xC0 | c >> 6 : 0xE0 | c >> 12);
  if (c >= 0x800) byte(0x80 | (c >> 6 & 0x3F));
  byte(0x80 | (c & 0x3F));
}

}  // namespace

FormulaSpelling find_spelling(std::string_view rest) {
  FormulaSpelling found;
  std::string_view text;
  for (auto list = kSpellings; !list.empty();) {
    const auto typed = take_word(list);
    if (text.empty()) text = typed;
    if (typed.size() > found.size && rest.starts_with(typed) && !is_ascii_letter(typed[0]))
      found = {typed.size(), kind_of(text), text};
    if (list.starts_with(' ')) text = take_word(list);
  }
  return found;
}

FormulaSpelling find_superscript(std::string_view rest) {
  for (std::size_t at = 0; at < kSuperscripts.size(); ++at) {
    const std::size_t begin = at;
    next_character(kSuperscripts, at);
    const auto typed = kSuperscripts.substr(begin, at - begin), text = kSuperscripts.substr(at, 1);
    if (rest.starts_with(typed)) return {typed.size(), kind_of(text), text};
  }
  return {};
}

std::size_t formula_space(std::string_view rest) {
  const auto space = ranges::find_if(kSpaces, [&](auto one) { return rest.starts_with(one); });
  return space == kSpaces.end() ? 0 : space->size();
}

bool is_ignored_latex(std::string_view name) { return is_among(name, kIgnoredCommands); }
bool is_text_latex(std::string_view name) { return is_among(name, kTextCommands); }
bool is_formula_module(std::string_view word) { return is_among(word, kModules); }

bool begins_formula_word(char32_t c) {
  c = plain_letter(c);
  return (c < 0x80 && (is_ascii_letter(static_cast<char>(c)) || c == U'_')) ||
         (c >= 0xC0 && c <= 0x24F && c != U'×' && c != U'÷') || (c >= 0x370 && c <= 0x4FF);
}

bool continues_formula_word(char32_t c) {
  const char32_t plain = plain_letter(c);
  return begins_formula_word(c) || (plain >= U'0' && plain <= U'9') || plain == U'\'';
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    const char32_t c = plain_letter(next_character(name, at));
    if (c != U'_' && c != U'{' && c != U'}' && c != U' ') append_utf8(plain, c);
  }
  for (auto list = kGreek; !list.empty();) {
    const auto word = take_word(list), letter = take_word(list);
    if (!plain.starts_with(word)) continue;
    const auto tail = plain.substr(word.size());
    if (ranges::all_of(tail, is_digit)) return std::string(letter) + tail;
  }
  return plain;
}

}  // namespace rankscope
