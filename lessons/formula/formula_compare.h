// Compares two formulas at the points of a domain.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lessons/formula/formula.h"

namespace rankscope {

/// The points where two formulas are compared, as the values of each variable. Bounds may use the variables before it:
/// {"N", "2..16"}, {"n", "0..N-1"}, {"i", "1..ceil(log2(N))"}; "2, 4, 8"; reals as "0.5 .. 1e6 real".
struct FormulaDomain {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string
      condition;  ///< Excludes points where it is 0, such as "n mod 2^i == 2^(i-1)"; none when empty.

  /// The domain with variables as a lesson lists them: [["N", "2..16"], …]. Throws nlohmann::json::exception for others.
  static FormulaDomain of(const nlohmann::json& listed, std::string condition);
  std::vector<std::string> names() const;
};

inline constexpr std::size_t kMostPoints = 2000;
/// All points of the domain, small ones first, or a fixed sample of `most` of them (the corners among
/// them) where there are more or where a variable is real.
/// Throws UserError for a domain that cannot be read or is empty.
std::vector<Values> sample(const FormulaDomain& domain, std::size_t most = kMostPoints);
/// Throws UserError for a domain that cannot be read or is empty; much quicker than sample().
void check_domain(const FormulaDomain& domain);

/// Rounds to three significant digits, for values that people read and type: 3481.27 becomes 3480.
double three_digits(double value);

struct FormulaVerdict {
  bool equal = false;
  /// A point where they differ, and both values there (`given` may be NaN).
  Values where;
  double expected = 0, given = 0;
  /// The variable by which they are shifted: with {"i", +1} the answer's i is one more than asked (a(i + 1) = expected(i)).
  std::optional<std::pair<std::string, int>> off_by_one;
  /// The constant factor between them: 2 when the answer is twice the right one.
  std::optional<double> factor;
};

/// Compares two formulas: they are equal within 1e-9 of the larger value (or 1e-12) at every point where `expected` is
/// defined. Shifts are tried for the variables in `shift`. Throws UserError if `expected` is defined at no point.
FormulaVerdict compare(const Formula& expected, const Formula& given,
                       std::span<const Values> points, std::span<const std::string> shift = {});

}  // namespace rankscope
