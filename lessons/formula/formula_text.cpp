#include "lessons/formula/formula_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "lessons/formula/formula_items.h"
#include "lessons/formula/formula_names.h"
#include "lessons/formula/formula_signs.h"
#include "lessons/formula/formula_tokens.h"

namespace rankscope {
namespace {

using Item = FormulaItem;
using Sign = FormulaSign;

struct OpenGroup {
  enum class Kind {
    whole,  // all of the formula
    bracket,
    function,   // f( )
    applied,    // log2 N: ends behind the factor
    negation,   // not a == b: ends before "and", "or", ...
    numerator,  // \frac{ }
    denominator,
    congruence,  // (mod N) behind an expression
  };
  Kind kind = Kind::whole;
  std::string open;
  std::size_t item = 0;
  const FormulaFunction* function = nullptr;
  int arguments = 1;
  int questions = 0;
  // Of the clause, the part since the last comma, comparison, "and", ...:
  std::size_t begins = 0;  // in the output
  bool compared = false;   // this clause is the right-hand side of a comparison
  bool divided = false;    // its last sign of this rank was a division
  std::string rank;        // "+" (for minus also) or a sign for bits: these do not mix
};

constexpr auto kPairs = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"(", ")"}, {"[", "]"}, {"{", "}"}, {"⌈", "⌉"}, {"⌊", "⌋"}});

std::string_view closing(std::string_view open) {
  return std::find_if(kPairs.begin(), kPairs.end(), [&](auto pair) { return pair.first == open; })
      ->second;
}

class Writer {
 public:
  Writer(std::string_view typed, std::vector<Item> items)
      : typed_(typed), items_(std::move(items)) {}

  FormulaText write() {
    groups_.push_back({});
    while (items_[at_].kind != Item::Kind::end) {
      if (operand_expected_) operand();
      else behind_operand();
      if (out_.size() > 8 * kMostFormulaPieces)
        fail("the formula is too long; write a shorter one");
    }
    if (operand_expected_) fail(items_.size() == 1 ? "write a formula" : expected());
    end_clause();
    if (groups_.size() > 1) {
      const auto& open = items_[groups_.back().item];
      fail_at(typed_, open.begin, "this bracket is not closed: write a '" + closing_of_top() + "'");
    }
    check_questions();
    FormulaText result;
    for (const auto& piece : out_) result.text += piece + ' ';
    result.used.assign(used_.begin(), used_.end());
    return result;
  }

 private:
  const Item& item() const { return items_[at_]; }
  const Item& next() const { return items_[std::min(at_ + 1, items_.size() - 1)]; }
  OpenGroup& top() { return groups_.back(); }
  bool is_sign(const Item& one, std::string_view text) const {
    return one.kind == Item::Kind::sign && one.text == text;
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(typed_, item().begin, what); }
  void put(std::string_view piece) { out_.emplace_back(piece); }
  std::string closing_of_top() const { return std::string(closing(groups_.back().open)); }

  std::string expected() const {
    std::string text = "a number, a variable or a bracket is expected";
    if (at_ > 0) text += " after '" + escaped(items_[at_ - 1].text) + "'";
    return text;
  }

  void open_group(OpenGroup::Kind kind, std::string_view open, std::size_t at_item) {
    if (groups_.size() > kDeepestFormula)
      fail("brackets are nested too deeply; write a simpler formula");
    OpenGroup group;
    group.kind = kind;
    group.open = open;
    group.item = at_item;
    group.begins = out_.size();
    groups_.push_back(std::move(group));
    behind_power_ = false;
  }

  void start_clause() {
    top().begins = out_.size();
    top().compared = top().divided = false;
    top().rank.clear();
    operand_expected_ = true;
  }

  // --- where an operand is expected ---

  void operand() {
    switch (item().kind) {
      case Item::Kind::number: return number();
      case Item::Kind::variable:
        put("v" + std::to_string(item().variable));
        used_.insert(item().variable);
        ++at_;
        return operand_ends();
      case Item::Kind::function: return function(item().function);
      case Item::Kind::open: return open();
      case Item::Kind::fraction: return fraction();
      case Item::Kind::sign: return prefix();
      case Item::Kind::close:
        if (at_ > 0 && items_[at_ - 1].kind == Item::Kind::open)
          fail("something is expected between the brackets");
        fail(expected());
      default: fail(expected());
    }
  }

  void number() {
    if (!std::isfinite(item().value)) fail("this number is too large to compute with");
    std::array<char, 32> text{};  // to_chars: the same in every locale
    const auto end = std::to_chars(text.data(), text.data() + text.size(), item().value).ptr;
    put(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
    ++at_;
    operand_ends();
  }

  void function(const FormulaFunction* called) {
    const std::size_t word = at_++;
    put(std::string(called->calls) + "(");  // the evaluator wants no blank between
    if (item().kind == Item::Kind::open && item().text != "⌈" && item().text != "⌊") {
      open_group(OpenGroup::Kind::function, item().text, word);
      ++at_;
    } else if (called->prefix) {
      open_group(OpenGroup::Kind::applied, "(", word);
    } else {
      fail_at(typed_, items_[word].begin,
              "write brackets behind '" + std::string(called->name) + "'");
    }
    top().function = called;
  }

  void open() {
    put(item().text == "⌈" ? "ceil(" : item().text == "⌊" ? "floor(" : "(");
    open_group(OpenGroup::Kind::bracket, item().text, at_);
    ++at_;
  }

  void fraction() {
    const std::size_t command = at_++;
    if (item().kind != Item::Kind::open || item().text != "{")
      fail_at(typed_, items_[command].begin, "write \\frac{a}{b}");
    put("((");
    open_group(OpenGroup::Kind::numerator, "{", at_++);
  }

  void prefix() {
    const std::string text = item().text;
    if (text == "-" || text == "+") {
      bool minus = false;  // the evaluator takes one sign only
      for (; is_sign(item(), "-") || is_sign(item(), "+"); ++at_) minus ^= item().text == "-";
      if (minus) put("-");
      return;
    }
    if (text == "!") return function(find_formula_function("!"));
    if (text == "not") {
      put("not(");
      return open_group(OpenGroup::Kind::negation, "(", at_++);
    }
    const auto* called = find_formula_function(text == "//" ? "div" : text);
    if (called != nullptr && next().kind == Item::Kind::open) return function(called);  // mod(a, b)
    if (text == "|") fail("write abs(...) for the absolute value");
    fail(expected() + ", not '" + text + "'");
  }

  // --- behind an operand ---

  void operand_ends() {
    operand_expected_ = false;
    applied_ended_ = false;
    while (top().kind == OpenGroup::Kind::applied && !is_sign(item(), "^")) {
      check_log(top());
      put(")");
      groups_.pop_back();
      applied_ended_ = true;
    }
  }

  void behind_operand() {
    switch (item().kind) {
      case Item::Kind::sign: return binary();
      case Item::Kind::close: return close();
      case Item::Kind::comma: return comma();
      case Item::Kind::open:
        if (is_sign(next(), "mod")) return congruence();
        break;
      default: break;
    }
    check_product();
    put("*");
    behind_power_ = false;
    operand_expected_ = true;
  }

  // A product without a sign.
  void check_product() const {
    const auto& before = items_[at_ - 1];
    if (item().kind == Item::Kind::number)
      fail("a sign is expected before this number, such as * or ^");
    if (groups_.back().divided)
      fail(
          "a product without a sign after a division can be read in two ways: write a/(b c) or a/b "
          "* c");
    const bool tight = item().same_word || (!item().spaced && item().kind == Item::Kind::variable &&
                                            before.kind == Item::Kind::number);
    if (tight && applied_ended_) fail("this can be read in two ways: write brackets, log2(a b)");
    if (tight && behind_power_) fail("this can be read in two ways: write a^(b c) or a^b * c");
  }

  void binary() {
    const std::string text = item().text;
    if (is_sign(item(), "not") || is_sign(item(), "!") || is_sign(item(), ":="))
      fail("'" + text + "' cannot stand behind a value here");
    const auto& sign = *std::find_if(kFormulaSigns.begin(), kFormulaSigns.end(),
                                     [&](const Sign& s) { return s.typed == text; });
    if (sign.rank == Sign::Rank::logic) return logic(sign);
    auto& group = top();
    if (sign.rank == Sign::Rank::comparison) {
      if (group.compared) fail("write two comparisons with 'and': 0 <= i and i < N");
      put(sign.written);
      start_clause();
      group.compared = true;
    } else {
      if (sign.rank == Sign::Rank::sum || sign.rank == Sign::Rank::bits) {
        const std::string rank(sign.rank == Sign::Rank::sum ? "+" : sign.typed);
        if (!group.rank.empty() && group.rank != rank)
          fail("'" + text + "' next to '" + group.rank +
               "': write brackets around what comes first");
        group.rank = rank;
      }
      if (sign.rank != Sign::Rank::power) group.divided = sign.rank == Sign::Rank::division;
      put(sign.written);
    }
    behind_power_ = sign.rank == Sign::Rank::power;
    ++at_;
    operand_expected_ = true;
  }

  void logic(const Sign& sign) {
    end_clause();
    if (sign.typed == "?") ++top().questions;
    if (sign.typed == ":" && top().questions-- == 0)
      fail("':' belongs to 'a ? b : c'; a division is written with /");
    put(sign.written);
    ++at_;
    start_clause();
  }

  void end_clause() {
    while (top().kind == OpenGroup::Kind::negation) {
      put(")");
      groups_.pop_back();
    }
  }

  void check_questions() {
    if (top().questions > 0) fail("'?' needs a ':' as in 'a ? b : c'");
  }

  void comma() {
    end_clause();
    if (top().kind != OpenGroup::Kind::function) {
      const bool decimal = at_ > 0 && items_[at_ - 1].kind == Item::Kind::number &&
                           next().kind == Item::Kind::number;
      fail(decimal ? "write numbers with a point (0.5) and without separators (1000)"
                   : "a comma separates the values of min( , ) and such only");
    }
    check_questions();
    ++top().arguments;
    put(",");
    ++at_;
    start_clause();
  }

  void close() {
    end_clause();
    const OpenGroup group = top();
    if (group.kind == OpenGroup::Kind::whole) fail("this bracket was never opened");
    if (item().text != closing(group.open))
      fail("'" + group.open + "' is closed by '" + std::string(closing(group.open)) +
           "', not by '" + item().text + "'");
    check_questions();
    if (group.kind == OpenGroup::Kind::function) check_arguments(group);
    ++at_;
    if (group.kind == OpenGroup::Kind::function) check_log(group);
    groups_.pop_back();
    if (group.kind == OpenGroup::Kind::numerator) {
      if (item().kind != Item::Kind::open || item().text != "{") fail("write \\frac{a}{b}");
      put(")/(");
      open_group(OpenGroup::Kind::denominator, "{", at_++);
      operand_expected_ = true;
      return;
    }
    const bool two =
        group.kind == OpenGroup::Kind::denominator || group.kind == OpenGroup::Kind::congruence;
    put(two ? "))" : ")");
    operand_ends();
  }

  void check_arguments(const OpenGroup& group) const {
    const auto& called = *group.function;
    const std::string name(called.name);
    if (group.arguments < called.least)
      fail("'" + name + "' needs " + std::to_string(called.least) +
           " values, separated by a comma");
    if (group.arguments > called.most)
      fail("'" + name + "' takes " + std::to_string(called.most) +
           (called.most == 1 ? " value" : " values") + " only");
  }

  // "log" is the natural logarithm to some and that to base 2 to others; log(N)/log(2) is the same
  // for both. `at_` is behind the logarithm.
  void check_log(const OpenGroup& group) {
    if (group.function->name != "log" || group.arguments > 1) return;
    const Item nothing;
    const auto& before = group.item > 0 ? items_[group.item - 1] : nothing;
    const bool first = before.kind != Item::Kind::function && !is_sign(before, "^") &&
                       !is_sign(before, "/") && !is_sign(before, "//") && !is_sign(before, "mod");
    const bool over = first && is_sign(item(), "/") && next().kind == Item::Kind::function &&
                      next().function->name == "log";
    const bool under = log_over_ && is_sign(before, "/") && !is_sign(item(), "^");
    if (!over && !under)
      fail_at(typed_, items_[group.item].begin,
              "the base of this logarithm: write log2, ln or log10");
    log_over_ = over;
  }

  // n + i - 2 (mod N): all that is before it, modulo N.
  void congruence() {
    if (top().compared)
      fail("write 'a mod N' with brackets around a on both sides of a comparison");
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(top().begins), "((");
    put(") % (");
    top().divided = true;
    top().rank.clear();
    open_group(OpenGroup::Kind::congruence, item().text, at_);
    at_ += 2;
    operand_expected_ = true;
  }

  std::string_view typed_;
  std::vector<Item> items_;
  std::size_t at_ = 0;
  std::vector<OpenGroup> groups_;
  std::vector<std::string> out_;
  std::set<std::size_t> used_;
  bool operand_expected_ = true;
  bool applied_ended_ = false;  // the operand before ended "log2 N"
  bool behind_power_ = false;   // ... is an exponent without brackets
  bool log_over_ = false;       // the last logarithm was the upper one of a quotient
};

}  // namespace

FormulaText formula_text(std::string_view typed, std::span<const std::string> variables) {
  return Writer(typed, formula_items(typed, variables)).write();
}

}  // namespace rankscope
