// Cuts a formula into tokens: the spellings of signs, functions and letters, and what is no formula.
#include "lessons/formula/formula_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

using TokenKind = FormulaToken::Kind;

struct FormulaSpelling {
  std::size_t size = 0;  ///< Bytes that were typed; 0 when nothing is known.
  FormulaToken::Kind kind = FormulaToken::Kind::end;
  std::string_view text = {};
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Groups, two blanks apart: our spelling of a sign (words are matched elsewhere), then other ways to type it. Those with
// a backslash are LaTeX.
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

// A variable copied from a paper is often 𝑁 (mathematical italic) instead of N.
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

/// The sign or bracket (or, behind a backslash, LaTeX command) at the beginning of the text.
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

/// The size of the blank (or $) at the beginning of the text.
std::size_t formula_space(std::string_view rest) {
  const auto space = ranges::find_if(kSpaces, [&](auto one) { return rest.starts_with(one); });
  return space == kSpaces.end() ? 0 : space->size();
}

// LaTeX commands without their backslash: \left, \quad; and \text, \operatorname, which a word in braces follows.
bool is_ignored_latex(std::string_view name) { return is_among(name, kIgnoredCommands); }
bool is_text_latex(std::string_view name) { return is_among(name, kTextCommands); }
/// "math" of "math.ceil".
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

// Longer texts are refused before they are read.
constexpr std::size_t kMostFormulaCharacters = 500;
constexpr std::size_t kMostFormulaPieces = 300;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<FormulaToken> read() {
    while (true) {
      skip_spaces();
      if (at_ >= text_.size()) break;
      read_one();
      if (tokens_.size() > kMostFormulaPieces)
        fail_at(text_, at_, "the formula has too many parts; write a shorter one");
    }
    add(TokenKind::end, "", at_);
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void add(TokenKind kind, std::string_view text, std::size_t begin, double value = 0) {
    tokens_.push_back({kind, std::string(text), value, begin, spaced_});
    spaced_ = false;
  }

  void skip_spaces() {
    while (const std::size_t length = formula_space(rest())) {
      at_ += length;
      spaced_ = true;
    }
  }

  void read_one() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      return read_number();
    if (c == '\\') return read_command();
    if (find_superscript(rest()).size > 0) return read_superscripts();
    if (const auto sign = find_spelling(rest()); sign.size > 0) {
      at_ += sign.size;
      return add(sign.kind, sign.text, begin);
    }
    std::size_t next = at_;
    if (begins_formula_word(next_character(text_, next))) return read_word();
    fail_at(text_, begin, "this sign has no meaning in a formula");
  }

  void read_number() {
    std::size_t end = at_;
    std::string digits;
    const auto digit_at = [&](std::size_t i) { return i < text_.size() && is_digit(text_[i]); };
    for (; digit_at(end) || (digit_at(end + 1) && text_[end] == '_'); ++end)  // 1_000_000
      if (text_[end] != '_') digits += text_[end];
    end -= digits.size();
    digits += text_.substr(end + digits.size());
    double value = 0;  // from_chars: the same in every locale; the e of "2e" and "2e+N" is a name
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc() || !std::isfinite(value))
      fail_at(text_, at_, "this number is too large or too small to compute with");
    const auto length = static_cast<std::size_t>(result.ptr - digits.data());
    const std::size_t begin = std::exchange(at_, end + length);
    add(TokenKind::number, text_.substr(begin, at_ - begin), begin, value);
  }

  // Subscripts, "_2" and "_{2}", and everything else that belongs to a word.
  void read_tail() {
    while (at_ < text_.size()) {
      if (rest().starts_with("_{")) {
        const auto close = text_.find('}', at_);
        if (close == std::string_view::npos) fail_at(text_, at_ + 1, "this bracket is not closed");
        at_ = close + 1;
        return;  // "log_{2}N": what follows is a word of its own
      }
      std::size_t next = at_;
      if (!continues_formula_word(next_character(text_, next))) return;
      at_ = next;
    }
  }

  void read_word() {
    const std::size_t begin = at_;
    read_tail();
    const auto word = text_.substr(begin, at_ - begin);
    const bool module = is_formula_module(word);
    const std::size_t dot = rest().starts_with(".") ? 1 : rest().starts_with("::") ? 2 : 0;
    if (!module || dot == 0) return add(TokenKind::word, word, begin);
    at_ += dot;
    const std::size_t name = at_;
    read_tail();
    // Python's log is the natural one unless it has a base; without "math." nobody knows.
    const auto function = text_.substr(name, at_ - name);
    if (function.empty())
      fail_at(text_, begin, "the name of a function is expected behind the dot");
    add(TokenKind::word, function == "log" ? "math.log" : function, begin);
  }

  void read_superscripts() {
    const std::size_t begin = at_;
    add(TokenKind::sign, "^", begin);
    add(TokenKind::open, "(", begin);
    for (auto sign = find_superscript(rest()); sign.size > 0; sign = find_superscript(rest())) {
      const std::size_t one = at_;
      at_ += sign.size;
      const double digit = sign.text[0] - '0';
      if (sign.kind == TokenKind::number && tokens_.back().kind == TokenKind::number)
        tokens_.back().value = 10 * tokens_.back().value + digit;
      else add(sign.kind, sign.text, one, digit);
    }
    add(TokenKind::close, ")", begin);
  }

  void read_command() {
    const std::size_t begin = at_++;
    std::size_t end = at_;
    while (end < text_.size() && is_ascii_letter(text_[end])) ++end;
    const auto name = text_.substr(at_, end - at_);
    if (name.empty()) return read_escape(begin);
    at_ = end;
    if (is_ignored_latex(name)) {
      spaced_ = true;
      return;
    }
    if (is_text_latex(name)) return read_text(begin);
    if (name == "pmod") return read_pmod(begin);
    const auto known = find_spelling(text_.substr(begin, at_ - begin));
    if (known.size == at_ - begin) return add(known.kind, known.text, begin);
    if (rest().starts_with("_")) read_tail();
    add(TokenKind::word, text_.substr(begin + 1, at_ - begin - 1), begin);  // \log_2, \alpha
  }

  void read_escape(std::size_t begin) {
    constexpr std::string_view kBlank = ",;:! ()[]";  // thin spaces, and \( \) around a formula
    if (at_ >= text_.size()) fail_at(text_, begin, "the name of a LaTeX command is expected");
    const char c = text_[at_];
    if (kBlank.find(c) != std::string_view::npos) {
      ++at_;
      spaced_ = true;
      return;
    }
    constexpr std::string_view kLiteral = "{}%&";
    if (kLiteral.find(c) == std::string_view::npos)
      fail_at(text_, begin, "no LaTeX command that a formula may have");
  }

  void read_text(std::size_t begin) {  // \text{mod}
    skip_spaces();
    const auto close = text_.find('}', at_);
    if (!rest().starts_with("{") || close == std::string_view::npos)
      fail_at(text_, begin, "write the word in { } behind this command");
    const std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    const auto first = inside.find_first_not_of(' ');
    const auto last = inside.find_last_not_of(' ');
    at_ = close + 1;
    if (first == std::string_view::npos) return;
    if (rest().starts_with("_")) read_tail();
    spaced_ = true;
    const auto word = inside.substr(first, last - first + 1);
    if (const auto sign = find_spelling(word); sign.size == word.size())
      return add(sign.kind, sign.text, begin);
    std::size_t place = 0;
    bool letters = begins_formula_word(next_character(word, place));
    while (letters && place < word.size())
      letters = continues_formula_word(next_character(word, place));
    if (!letters) fail_at(text_, begin, "only a single word may stand here");
    const auto tail = text_.substr(close + 1, at_ - close - 1);
    add(TokenKind::word, std::string(word) + std::string(tail), begin);
  }

  void read_pmod(std::size_t begin) {
    skip_spaces();
    if (!rest().starts_with("{")) fail_at(text_, begin, "write \\pmod{N}");
    const std::size_t bracket = at_++;
    add(TokenKind::open, "{", bracket);
    add(TokenKind::sign, "mod", begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool spaced_ = false;
  std::vector<FormulaToken> tokens_;
};

void check_length(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    const std::size_t place = at;
    const char32_t c = next_character(text, at);
    if (characters >= kMostFormulaCharacters)
      throw UserError("The formula is longer than " + std::to_string(kMostFormulaCharacters) +
                      " characters: write a shorter one.");
    if (c == U'\uFFFD') fail_at(text, place, "this is not readable text (UTF-8)");
    if (is_control(c) && c != U'\t' && c != U'\n' && c != U'\r')
      fail_at(text, place, "a formula has no control characters");
  }
}

}  // namespace

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

std::vector<FormulaToken> formula_tokens(std::string_view text) {
  check_length(text);
  return Reader(text).read();
}

void fail_at(std::string_view text, std::size_t place, const std::string& what) {
  const std::string stop = what.ends_with('?') ? "" : ".";
  if (place >= text.size()) throw UserError("At the end of the formula: " + what + stop);
  constexpr int kQuoted = 12;
  std::size_t end = place;
  for (int i = 0; i < kQuoted && end < text.size(); ++i) next_character(text, end);
  throw UserError("At '" + escaped(text.substr(place, end - place)) +
                  (end < text.size() ? "…': " : "': ") + what + stop);
}

}  // namespace rankscope
