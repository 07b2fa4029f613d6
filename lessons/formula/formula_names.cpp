// Computes functions and signs, and finds which variable, function or sign each word of a formula is.
#include "lessons/formula/formula_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

using Arguments = std::span<const double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMany = std::numeric_limits<int>::max();

// log(8)/log(2) may be a bit more than 3; its ceiling is 3 all the same.
double snapped(double x) {
  constexpr double kUlps = 16;
  const double whole = std::round(x);
  const double room = kUlps * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(x));
  return std::abs(x - whole) <= room ? whole : x;
}

double ceil_of(Arguments x) { return std::ceil(snapped(x[0])); }
double trunc_of(Arguments x) { return std::trunc(snapped(x[0])); }
double log2_of(Arguments x) { return std::log2(x[0]); }
double pow_of(Arguments x) { return std::pow(x[0], x[1]); }

double log_of(Arguments x) {
  if (x.size() < 2) return std::log(x[0]);
  return x[1] == 2 ? std::log2(x[0]) : std::log(x[0]) / std::log(x[1]);
}

// min_element() may skip NaN.
bool any_undefined(Arguments x) {
  return std::any_of(x.begin(), x.end(), [](double one) { return std::isnan(one); });
}

double mod_of(Arguments x) {
  const double rest = std::fmod(x[0], x[1]);  // has the sign of x[0]; NaN for x[1] = 0
  return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

double whole_division_of(Arguments x) { return std::round((x[0] - mod_of(x)) / x[1]); }

// Applies `operation` to whole numbers that a double holds exactly; returns NaN for others.
template <class Operation>
double on_bits(Arguments x, Operation operation) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  if (!std::all_of(x.begin(), x.end(),
                   [](double one) { return std::abs(one) <= kLargest && std::trunc(one) == one; }))
    return kNaN;
  return static_cast<double>(
      operation(static_cast<std::int64_t>(x[0]), static_cast<std::int64_t>(x[1])));
}

double xor_of(Arguments x) {
  return on_bits(x, [](auto a, auto b) { return a ^ b; });
}

// Multiplies by 2^by and rounds down, because C++ leaves shifts by 64 or more undefined.
double shifted(Arguments x, double by) {
  return x[1] >= 0 ? on_bits(x, [](auto, auto) { return 0; }) + std::floor(x[0] * std::exp2(by))
                   : kNaN;
}

constexpr auto kFunctions = std::to_array<FormulaFunction>({
    {"ceil", ceil_of},
    {"ceiling", ceil_of},
    {"floor", [](Arguments x) { return std::floor(snapped(x[0])); }},
    {"round", [](Arguments x) { return std::round(x[0]); }},
    {"trunc", trunc_of},
    {"int", trunc_of},
    {"abs", [](Arguments x) { return std::abs(x[0]); }},
    {"sqrt", [](Arguments x) { return std::sqrt(x[0]); }},
    {"exp", [](Arguments x) { return std::exp(x[0]); }},
    {"log2", log2_of},
    {"lg", log2_of},
    {"ld", log2_of},
    {"ln", log_of},
    {"log10", [](Arguments x) { return std::log10(x[0]); }},
    {"log", log_of, 1, 2},  // of one argument: log2, except in log(N)/log(2)
    {"math.log", log_of, 1, 2, false},
    {"min", [](Arguments x) { return any_undefined(x) ? kNaN : *ranges::min_element(x); }, 1, kMany,
     false},
    {"max", [](Arguments x) { return any_undefined(x) ? kNaN : *ranges::max_element(x); }, 1, kMany,
     false},
    {"pow", pow_of, 2, 2, false},
    {"mod", mod_of, 2, 2, false},
    {"xor", xor_of, 2, 2, false},
    {"div", whole_division_of, 2, 2, false},
    {"!", [](Arguments x) { return std::isnan(x[0]) ? kNaN
                                   : x[0] == 0      ? 1.0
                                                    : 0.0; }},
});

double equal(Arguments x) { return x[0] == x[1] ? 1 : 0; }

using Precedence = FormulaSign::Precedence;
constexpr auto kOperators = std::to_array<FormulaSign>({
    {"or", Precedence::either, [](Arguments x) { return x[0] != 0 || x[1] != 0 ? 1.0 : 0.0; }},
    {"and", Precedence::both, [](Arguments x) { return x[0] != 0 && x[1] != 0 ? 1.0 : 0.0; }},
    {"=", Precedence::comparison, equal},
    {"==", Precedence::comparison, equal},
    {"!=", Precedence::comparison, [](Arguments x) { return x[0] != x[1] ? 1.0 : 0.0; }},
    {"<", Precedence::comparison, [](Arguments x) { return x[0] < x[1] ? 1.0 : 0.0; }},
    {"<=", Precedence::comparison, [](Arguments x) { return x[0] <= x[1] ? 1.0 : 0.0; }},
    {">", Precedence::comparison, [](Arguments x) { return x[0] > x[1] ? 1.0 : 0.0; }},
    {">=", Precedence::comparison, [](Arguments x) { return x[0] >= x[1] ? 1.0 : 0.0; }},
    {"+", Precedence::sum, [](Arguments x) { return x[0] + x[1]; }},
    {"-", Precedence::sum, [](Arguments x) { return x[0] - x[1]; }},
    {"xor", Precedence::bits, xor_of},
    {"&", Precedence::bits,
     [](Arguments x) { return on_bits(x, [](auto a, auto b) { return a & b; }); }},
    {"|", Precedence::bits,
     [](Arguments x) { return on_bits(x, [](auto a, auto b) { return a | b; }); }},
    {"<<", Precedence::bits, [](Arguments x) { return shifted(x, x[1]); }},
    {">>", Precedence::bits, [](Arguments x) { return shifted(x, -x[1]); }},
    {"*", Precedence::product, [](Arguments x) { return x[0] * x[1]; }},
    {"/", Precedence::division, [](Arguments x) { return x[0] / x[1]; }},
    {"//", Precedence::division, whole_division_of},
    {"mod", Precedence::division, mod_of},
    {"^", Precedence::power, pow_of},
});

using TokenKind = FormulaToken::Kind;
using Tokens = std::span<const FormulaToken>;

constexpr auto kWordSigns =
    std::to_array<std::string_view>({"mod", "xor", "div", "and", "or", "not"});

FormulaToken sign(std::string_view text) { return {TokenKind::sign, std::string(text)}; }

FormulaToken function(const FormulaFunction* found) {
  return {.kind = TokenKind::function, .function = found};
}

// Finds the function or sign that `word` names, in any case if `any_case`; false if there is none.
bool find_own_word(std::string_view word, bool any_case, FormulaToken& found) {
  const std::string name = any_case ? ascii_lower(word) : std::string(word);
  if (ranges::find(kWordSigns, name) != kWordSigns.end())
    return found = sign(name == "div" ? "//" : name), true;
  if (const auto* f = find_formula_function(name)) return found = function(f), true;
  return false;
}

// Resolves the words of a formula to a question's variables, functions and signs.
class FormulaNames {
 public:
  explicit FormulaNames(std::span<const std::string> variables) : variables_(variables) {
    for (const auto& name : variables) {
      plain_.push_back(plain_name(name));
      const auto tokens = formula_tokens(name);
      if (tokens.size() != 2 || tokens[0].kind != TokenKind::word)
        throw UserError("'" + escaped(name) +
                        "' cannot be a variable: write one word, such as 'N'.");
    }
  }

  // Returns whether it names a variable, in any spelling.
  bool is_variable(std::string_view word) const {
    const std::string plain = plain_name(word);
    return std::find(plain_.begin(), plain_.end(), plain) != plain_.end();
  }

  // First a variable of this name, in any spelling (α₁, alpha1); then functions and signs; then products of
  // variables; then all of these in another case. Two readings that are equally good are refused: "LD" must
  // not become the logarithm ld by accident.
  std::vector<FormulaToken> find(std::string_view text, std::size_t place,
                                 std::string_view word) const {
    const auto refuse = [&] {
      fail_at(text, place,
              "'" + escaped(word) + "' can be read in several ways: write the products with *");
    };
    const std::string plain = plain_name(word);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (variables_[i] == word) return {variable(i)};
    for (std::size_t i = 0; i < plain_.size(); ++i)
      if (plain_[i] == plain) return {variable(i)};
    int products = 0, ways = 0;
    split(plain, true, products);
    FormulaToken whole;
    if (find_own_word(plain, false, whole)) {
      if (products > 0) refuse();
      return {whole};
    }
    auto parts = split(plain, false, ways);
    constexpr std::size_t kShort =
        2;  // LN is more likely a product, or a variable, than a logarithm
    // If n is a rank, N is the number of ranks, and no other spelling of n.
    const auto similar = plain != "N" ? ignoring_case(plain) : std::vector<std::size_t>();
    const bool in_other_case = similar.size() == 1 || (plain.size() > kShort && similar.empty() &&
                                                       find_own_word(plain, true, whole));
    if (ways > 1 || (ways == 1 && in_other_case)) refuse();
    if (ways == 1) return parts;
    if (!in_other_case) fail_at(text, place, unknown(word));
    if (similar.size() == 1) whole = variable(similar[0]);
    return {whole};
  }

 private:
  FormulaToken variable(std::size_t index) const {
    return {.kind = TokenKind::variable, .variable = variables_[index]};
  }

  std::vector<std::size_t> ignoring_case(std::string_view word) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < plain_.size(); ++i)
      if (ascii_lower(plain_[i]) == ascii_lower(word)) found.push_back(i);
    return found;
  }

  // Cuts the word into names, and returns one cut; `ways` is 0, 1, or 2 for several. The words are short (at most the
  // whole formula), so the table of all cuts is small.
  std::vector<FormulaToken> split(std::string_view plain, bool only_variables, int& ways) const {
    std::vector<int> count(plain.size() + 1, 0);
    std::vector<std::vector<FormulaToken>> parts(plain.size() + 1);
    count[plain.size()] = 1;
    for (std::size_t at = plain.size(); at-- > 0;) {
      const auto rest = plain.substr(at);
      const auto take = [&](std::string_view name, const FormulaToken& one) {
        if (name.empty() || !rest.starts_with(name) || count[at + name.size()] == 0) return;
        if (count[at] == 0) {
          parts[at] = {one};
          const auto& behind = parts[at + name.size()];
          parts[at].insert(parts[at].end(), behind.begin(), behind.end());
        }
        count[at] = std::min(2, count[at] + count[at + name.size()]);
      };
      for (std::size_t i = 0; i < plain_.size(); ++i) take(plain_[i], variable(i));
      if (only_variables) continue;
      for (const std::string_view name : {"log2", "lg", "ld", "ln", "ceil", "floor", "sqrt"})
        take(name, function(find_formula_function(name)));
      for (const std::string_view name : {"mod", "xor"}) take(name, sign(name));
    }
    ways = plain.empty() ? 0 : count[0];
    return parts[0];
  }

  std::string unknown(std::string_view word) const {
    constexpr std::size_t kLongestShown = 40;
    if (word.size() > kLongestShown) return "this name is not known here; write products with *";
    std::string text = "the name '" + escaped(word) + "' is not known here";
    if (word == "if" || word == "else" || word == "then")
      return "write 'condition ? a : b' for a choice between two formulas";
    if (const auto similar = ignoring_case(plain_name(word)); !similar.empty()) {
      text += ": '" + variables_[similar[0]];
      if (similar.size() > 1) text += "' or '" + variables_[similar[1]];
      return text + "'? Upper and lower case matter";
    }
    std::vector<std::string> candidates(variables_.begin(), variables_.end());
    for (const auto& f : kFunctions)
      if (f.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") ==
          std::string_view::npos)
        candidates.emplace_back(f.name);
    for (const auto own : kWordSigns)
      if (find_formula_function(own) == nullptr) candidates.emplace_back(own);
    // Every single letter is "near" to every other one.
    std::string hint = plain_name(word).size() > 1 ? did_you_mean(word, candidates) : "";
    if (!hint.empty()) return text + "; " + hint;
    if (variables_.empty()) return text + "; write a number";
    text += "; the variables are ";
    for (std::size_t i = 0; i < variables_.size(); ++i) text += (i > 0 ? ", " : "") + variables_[i];
    return text;
  }

  std::span<const std::string> variables_;
  std::vector<std::string> plain_;
};

// Returns how many tokens a copied left-hand side has ("c =", "n' =", "T(N, D) =", "D* ="); 0 without one.
std::size_t left_hand_side(Tokens tokens, const FormulaNames& names) {
  int depth = 0;
  std::size_t equals = 0;
  for (; tokens[equals].kind != TokenKind::end; ++equals) {
    if (tokens[equals].kind == TokenKind::open) ++depth;
    if (tokens[equals].kind == TokenKind::close) --depth;
    const auto& token = tokens[equals];
    if (depth == 0 && token.kind == TokenKind::sign && (token.text == "=" || token.text == ":="))
      break;
  }
  if (tokens[equals].kind == TokenKind::end || equals == 0) return 0;
  if (tokens[equals].text == ":=") return equals + 1;
  const auto& name = tokens[0];
  if (name.kind != TokenKind::word || find_formula_function(name.text) != nullptr) return 0;
  std::size_t end = equals;
  if (end > 1 && tokens[end - 1].text == "*") --end;  // D* is a usual name for the best D
  if (end > 1 && end < equals && tokens[end - 1].text == "^") --end;
  if (end == 1 && end < equals) return equals + 1;
  const bool is_known = names.is_variable(name.text);
  if (end > 1) {
    if (is_known || tokens[1].kind != TokenKind::open || tokens[end - 1].kind != TokenKind::close)
      return 0;
    for (const auto& token : tokens.subspan(2, end - 3))
      if (token.kind != TokenKind::word && token.kind != TokenKind::comma) return 0;
    return equals + 1;
  }
  if (!is_known) return equals + 1;
  // "n = n - 2^(i-1)" assigns, "n = 3" is a condition.
  for (const auto& token : tokens.subspan(equals + 1))
    if (token.kind == TokenKind::word && token.text == name.text) return equals + 1;
  return 0;
}

std::vector<FormulaToken> find_words(std::string_view typed, Tokens tokens,
                                     const FormulaNames& names) {
  std::vector<FormulaToken> items;
  for (const auto& token : tokens) {
    // "2 x N": an x that is no variable, between two operands, is a multiplication sign.
    const bool behind_operand = !items.empty() && (items.back().kind == TokenKind::number ||
                                                   items.back().kind == TokenKind::variable ||
                                                   items.back().kind == TokenKind::close);
    const bool times = token.text == "x" && behind_operand && !names.is_variable("x");
    const std::size_t first = items.size();
    if (token.kind != TokenKind::word) items.push_back(token);
    else if (times) items.push_back(sign("*"));
    else std::ranges::move(names.find(typed, token.begin, token.text), std::back_inserter(items));
    for (std::size_t i = first; i < items.size(); ++i) {
      if (items[i].text.empty()) items[i].text = token.text;
      items[i].begin = token.begin;
      items[i].spaced = token.spaced && i == first;
      items[i].same_word = i > first;
    }
  }
  return items;
}

// Refuses a second "=", which would be read as a comparison.
void check_equals(std::string_view typed, Tokens tokens) {
  int depth = 0;
  for (const auto& token : tokens) {
    if (token.kind == TokenKind::open) ++depth;
    if (token.kind == TokenKind::close) --depth;
    if (depth == 0 && token.kind == TokenKind::sign && token.text == "=")
      fail_at(typed, token.begin, "one '=' is enough: write the formula only");
  }
}

}  // namespace

const FormulaFunction* find_formula_function(std::string_view name) {
  const auto found = ranges::find(kFunctions, name, &FormulaFunction::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

const FormulaSign* find_formula_operator(std::string_view text) {
  const auto found = ranges::find(kOperators, text, &FormulaSign::text);
  return found == kOperators.end() ? nullptr : &*found;
}

std::vector<FormulaToken> formula_items(std::string_view typed,
                                        std::span<const std::string> variables) {
  const FormulaNames names(variables);
  const auto tokens = formula_tokens(typed);
  const std::size_t skipped = left_hand_side(tokens, names);
  const auto rest = Tokens(tokens).subspan(skipped);
  if (skipped > 0) check_equals(typed, rest);
  return find_words(typed, rest, names);
}

}  // namespace rankscope
