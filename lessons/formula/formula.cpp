// Compiles what students type to the steps that compute it. What can be read in two ways (D/N b, log2 2N, n xor 2^k + 1)
// is refused: a wrong guess would be a wrong verdict.
#include "lessons/formula/formula.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/formula/formula_names.h"

namespace rankscope {
namespace {

using Item = FormulaToken;
using Kind = FormulaToken::Kind;
constexpr std::size_t kDeepestFormula = 40;

using Precedence = FormulaSign::Precedence;

std::string closing(std::string_view open) {
  if (open == "⌈" || open == "⌊") return open == "⌈" ? "⌉" : "⌋";
  return open == "(" ? ")" : open == "[" ? "]" : "}";
}

// Each function reads a part of the formula, adds the steps that compute it, and leaves `at_` behind it.
class FormulaParser {
 public:
  FormulaParser(std::string_view typed, std::vector<Item> items)
      : typed_(typed), items_(std::move(items)) {}

  std::vector<Formula::Step> read() {
    choice();
    check_end();
    return std::move(steps_);
  }
  bool reads_log() const noexcept { return log_read_; }

 private:
  // The innermost open bracket.
  struct Group {
    std::string open;      ///< Empty for the whole formula.
    std::size_t item = 0;  ///< The item that errors quote if the bracket is not closed.
    bool list = false;     ///< Whether it holds values separated by commas.
  };

  const Item& item() const { return items_[at_]; }
  const Item& next() const { return items_[std::min(at_ + 1, items_.size() - 1)]; }
  static bool is_sign(const Item& one, std::string_view text) {
    return one.kind == Kind::sign && one.text == text;
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(typed_, item().begin, what); }
  [[noreturn]] void fail_expected(const std::string& but = "") const {
    std::string text = "a number, a variable or a bracket is expected";
    if (at_ > 0) text += " after '" + escaped(items_[at_ - 1].text) + "'";
    fail(text + but);
  }

  void compute(FormulaOperation operation, std::size_t takes = 2) {
    steps_.push_back({operation, takes});
  }

  const FormulaSign* take(Precedence precedence) {
    const auto* sign = item().kind == Kind::sign ? find_formula_operator(item().text) : nullptr;
    if (sign == nullptr || sign->precedence != precedence) return nullptr;
    ++at_;
    return sign;
  }

  bool take(std::string_view sign) {
    const bool is = is_sign(item(), sign);
    at_ += is ? 1 : 0;
    return is;
  }

  template <class Read>
  void nested(Group group, Read read) {
    if (depth_ >= kDeepestFormula) fail("brackets are nested too deeply; write a simpler formula");
    std::swap(group_, group);
    ++depth_;
    read();
    --depth_;
    std::swap(group_, group);
  }

  // Refuses what cannot stand behind an expression in this bracket.
  void check_end() const {
    const auto& text = item().text;
    if (item().kind == Kind::sign)
      fail(text == ":" ? "':' belongs to 'a ? b : c'; a division is written with /"
                       : "'" + text + "' cannot stand behind a value here");
    if (item().kind == Kind::comma && !group_.list) {
      const bool decimal = items_[at_ - 1].kind == Kind::number && next().kind == Kind::number;
      fail(decimal ? "write numbers with a point (0.5) and without separators (1000)"
                   : "a comma separates the values of min( , ) and such only");
    }
    if (item().kind == Kind::end && !group_.open.empty())
      fail_at(typed_, items_[group_.item].begin,
              "this bracket is not closed: write a '" + closing(group_.open) + "'");
    if (item().kind != Kind::close) return;
    if (group_.open.empty()) fail("this bracket was never opened");
    if (text != closing(group_.open))
      fail("'" + group_.open + "' is closed by '" + closing(group_.open) + "', not by '" + text +
           "'");
  }

  // Reads values from the first one on. Returns how many stand between the brackets.
  int in_brackets(const Group& group, std::size_t first,
                  const FormulaFunction* function = nullptr) {
    int count = 0;
    nested(group, [&] {
      for (at_ = first; count == 0 || item().kind == Kind::comma; ++count) {
        at_ += count == 0 ? 0 : 1;
        choice();
        check_end();
      }
      if (function != nullptr) check_arguments(*function, count);
    });
    ++at_;
    applied_ended_ = false;
    return count;
  }

  void check_arguments(const FormulaFunction& called, int count) const {
    const std::string name(called.name);
    if (count < called.least)
      fail("'" + name + "' needs " + std::to_string(called.least) +
           " values, separated by a comma");
    if (count > called.most)
      fail("'" + name + "' takes " + std::to_string(called.most) +
           (called.most == 1 ? " value" : " values") + " only");
  }

  void choice() {
    chain(Precedence::either, [&] { chain(Precedence::both, [&] { comparison(); }); });
    if (!take("?")) return;
    choice();
    if (!take(":")) {
      check_end();
      fail("'?' needs a ':' as in 'a ? b : c'");
    }
    choice();
    compute([](std::span<const double> x) { return x[0] != 0 ? x[1] : x[2]; }, 3);
  }

  template <class Next>
  void chain(Precedence precedence, Next next) {
    next();
    while (const auto* sign = take(precedence)) {
      next();
      compute(sign->compute);
    }
  }

  void comparison() {
    sum(false);
    const auto* sign = take(Precedence::comparison);
    if (sign == nullptr) return;
    sum(true);
    const std::size_t second = at_;
    if (take(Precedence::comparison) != nullptr) {
      at_ = second;
      fail("write two comparisons with 'and': 0 <= i and i < N");
    }
    compute(sign->compute);
  }

  // n + i - 2 (mod N): the whole sum before it, modulo N.
  bool is_congruence() const { return item().kind == Kind::open && is_sign(next(), "mod"); }

  void sum(bool compared) {
    std::string before;  // "+" (for minus also) or a sign for bits: these do not mix
    product(false);
    while (true) {
      const std::size_t place = at_;
      if (is_congruence()) {
        if (compared) fail("write 'a mod N' with brackets around a on both sides of a comparison");
        congruence();
        before.clear();
        continue;
      }
      const auto* sign = take(Precedence::sum);
      const std::string level(sign != nullptr ? "+" : item().text);
      if (sign == nullptr) sign = take(Precedence::bits);
      if (sign == nullptr) return;
      if (!before.empty() && before != level) {
        at_ = place;
        fail("'" + item().text + "' next to '" + before +
             "': write brackets around what comes first");
      }
      before = level;
      product(false);
      compute(sign->compute);
    }
  }

  void congruence() {
    in_brackets({item().text, at_}, at_ + 2);
    compute(find_formula_operator("mod")->compute);
    product(true);
  }

  // `divided`: the first factor has been read, and is the result of a division.
  void product(bool divided) {
    if (!divided) operand(false);
    while (true) {
      const auto* sign = take(Precedence::product);
      if (sign != nullptr) {
        divided = false;
      } else if (sign = take(Precedence::division); sign != nullptr) {
        divided = true;
      } else if (item().kind >= Kind::sign || is_congruence()) {
        return;
      } else {
        check_product(divided);
        sign = find_formula_operator("*");
      }
      operand(false);
      compute(sign->compute);
    }
  }

  // A product without a sign.
  void check_product(bool divided) const {
    const auto& before = items_[at_ - 1];
    if (item().kind == Kind::number) fail("a sign is expected before this number, such as * or ^");
    if (divided)
      fail(
          "a product without a sign after a division can be read in two ways: write a/(b c) or a/b "
          "* c");
    const bool tight = item().same_word || (!item().spaced && item().kind == Kind::variable &&
                                            before.kind == Kind::number);
    if (tight && applied_ended_) fail("this can be read in two ways: write brackets, log2(a b)");
    if (tight && behind_power_) fail("this can be read in two ways: write a^(b c) or a^b * c");
  }

  // -a^b is -(a^b), in an exponent as well.
  void operand(bool is_exponent) {
    behind_power_ = is_exponent;
    bool minus = false;
    for (; is_sign(item(), "-") || is_sign(item(), "+"); ++at_) minus ^= item().text == "-";
    base();
    if (const auto* power = take(Precedence::power)) {
      operand(true);
      compute(power->compute);
    }
    if (minus) compute([](std::span<const double> x) { return -x[0]; }, 1);
  }

  void base() {
    switch (item().kind) {
      case Kind::number:
        if (!std::isfinite(item().value)) fail("this number is too large to compute with");
        [[fallthrough]];
      case Kind::variable:
        steps_.push_back({nullptr, 0, item().value, item().variable});
        ++at_;
        applied_ended_ = false;
        return;
      case Kind::function: return function(item().function);
      case Kind::open: return bracket();
      case Kind::fraction: return fraction();
      case Kind::sign: return prefix();
      case Kind::close:
        if (at_ > 0 && items_[at_ - 1].kind == Kind::open)
          fail("something is expected between the brackets");
        fail_expected();
      default:
        if (items_.size() == 1) fail("write a formula");
        fail_expected();
    }
  }

  void function(const FormulaFunction* called) {
    const std::size_t word = at_++;
    int count = 1;
    if (item().kind == Kind::open && item().text != "⌈" && item().text != "⌊") {
      count = in_brackets({item().text, word, true}, at_ + 1, called);
    } else if (called->prefix) {
      nested(group_, [&] { operand(false); });
      applied_ended_ = true;
    } else {
      fail_at(typed_, items_[word].begin,
              "write brackets behind '" + std::string(called->name) + "'");
    }
    if (called->name == "log" && count == 1 && !is_of_quotient(word)) {
      called = find_formula_function("log2");
      log_read_ = true;
    }
    compute(called->compute, static_cast<std::size_t>(count));
  }

  // Returns whether this "log" is in log(N)/log(2), which is the same in every base. Elsewhere "log" without a base is log2,
  // as in the literature on collectives. `at_` is behind the logarithm.
  bool is_of_quotient(std::size_t word) {
    const Item nothing;
    const auto& before = word > 0 ? items_[word - 1] : nothing;
    const bool first = before.kind != Kind::function && !is_sign(before, "^") &&
                       !is_sign(before, "/") && !is_sign(before, "//") && !is_sign(before, "mod");
    const bool over = first && is_sign(item(), "/") && next().kind == Kind::function &&
                      next().function->name == "log";
    const bool under = log_over_ && is_sign(before, "/") && !is_sign(item(), "^");
    log_over_ = over;
    return over || under;
  }

  void bracket() {
    const std::string open = item().text;
    in_brackets({open, at_}, at_ + 1);
    if (open == "⌈") compute(find_formula_function("ceil")->compute, 1);
    if (open == "⌊") compute(find_formula_function("floor")->compute, 1);
  }

  void fraction() {
    const std::size_t command = at_++;
    for (const bool upper : {true, false}) {
      if (item().kind != Kind::open || item().text != "{")
        fail_at(typed_, upper ? items_[command].begin : item().begin, "write \\frac{a}{b}");
      in_brackets({"{", at_}, at_ + 1);
    }
    compute(find_formula_operator("/")->compute);
  }

  void prefix() {
    const std::string text = item().text;
    const auto* negation = find_formula_function("!");
    if (text == "!") return function(negation);
    if (text == "not") {
      ++at_;
      nested(group_, [&] { comparison(); });
      return compute(negation->compute, 1);
    }
    const auto* called = find_formula_function(text == "//" ? "div" : text);
    if (called != nullptr && next().kind == Kind::open) return function(called);  // mod(a, b)
    if (text == "|") fail("write abs(...) for the absolute value");
    fail_expected(", not '" + text + "'");
  }

  std::string_view typed_;
  std::vector<Item> items_;
  std::size_t at_ = 0;
  std::vector<Formula::Step> steps_;
  Group group_;
  std::size_t depth_ = 0;
  bool applied_ended_ = false;  // the operand before ended "log2 N"
  bool behind_power_ = false;   // the operand before is an exponent without brackets
  bool log_over_ = false;       // the last logarithm was the upper one of a quotient
  bool log_read_ = false;       // a "log" without a base was read as log2
};

}  // namespace

Formula::Formula(std::string_view text, std::span<const std::string> variables) {
  FormulaParser parser(text, formula_items(text, variables));
  steps_ = parser.read();
  reads_log_ = parser.reads_log();
  std::ranges::copy_if(variables, std::back_inserter(names_), [&](const std::string& name) {
    return ranges::find(steps_, name, &Step::variable) != steps_.end();
  });
}

double Formula::at(const Values& values) const {
  std::vector<double> stack;
  for (const auto& step : steps_) {
    double result = step.number;
    if (step.compute != nullptr) {
      result = step.compute(std::span(stack).last(step.takes));
      stack.resize(stack.size() - step.takes);
    } else if (!step.variable.empty()) {
      const auto found = values.find(step.variable);
      result = found == values.end() ? std::nan("") : found->second;
    }
    stack.push_back(result);
  }
  return stack.back() + 0.0;  // -0 becomes 0
}

double evaluate(std::string_view text, const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  const double value = Formula(text, names).at(values);
  if (!std::isfinite(value))
    throw UserError("'" + escaped(text) +
                    "' has no value that is a number here: check divisions by 0, "
                    "logarithms and powers.");
  return value;
}

}  // namespace rankscope
