// Cuts a formula into tokens and rejects unknown characters.
#include "lessons/formula/formula_tokens.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "lessons/formula/formula_spelling.h"

namespace rankscope {
namespace {

using TokenKind = FormulaToken::Kind;

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

  // "_2", "_{2}", and whatever belongs to a word.
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
