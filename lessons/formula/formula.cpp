#include "lessons/formula/formula.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <muParser.h>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "lessons/formula/formula_signs.h"
#include "lessons/formula/formula_text.h"

namespace rankscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// log(8)/log(2) may be a bit more than 3; its ceiling is 3 all the same.
double snapped(double x) {
  constexpr double kUlps = 16;
  const double whole = std::round(x);
  const double room = kUlps * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(x));
  return std::abs(x - whole) <= room ? whole : x;
}

double floor_of(double x) { return std::floor(snapped(x)); }
double ceil_of(double x) { return std::ceil(snapped(x)); }
double round_of(double x) { return std::round(x); }
double trunc_of(double x) { return std::trunc(snapped(x)); }
double abs_of(double x) { return std::abs(x); }
double sqrt_of(double x) { return std::sqrt(x); }
double exp_of(double x) { return std::exp(x); }
double log2_of(double x) { return std::log2(x); }
double ln_of(double x) { return std::log(x); }
double log10_of(double x) { return std::log10(x); }
double pow_of(double x, double y) { return std::pow(x, y); }
double not_of(double x) { return std::isnan(x) ? kNaN : x == 0 ? 1 : 0; }

double log_of(const double* values, int count) {
  if (count < 2) return std::log(values[0]);
  if (values[1] == 2) return std::log2(values[0]);
  return std::log(values[0]) / std::log(values[1]);
}

// Not std::min alone: that would drop what is not defined.
double min_of(const double* values, int count) {
  if (std::any_of(values, values + count, [](double x) { return std::isnan(x); })) return kNaN;
  return *std::min_element(values, values + count);
}

double max_of(const double* values, int count) {
  if (std::any_of(values, values + count, [](double x) { return std::isnan(x); })) return kNaN;
  return *std::max_element(values, values + count);
}

double mod_of(double a, double b) {
  const double rest = std::fmod(a, b);  // has the sign of a; NaN for b = 0
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double whole_division_of(double a, double b) {
  const double quotient = (a - mod_of(a, b)) / b;
  return std::round(quotient);
}

// Bits of whole numbers that a double holds exactly; NaN for all others.
template <class Operation>
double on_bits(double a, double b, Operation operation) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  const auto usable = [](double x) { return std::abs(x) <= kLargest && std::trunc(x) == x; };
  if (!usable(a) || !usable(b)) return kNaN;
  return static_cast<double>(operation(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

double xor_of(double a, double b) {
  return on_bits(a, b, [](std::int64_t x, std::int64_t y) { return x ^ y; });
}
double bit_and_of(double a, double b) {
  return on_bits(a, b, [](std::int64_t x, std::int64_t y) { return x & y; });
}
double bit_or_of(double a, double b) {
  return on_bits(a, b, [](std::int64_t x, std::int64_t y) { return x | y; });
}
// As doubles: a shift that leaves 64 bits has no value in C++, here it is a large number.
double shift_left_of(double a, double b) {
  return on_bits(a, b, [](auto, auto) { return 0; }) == 0 && b >= 0 ? a * std::exp2(b) : kNaN;
}
double shift_right_of(double a, double b) {
  return on_bits(a, b, [](auto, auto) { return 0; }) == 0 && b >= 0 ? std::floor(a / std::exp2(b))
                                                                    : kNaN;
}

void define_functions(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("ceil", ceil_of);
  parser.DefineFun("round", round_of);
  parser.DefineFun("trunc", trunc_of);
  parser.DefineFun("abs", abs_of);
  parser.DefineFun("sqrt", sqrt_of);
  parser.DefineFun("exp", exp_of);
  parser.DefineFun("log2", log2_of);
  parser.DefineFun("ln", ln_of);
  parser.DefineFun("log10", log10_of);
  parser.DefineFun("log", log_of);
  parser.DefineFun("not", not_of);
  parser.DefineFun("min", min_of);
  parser.DefineFun("max", max_of);
  parser.DefineFun("pow", pow_of);
  parser.DefineFun("mod", mod_of);
  parser.DefineFun("xor", xor_of);
  parser.DefineFun("div", whole_division_of);
}

void define_signs(mu::Parser& parser) {
  parser.DefineOprtChars("+-*^/?<>=#!$%&|~'_{}");
  const auto sign = [&](std::string_view name, double (*f)(double, double), unsigned rank) {
    parser.DefineOprt(std::string(name), f, rank, mu::oaLEFT, true);
  };
  sign(kModSign, mod_of, mu::prMUL_DIV);
  sign(kWholeDivisionSign, whole_division_of, mu::prMUL_DIV);
  // formula_text sees to it that these never meet + and - or each other without brackets.
  sign(kXorSign, xor_of, mu::prADD_SUB);
  sign(kBitAndSign, bit_and_of, mu::prADD_SUB);
  sign(kBitOrSign, bit_or_of, mu::prADD_SUB);
  sign(kShiftLeftSign, shift_left_of, mu::prADD_SUB);
  sign(kShiftRightSign, shift_right_of, mu::prADD_SUB);
}

}  // namespace

struct Formula::Parser {
  mu::Parser parser;
  std::vector<std::string> names;  ///< of the variables that are used
  std::vector<double> values;      ///< read by the parser
};

Formula::Formula(std::string_view text, std::span<const std::string> variables)
    : parser_(std::make_unique<Parser>()) {
  const auto readable = formula_text(text, variables);
  auto& parser = parser_->parser;
  try {
    define_functions(parser);
    define_signs(parser);
    parser_->values.resize(readable.used.size(), kNaN);
    for (std::size_t i = 0; i < readable.used.size(); ++i) {
      parser_->names.push_back(variables[readable.used[i]]);
      parser.DefineVar("v" + std::to_string(readable.used[i]), &parser_->values[i]);
    }
    parser.SetExpr(readable.text);
    parser.Eval();  // reads it
  } catch (const mu::Parser::exception_type&) {
    // formula_text refuses what cannot be read, with the place; this is for what it overlooks.
    throw UserError("The formula '" + escaped(text) +
                    "' cannot be read: write it in a simpler way.");
  }
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::at(const Values& values) const {
  for (std::size_t i = 0; i < parser_->names.size(); ++i) {
    const auto found = values.find(parser_->names[i]);
    parser_->values[i] = found == values.end() ? kNaN : found->second;
  }
  try {
    return parser_->parser.Eval();
  } catch (const mu::Parser::exception_type&) {
    return kNaN;
  }
}

const std::vector<std::string>& Formula::variables_used() const noexcept { return parser_->names; }

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
