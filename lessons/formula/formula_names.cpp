#include "lessons/formula/formula_names.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "lessons/formula/formula_spelling.h"
#include "lessons/formula/formula_tokens.h"

namespace rankscope {
namespace {

constexpr int kMany = std::numeric_limits<int>::max();

constexpr auto kFunctions = std::to_array<FormulaFunction>({
    {"ceil", "ceil", 1, 1, true},     {"ceiling", "ceil", 1, 1, true},
    {"floor", "floor", 1, 1, true},   {"round", "round", 1, 1, true},
    {"trunc", "trunc", 1, 1, true},   {"int", "trunc", 1, 1, true},
    {"abs", "abs", 1, 1, true},       {"sqrt", "sqrt", 1, 1, true},
    {"exp", "exp", 1, 1, true},       {"log2", "log2", 1, 1, true},
    {"lg", "log2", 1, 1, true},       {"ld", "log2", 1, 1, true},
    {"ln", "ln", 1, 1, true},         {"log10", "log10", 1, 1, true},
    {"log", "log", 1, 2, true},  // with one argument only as a quotient of two
    {"math.log", "log", 1, 2, false}, {"min", "min", 1, kMany, false},
    {"max", "max", 1, kMany, false},  {"pow", "pow", 2, 2, false},
    {"mod", "mod", 2, 2, false},      {"xor", "xor", 2, 2, false},
    {"div", "div", 2, 2, false},      {"!", "not", 1, 1, true},
});

struct WordSign {
  std::string_view word, sign;
};
constexpr auto kWordSigns = std::to_array<WordSign>(
    {{"mod", "mod"}, {"xor", "xor"}, {"div", "//"}, {"and", "and"}, {"or", "or"}, {"not", "not"}});

const WordSign* find_sign(std::string_view word) {
  const auto found = std::find_if(kWordSigns.begin(), kWordSigns.end(),
                                  [&](const WordSign& s) { return s.word == word; });
  return found == kWordSigns.end() ? nullptr : &*found;
}

FormulaWord variable(std::size_t index) {
  FormulaWord word;
  word.variable = index;
  return word;
}

FormulaWord sign(std::string_view text) {
  FormulaWord word;
  word.kind = FormulaWord::Kind::sign;
  word.sign = text;
  return word;
}

FormulaWord function(const FormulaFunction* found) {
  FormulaWord word;
  word.kind = FormulaWord::Kind::function;
  word.function = found;
  return word;
}

}  // namespace

const FormulaFunction* find_formula_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const FormulaFunction& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

FormulaNames::FormulaNames(std::span<const std::string> variables) : variables_(variables) {
  for (const auto& name : variables) {
    plain_.push_back(plain_name(name));
    const auto tokens = formula_tokens(name);
    if (tokens.size() != 2 || tokens[0].kind != FormulaToken::Kind::word)
      throw UserError("'" + escaped(name) + "' cannot be a variable: write one word, such as 'N'.");
  }
}

bool FormulaNames::is_variable(std::string_view word) const {
  const std::string plain = plain_name(word);
  return std::find(plain_.begin(), plain_.end(), plain) != plain_.end();
}

std::vector<std::size_t> FormulaNames::ignoring_case(std::string_view word) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plain_.size(); ++i)
    if (ascii_lower(plain_[i]) == ascii_lower(word)) found.push_back(i);
  return found;
}

// `word` is compared with the names in lower case if `any_case`.
bool find_own_word(std::string_view word, bool any_case, FormulaWord& found) {
  const std::string name = any_case ? ascii_lower(word) : std::string(word);
  if (const auto* s = find_sign(name)) return found = sign(s->sign), true;
  if (const auto* f = find_formula_function(name)) return found = function(f), true;
  return false;
}

// `ways` counts in how many ways the word can be cut: 0, 1, or more. The words are short (at most the
// whole formula), so the table of all cuts is small.
std::vector<FormulaWord> FormulaNames::split(std::string_view plain, bool only_variables,
                                             int& ways) const {
  std::vector<int> count(plain.size() + 1, 0);
  std::vector<std::vector<FormulaWord>> parts(plain.size() + 1);
  count[plain.size()] = 1;
  for (std::size_t at = plain.size(); at-- > 0;) {
    const auto rest = plain.substr(at);
    const auto take = [&](std::string_view name, const FormulaWord& one) {
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

std::string FormulaNames::unknown(std::string_view word) const {
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
    if (f.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string_view::npos)
      candidates.emplace_back(f.name);
  for (const auto& s : kWordSigns)
    if (find_formula_function(s.word) == nullptr) candidates.emplace_back(s.word);
  // Every single letter is "near" to every other one.
  std::string hint = plain_name(word).size() > 1 ? did_you_mean(word, candidates) : "";
  if (!hint.empty()) return text + "; " + hint;
  if (variables_.empty()) return text + "; write a number";
  text += "; the variables are ";
  for (std::size_t i = 0; i < variables_.size(); ++i) text += (i > 0 ? ", " : "") + variables_[i];
  return text;
}

// Variables as they are written come first, in any spelling; then our own words; then products of
// variables; then everything in another case. Two readings that are equally good are refused: "LD" must
// not become the logarithm ld by accident.
std::vector<FormulaWord> FormulaNames::find(std::string_view text, std::size_t place,
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
  FormulaWord whole;
  if (find_own_word(plain, false, whole)) {
    if (products > 0) refuse();
    return {whole};
  }
  auto parts = split(plain, false, ways);
  constexpr std::size_t kShort = 2;  // LN is rather a product, or a variable, than a logarithm
  // Where n is a rank, N is the number of ranks, and no other spelling of n.
  const auto similar = plain != "N" ? ignoring_case(plain) : std::vector<std::size_t>();
  const bool in_other_case = similar.size() == 1 || (plain.size() > kShort && similar.empty() &&
                                                     find_own_word(plain, true, whole));
  if (ways > 1 || (ways == 1 && in_other_case)) refuse();
  if (ways == 1) return parts;
  if (!in_other_case) fail_at(text, place, unknown(word));
  if (similar.size() == 1) whole = variable(similar[0]);
  return {whole};
}

}  // namespace rankscope
