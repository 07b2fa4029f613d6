#include "lessons/formula/formula_items.h"

#include <utility>

#include "lessons/formula/formula_tokens.h"

namespace rankscope {
namespace {

using TokenKind = FormulaToken::Kind;

// "c =", "n' =", "T(N, D) =", "D* =": what the formula is, which nobody asked to repeat. Returns how
// many tokens belong to it.
std::size_t left_hand_side(std::span<const FormulaToken> tokens, const FormulaNames& names) {
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

std::vector<FormulaItem> find_words(std::string_view typed, std::span<const FormulaToken> tokens,
                                    const FormulaNames& names) {
  std::vector<FormulaItem> items;
  for (const auto& token : tokens) {
    FormulaItem item{
        .text = token.text, .value = token.value, .begin = token.begin, .spaced = token.spaced};
    switch (token.kind) {
      case TokenKind::number: item.kind = FormulaItem::Kind::number; break;
      case TokenKind::sign: item.kind = FormulaItem::Kind::sign; break;
      case TokenKind::open: item.kind = FormulaItem::Kind::open; break;
      case TokenKind::close: item.kind = FormulaItem::Kind::close; break;
      case TokenKind::comma: item.kind = FormulaItem::Kind::comma; break;
      case TokenKind::fraction: item.kind = FormulaItem::Kind::fraction; break;
      case TokenKind::end: item.kind = FormulaItem::Kind::end; break;
      case TokenKind::word: break;
    }
    if (token.kind != TokenKind::word) {
      items.push_back(std::move(item));
      continue;
    }
    // "2 x N": an x that is no variable, between two operands, is a multiplication sign.
    const bool behind_operand =
        !items.empty() && (items.back().kind == FormulaItem::Kind::number ||
                           items.back().kind == FormulaItem::Kind::variable ||
                           items.back().kind == FormulaItem::Kind::close);
    if (token.text == "x" && behind_operand && !names.is_variable("x")) {
      item.kind = FormulaItem::Kind::sign;
      item.text = "*";
      items.push_back(std::move(item));
      continue;
    }
    for (auto& word : names.find(typed, token.begin, token.text)) {
      item.kind = word.kind == FormulaWord::Kind::variable   ? FormulaItem::Kind::variable
                  : word.kind == FormulaWord::Kind::function ? FormulaItem::Kind::function
                                                             : FormulaItem::Kind::sign;
      item.variable = word.variable;
      item.function = word.function;
      if (word.kind == FormulaWord::Kind::sign) item.text = word.sign;
      items.push_back(item);
      item.spaced = false;
      item.same_word = true;
    }
  }
  return items;
}

// A second "=" behind a left-hand side would be read as a comparison.
void check_equals(std::string_view typed, std::span<const FormulaToken> tokens) {
  int depth = 0;
  for (const auto& token : tokens) {
    if (token.kind == TokenKind::open) ++depth;
    if (token.kind == TokenKind::close) --depth;
    if (depth == 0 && token.kind == TokenKind::sign && token.text == "=")
      fail_at(typed, token.begin, "one '=' is enough: write the formula only");
  }
}

}  // namespace

std::vector<FormulaItem> formula_items(std::string_view typed,
                                       std::span<const std::string> variables) {
  const FormulaNames names(variables);
  const auto tokens = formula_tokens(typed);
  const std::size_t skipped = left_hand_side(tokens, names);
  const auto rest = std::span(tokens).subspan(skipped);
  if (skipped > 0) check_equals(typed, rest);
  return find_words(typed, rest, names);
}

}  // namespace rankscope
