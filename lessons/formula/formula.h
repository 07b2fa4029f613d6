// Formulas as students write them: read and evaluated.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Values of variables.
using Values = std::map<std::string, double, std::less<>>;

/// A formula in named variables: "(n + i - 2) mod N", "2⌈log2 N⌉(t + D/b)", "n - 2^(i-1)".
/// Accepts the usual ways to type one: products without a sign (2(N-1), 2 D), ** and ^, % and mod, floor,
/// ceil, log2, log_2, ⌈⌉, ⌊⌋, ·, ×, −, √, xor, // (whole division), conditions (n % 2 == 0 and n > 0,
/// a ? b : c), LaTeX, an "n' =" in front. ^ is the power, never xor. mod is that of mathematics:
/// (-1) mod 4 = 3. log N is log2 N, except in log(N)/log(2). What can be read in two ways (D/N b) is refused with a hint
/// how to write it.
class Formula {
 public:
  /// Throws UserError that quotes the place and says what is expected there: unknown names with the
  /// nearest known one, unbalanced brackets, text longer than 500 characters, brackets deeper than 40.
  Formula(std::string_view text, std::span<const std::string> variables);

  /// Evaluates the formula: NaN or infinite where it is not defined or a variable has no value. Never throws.
  double at(const Values& values) const;
  const std::vector<std::string>& variables_used() const noexcept { return names_; }
  /// Returns whether a "log" without a base was read as log2.
  bool reads_log_as_log2() const noexcept { return reads_log_; }

  /// A step of a stack machine: replaces the `takes` values on top by the result of `compute`; without a function it pushes a
  /// variable or the number.
  struct Step {
    double (*compute)(std::span<const double> values) = nullptr;
    std::size_t takes = 0;
    double number = 0;
    std::string variable = {};
  };

 private:
  std::vector<Step> steps_;
  std::vector<std::string> names_;  // the variables that it uses
  bool reads_log_ = false;
};

/// Parses and evaluates a formula. Throws UserError, also when the value is not a finite number.
double evaluate(std::string_view text, const Values& values);

}  // namespace rankscope
