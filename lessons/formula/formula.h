// Formulas as students write them: read, evaluated, compared.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

/// By variable.
using Values = std::map<std::string, double, std::less<>>;

/// A formula in named variables: "(n + i - 2) mod N", "2⌈log2 N⌉(t + D/b)", "n - 2^(i-1)".
/// Understands what people type: products without a sign (2(N-1), 2 D), ** and ^, % and mod, floor,
/// ceil, log2, log_2, ⌈⌉, ⌊⌋, ·, ×, −, √, xor, // (whole division), conditions (n % 2 == 0 and n > 0,
/// a ? b : c), LaTeX, an "n' =" in front. ^ is the power, never xor. mod is that of mathematics:
/// (-1) mod 4 = 3. What can be read in two ways (D/N b, log N) is refused with a hint how to write it.
class Formula {
 public:
  /// Throws UserError that quotes the place and says what is expected there: unknown names with the
  /// nearest known one, unbalanced brackets, text longer than 500 characters, brackets deeper than 40.
  Formula(std::string_view text, std::span<const std::string> variables);

  /// NaN or infinite where the formula is not defined or a variable has no value; never throws, never
  /// takes long.
  double at(const Values& values) const;
  const std::vector<std::string>& variables_used() const noexcept { return names_; }

  /// Of a calculator with a stack: replaces the `takes` values on top by what it computes of them; without a
  /// function it pushes a variable, or the number.
  struct Step {
    double (*compute)(std::span<const double> values) = nullptr;
    std::size_t takes = 0;
    double number = 0;
    std::string variable = {};
  };

 private:
  std::vector<Step> steps_;
  std::vector<std::string> names_;  // of the variables that it uses
};

/// Once: parses and evaluates. Throws UserError, also when the value is not a finite number.
double evaluate(std::string_view text, const Values& values);

/// Where two formulas are compared: for each variable the values that it takes. Bounds may use the
/// variables before it: {"N", "2..16"}, {"n", "0..N-1"}, {"i", "1..ceil(log2(N))"}; "2, 4, 8"; reals
/// as "0.5 .. 1e6 real".
struct FormulaDomain {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string condition;  ///< Only points where this is not 0: "n mod 2^i == 2^(i-1)". Empty: all.
};

/// All points of the domain, small ones first, or a fixed sample of `most` of them (the corners among
/// them) where there are more or where a variable is real.
/// Throws UserError for a domain that cannot be read or is empty.
std::vector<Values> sample(const FormulaDomain& domain, std::size_t most = 2000);

struct FormulaVerdict {
  bool equal = false;
  /// Not equal: a point where they differ, and both values there (`given` may be NaN).
  Values where;
  double expected = 0, given = 0;
  /// Equal when this variable is counted otherwise: {"i", +1}: the answer's i is one more than asked
  /// (a(i + 1) = expected(i)). Only tried for the variables named.
  std::optional<std::pair<std::string, int>> off_by_one;
  /// Equal up to a factor (2: the answer is twice the right one).
  std::optional<double> factor;
};

/// Equal within 1e-9 of the larger (or 1e-12) at every point where `expected` is defined. Throws
/// UserError if it is defined at none of them.
FormulaVerdict compare(const Formula& expected, const Formula& given,
                       std::span<const Values> points, std::span<const std::string> shift = {});

}  // namespace rankscope
