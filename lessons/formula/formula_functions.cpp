#include "lessons/formula/formula_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "engine/core/base/ranges.h"

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

// Not std::min alone: that would drop what is not defined.
bool any_undefined(Arguments x) {
  return std::any_of(x.begin(), x.end(), [](double one) { return std::isnan(one); });
}

double mod_of(Arguments x) {
  const double rest = std::fmod(x[0], x[1]);  // has the sign of x[0]; NaN for x[1] = 0
  return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

double whole_division_of(Arguments x) { return std::round((x[0] - mod_of(x)) / x[1]); }

// Bits of whole numbers that a double holds exactly; NaN for all others.
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

// As doubles: a shift that leaves 64 bits has no value in C++, here it is a large number.
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
    {"log", log_of, 1, 2},  // with one argument only as a quotient of two
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

}  // namespace

std::span<const FormulaFunction> formula_functions() { return kFunctions; }

const FormulaFunction* find_formula_function(std::string_view name) {
  const auto found = ranges::find(kFunctions, name, &FormulaFunction::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

const FormulaSign* find_formula_operator(std::string_view text) {
  const auto found = ranges::find(kOperators, text, &FormulaSign::text);
  return found == kOperators.end() ? nullptr : &*found;
}

}  // namespace rankscope
