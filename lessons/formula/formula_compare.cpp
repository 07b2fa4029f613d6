// Whether two formulas are the same, and if not, which usual mistake lies between them.
#include <algorithm>
#include <cmath>

#include "engine/core/base/error.h"
#include "lessons/formula/formula.h"

namespace rankscope {
namespace {

constexpr double kRelative = 1e-9;
constexpr double kAbsolute = 1e-12;

bool same(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= std::max(kRelative * std::max(std::abs(a), std::abs(b)), kAbsolute);
}

struct SamplePoint {
  const Values* values = nullptr;
  double expected = 0, given = 0;
};

// The answer, its variable one higher or lower, is right wherever it has a value. Where it has none
// (the variable left its range) says nothing, but this must not be most points.
bool right_when_shifted(const Formula& given, std::span<const SamplePoint> points,
                        const std::string& name, int by) {
  std::size_t meaningful = 0;
  for (const auto& point : points) {
    Values shifted = *point.values;
    const auto variable = shifted.find(name);
    if (variable == shifted.end()) return false;
    variable->second += by;
    const double value = given.at(shifted);
    if (!std::isfinite(value)) continue;
    if (!same(point.expected, value)) return false;
    ++meaningful;
  }
  return meaningful >= 2 && 2 * meaningful >= points.size();
}

std::optional<std::pair<std::string, int>> off_by_one(const Formula& given,
                                                      std::span<const SamplePoint> points,
                                                      std::span<const std::string> shift) {
  const auto& used = given.variables_used();
  for (const auto& name : shift) {
    if (std::find(used.begin(), used.end(), name) == used.end()) continue;
    for (const int by : {+1, -1})
      if (right_when_shifted(given, points, name, by)) return std::pair(name, by);
  }
  return {};
}

// A single point has a factor always; it says something from the second on.
std::optional<double> constant_factor(std::span<const SamplePoint> points) {
  std::optional<double> factor;
  std::size_t seen = 0;
  for (const auto& [values, expected, given] : points) {
    if (!std::isfinite(given) || (expected == 0) != (given == 0)) return {};
    if (expected == 0) continue;
    const double ratio = given / expected;
    if (factor && !same(*factor, ratio)) return {};
    if (!factor) factor = ratio;
    ++seen;
  }
  if (seen < 2 || !std::isfinite(*factor) || same(*factor, 1)) return {};
  return factor;
}

}  // namespace

FormulaVerdict compare(const Formula& expected, const Formula& given,
                       std::span<const Values> points, std::span<const std::string> shift) {
  std::vector<SamplePoint> defined;
  for (const auto& values : points) {
    const double right = expected.at(values);
    if (std::isfinite(right)) defined.push_back({&values, right, given.at(values)});
  }
  if (defined.empty())
    throw UserError("The right formula is defined at no point of its domain: change the domain.");
  const auto differs = std::find_if(defined.begin(), defined.end(), [](const SamplePoint& p) {
    return !same(p.expected, p.given);
  });
  FormulaVerdict verdict;
  verdict.equal = differs == defined.end();
  if (verdict.equal) return verdict;
  verdict.where = *differs->values;
  verdict.expected = differs->expected;
  verdict.given = differs->given;
  verdict.off_by_one = off_by_one(given, defined, shift);
  verdict.factor = constant_factor(defined);
  return verdict;
}

}  // namespace rankscope
