#include "lessons/formula/formula_spelling.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

using TokenKind = FormulaToken::Kind;

constexpr auto kSigns = std::to_array<FormulaSpelling>({
    {"**", TokenKind::sign, "^"},   {"//", TokenKind::sign, "//"}, {"<<", TokenKind::sign, "<<"},
    {">>", TokenKind::sign, ">>"},  {"<=", TokenKind::sign, "<="}, {">=", TokenKind::sign, ">="},
    {"==", TokenKind::sign, "=="},  {"!=", TokenKind::sign, "!="}, {"<>", TokenKind::sign, "!="},
    {"&&", TokenKind::sign, "and"}, {"||", TokenKind::sign, "or"}, {":=", TokenKind::sign, ":="},
    {"+", TokenKind::sign, "+"},    {"-", TokenKind::sign, "-"},   {"*", TokenKind::sign, "*"},
    {"/", TokenKind::sign, "/"},    {"^", TokenKind::sign, "^"},   {"%", TokenKind::sign, "mod"},
    {"<", TokenKind::sign, "<"},    {">", TokenKind::sign, ">"},   {"=", TokenKind::sign, "="},
    {"!", TokenKind::sign, "!"},    {"&", TokenKind::sign, "&"},   {"|", TokenKind::sign, "|"},
    {"?", TokenKind::sign, "?"},    {":", TokenKind::sign, ":"},   {",", TokenKind::comma, ","},
    {"(", TokenKind::open, "("},    {")", TokenKind::close, ")"},  {"[", TokenKind::open, "["},
    {"]", TokenKind::close, "]"},   {"{", TokenKind::open, "{"},   {"}", TokenKind::close, "}"},
    {"⌈", TokenKind::open, "⌈"},    {"⌉", TokenKind::close, "⌉"},  {"⌊", TokenKind::open, "⌊"},
    {"⌋", TokenKind::close, "⌋"},   {"·", TokenKind::sign, "*"},   {"⋅", TokenKind::sign, "*"},
    {"∙", TokenKind::sign, "*"},    {"•", TokenKind::sign, "*"},   {"∗", TokenKind::sign, "*"},
    {"×", TokenKind::sign, "*"},    {"÷", TokenKind::sign, "/"},   {"∕", TokenKind::sign, "/"},
    {"⁄", TokenKind::sign, "/"},    {"−", TokenKind::sign, "-"},   {"–", TokenKind::sign, "-"},
    {"‐", TokenKind::sign, "-"},    {"≤", TokenKind::sign, "<="},  {"≥", TokenKind::sign, ">="},
    {"≠", TokenKind::sign, "!="},   {"∧", TokenKind::sign, "and"}, {"∨", TokenKind::sign, "or"},
    {"¬", TokenKind::sign, "not"},  {"⊕", TokenKind::sign, "xor"}, {"⊻", TokenKind::sign, "xor"},
    {"√", TokenKind::word, "sqrt"},
});

// LaTeX without the backslash; an empty text is left out.
constexpr auto kCommands = std::to_array<FormulaSpelling>({
    {"lceil", TokenKind::open, "⌈"},    {"rceil", TokenKind::close, "⌉"},
    {"lfloor", TokenKind::open, "⌊"},   {"rfloor", TokenKind::close, "⌋"},
    {"cdot", TokenKind::sign, "*"},     {"times", TokenKind::sign, "*"},
    {"ast", TokenKind::sign, "*"},      {"div", TokenKind::sign, "/"},
    {"bmod", TokenKind::sign, "mod"},   {"mod", TokenKind::sign, "mod"},
    {"oplus", TokenKind::sign, "xor"},  {"le", TokenKind::sign, "<="},
    {"leq", TokenKind::sign, "<="},     {"ge", TokenKind::sign, ">="},
    {"geq", TokenKind::sign, ">="},     {"lt", TokenKind::sign, "<"},
    {"gt", TokenKind::sign, ">"},       {"ne", TokenKind::sign, "!="},
    {"neq", TokenKind::sign, "!="},     {"land", TokenKind::sign, "and"},
    {"wedge", TokenKind::sign, "and"},  {"lor", TokenKind::sign, "or"},
    {"vee", TokenKind::sign, "or"},     {"lnot", TokenKind::sign, "not"},
    {"neg", TokenKind::sign, "not"},    {"frac", TokenKind::fraction, ""},
    {"dfrac", TokenKind::fraction, ""}, {"tfrac", TokenKind::fraction, ""},
});
constexpr auto kIgnoredCommands = std::to_array<std::string_view>(
    {"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "quad", "qquad",
     "displaystyle", "limits", "thinspace"});
constexpr auto kTextCommands = std::to_array<std::string_view>(
    {"text", "mathrm", "operatorname", "mathit", "mathbin", "textrm", "textit", "mathsf"});
constexpr auto kSuperscripts = std::to_array<FormulaSpelling>({
    {"⁰", TokenKind::number, "0"},
    {"¹", TokenKind::number, "1"},
    {"²", TokenKind::number, "2"},
    {"³", TokenKind::number, "3"},
    {"⁴", TokenKind::number, "4"},
    {"⁵", TokenKind::number, "5"},
    {"⁶", TokenKind::number, "6"},
    {"⁷", TokenKind::number, "7"},
    {"⁸", TokenKind::number, "8"},
    {"⁹", TokenKind::number, "9"},
    {"⁺", TokenKind::sign, "+"},
    {"⁻", TokenKind::sign, "-"},
    {"⁽", TokenKind::open, "("},
    {"⁾", TokenKind::close, ")"},
    {"ⁱ", TokenKind::word, "i"},
    {"ⁿ", TokenKind::word, "n"},
    {"ᵏ", TokenKind::word, "k"},
    {"ʲ", TokenKind::word, "j"},
});
constexpr auto kSpaces = std::to_array<std::string_view>(
    {" ", "\t", "\n", "\r", "$", "\u00a0", "\u2009", "\u202f", "\u2061", "\u2062", "\u200b"});
constexpr auto kModules =
    std::to_array<std::string_view>({"math", "np", "numpy", "torch", "std", "Math"});
constexpr auto kGreek =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"alpha", "α"},
                                                                  {"beta", "β"},
                                                                  {"gamma", "γ"},
                                                                  {"delta", "δ"},
                                                                  {"epsilon", "ε"},
                                                                  {"lambda", "λ"},
                                                                  {"sigma", "σ"},
                                                                  {"theta", "θ"},
                                                                  {"omega", "ω"},
                                                                  {"Delta", "Δ"},
                                                                  {"tau", "τ"},
                                                                  {"rho", "ρ"},
                                                                  {"mu", "μ"},
                                                                  {"eta", "η"},
                                                                  {"phi", "φ"}});

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
  if (c < 0x800) {
    byte(0xC0 | c >> 6);
  } else {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
  }
  byte(0x80 | (c & 0x3F));
}

template <class List>
const FormulaSpelling* first_of(const List& list, std::string_view rest) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const FormulaSpelling& s) {
    return rest.starts_with(s.typed);
  });
  return found == list.end() ? nullptr : &*found;
}

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

const FormulaSpelling* find_formula_sign(std::string_view rest) { return first_of(kSigns, rest); }

const FormulaSpelling* find_superscript(std::string_view rest) {
  return first_of(kSuperscripts, rest);
}

std::size_t formula_space(std::string_view rest) {
  const auto space = std::find_if(kSpaces.begin(), kSpaces.end(),
                                  [&](std::string_view s) { return rest.starts_with(s); });
  return space == kSpaces.end() ? 0 : space->size();
}

const FormulaSpelling* find_latex_command(std::string_view name) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const FormulaSpelling& s) { return s.typed == name; });
  return found == kCommands.end() ? nullptr : &*found;
}

bool is_ignored_latex(std::string_view name) { return contains(kIgnoredCommands, name); }
bool is_text_latex(std::string_view name) { return contains(kTextCommands, name); }
bool is_formula_module(std::string_view word) { return contains(kModules, word); }

bool begins_formula_word(char32_t c) {
  c = plain_letter(c);
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_' ||
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
  for (const auto& [word, letter] : kGreek) {
    if (!plain.starts_with(word)) continue;
    const auto tail = plain.substr(word.size());
    if (std::all_of(tail.begin(), tail.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return std::string(letter) + tail;
  }
  return plain;
}

}  // namespace rankscope
