// Chooses the points at which formulas are compared, and finds the usual mistake that lies between two.
#include "lessons/formula/formula_compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostVisited = 200'000;  // points of a domain, one by one
constexpr std::size_t kMostTries = 50;         // for each point that is drawn
constexpr double kLargestWhole =
    9007199254740992.0;  // 2^53: above, neighbours are not whole numbers

using Row = std::vector<double>;  // the values of the variables, in their order

// The same points on every machine, which the distributions of <random> do not promise.
class PointSampler {
 public:
  /// In [0, 1).
  double draw() {
    constexpr double kStep = 0x1p-53;
    return static_cast<double>(random_.next() >> 11) * kStep;
  }
  std::size_t below(std::size_t count) {
    return std::min(static_cast<std::size_t>(draw() * static_cast<double>(count)), count - 1);
  }

 private:
  RandomNumbers random_{2024};
};

struct NumberRange {
  std::vector<Formula> listed;  // "2, 4, 8", or
  std::optional<Formula> low, high;
  bool real = false;
};

// A range when the variables before it have values.
struct Choice {
  Row listed;
  double low = 0, high = -1;
  bool real = false;

  bool empty() const { return listed.empty() && low > high; }
  double first() const { return listed.empty() ? low : listed.front(); }
  double last() const { return listed.empty() ? high : listed.back(); }
  bool is_corner(double value) const { return value == first() || value == last(); }
};

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

NumberRange read_range(std::string_view text, std::span<const std::string> before) {
  NumberRange range;
  text = trimmed(text);
  constexpr std::string_view kReal = " real";
  if (text.ends_with(kReal)) {
    range.real = true;
    text = trimmed(text.substr(0, text.size() - kReal.size()));
  }
  constexpr std::string_view kTo = "..";
  if (const auto to = text.find(kTo); to != std::string_view::npos) {
    range.low.emplace(text.substr(0, to), before);
    range.high.emplace(text.substr(to + kTo.size()), before);
  } else {
    for (const auto part : split_list(text)) range.listed.emplace_back(part, before);
  }
  return range;
}

class Sampler {
 public:
  /// `enough`: the points after which the search ends.
  Sampler(const FormulaDomain& domain, std::size_t most, std::size_t enough)
      : most_(most), enough_(enough) {
    for (const auto& [name, range] : domain.variables) {
      try {
        ranges_.push_back(read_range(range, names_));
      } catch (const UserError& error) {
        throw UserError("The values of '" + escaped(name) + "': " + error.what());
      }
      names_.push_back(name);
    }
    const bool all = trimmed(domain.condition).empty();
    try {
      condition_.emplace(all ? "1" : domain.condition, names_);  // checks the names, too
    } catch (const UserError& error) {
      throw UserError(std::string("The condition of the domain: ") + error.what());
    }
  }

  std::vector<Values> run() {
    const bool real =
        std::any_of(ranges_.begin(), ranges_.end(), [](const NumberRange& r) { return r.real; });
    if (real || !enumerate(0, true)) draw();
    if (found_.empty())
      throw UserError("The domain of the formula is empty: check its bounds and its condition.");
    choose();
    std::vector<Values> points;
    for (const auto& row : found_) {
      Values values;
      for (std::size_t i = 0; i < names_.size(); ++i) values.emplace(names_[i], row[i]);
      points.push_back(std::move(values));
    }
    return points;
  }

 private:
  Choice choice(std::size_t variable) const {
    const auto& range = ranges_[variable];
    const auto value = [&](const Formula& formula) {
      const double x = formula.at(values_);
      if (!std::isfinite(x) || std::abs(x) > kLargestWhole)
        throw UserError("A bound of '" + escaped(names_[variable]) + "' is not a usable number.");
      return x;
    };
    Choice result;
    result.real = range.real;
    for (const auto& one : range.listed) result.listed.push_back(value(one));
    if (range.low) {
      result.low = value(*range.low);
      result.high = value(*range.high);
      if (!range.real) {
        result.low = std::ceil(result.low);
        result.high = std::floor(result.high);
      }
    }
    return result;
  }

  void set(std::size_t variable, double value) {
    row_.resize(names_.size());
    row_[variable] = value;
    values_.insert_or_assign(names_[variable], value);
  }

  bool holds() const {
    const double value = condition_->at(values_);
    return std::isfinite(value) && value != 0;
  }

  // Finds all points. Returns false, with none found, when they are too many.
  bool enumerate(std::size_t variable, bool corner) {
    if (variable == ranges_.size()) {
      if (holds()) {
        found_.push_back(row_);
        corners_.push_back(corner);
      }
      return true;
    }
    const Choice values = choice(variable);
    const std::size_t count = values.listed.size();
    for (std::size_t i = 0;
         count > 0 ? i < count : values.low + static_cast<double>(i) <= values.high; ++i) {
      if (++visited_ > kMostVisited) {
        found_.clear();
        corners_.clear();
        return false;
      }
      const double value = count > 0 ? values.listed[i] : values.low + static_cast<double>(i);
      set(variable, value);
      if (!enumerate(variable + 1, corner && values.is_corner(value))) return false;
      if (found_.size() >= enough_) return true;
    }
    return true;
  }

  double drawn(const Choice& from) {
    if (!from.listed.empty()) return from.listed[sampler_.below(from.listed.size())];
    const double width = from.high - from.low;
    if (!from.real)
      return std::min(from.low + std::floor(sampler_.draw() * (width + 1)), from.high);
    // Sizes and times span decades: each decade is as likely as the next.
    constexpr double kDecades = 100;
    const bool decades = from.low > 0 && from.high / from.low > kDecades;
    const double value = decades ? from.low * std::pow(from.high / from.low, sampler_.draw())
                                 : from.low + sampler_.draw() * width;
    return std::clamp(three_digits(value), from.low, from.high);
  }

  // Tries one point. The bits of `corner` say which end of its range each variable takes.
  void try_point(std::optional<std::size_t> corner) {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const Choice from = choice(i);
      if (from.empty()) return;
      set(i, !corner ? drawn(from) : (*corner >> i & 1U) == 0 ? from.first() : from.last());
    }
    if (!holds() || !seen_.insert(row_).second) return;
    found_.push_back(row_);
    corners_.push_back(corner.has_value());
  }

  void draw() {
    constexpr std::size_t kMostCornerVariables = 6;
    const std::size_t corners = std::size_t{1} << std::min(ranges_.size(), kMostCornerVariables);
    for (std::size_t i = 0; i < corners; ++i) try_point(i);
    for (std::size_t i = 0; i < most_ * kMostTries && found_.size() < std::min(most_, enough_); ++i)
      try_point({});
  }

  // Keeps `most_` of the points found, in their order, corners first.
  void choose() {
    if (found_.size() <= most_) return;
    std::vector<std::size_t> order;
    for (const bool corner : {true, false}) {
      const std::size_t begin = order.size();
      for (std::size_t i = 0; i < found_.size(); ++i)
        if (corners_[i] == corner) order.push_back(i);
      for (std::size_t left = order.size() - begin; left > 1; --left)
        std::swap(order[begin + left - 1], order[begin + sampler_.below(left)]);
    }
    order.resize(most_);
    std::sort(order.begin(), order.end());
    std::vector<Row> chosen;
    chosen.reserve(order.size());
    for (const std::size_t i : order) chosen.push_back(std::move(found_[i]));
    found_ = std::move(chosen);
  }

  std::size_t most_, enough_;
  std::vector<std::string> names_;
  std::vector<NumberRange> ranges_;
  std::optional<Formula> condition_;
  Row row_;
  Values values_;
  std::size_t visited_ = 0;
  std::vector<Row> found_;
  std::vector<bool> corners_;
  std::set<Row> seen_;
  PointSampler sampler_;
};

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

// Returns whether the answer, with its variable changed by `by`, is right wherever it has a value, at half of the
// points or more; it has none where the variable leaves its range.
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

// Returns the factor that all points share; a single point proves nothing.
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

double three_digits(double value) {
  const auto text = fmt::format("{:.2e}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

FormulaDomain FormulaDomain::of(const nlohmann::json& listed, std::string condition) {
  FormulaDomain out{{}, std::move(condition)};
  for (const auto& one : listed)
    out.variables.emplace_back(one.at(0).get<std::string>(), one.at(1).get<std::string>());
  return out;
}

std::vector<std::string> FormulaDomain::names() const {
  std::vector<std::string> out;
  for (const auto& [name, range] : variables) out.push_back(name);
  return out;
}

std::vector<Values> sample(const FormulaDomain& domain, std::size_t most) {
  return Sampler(domain, std::max<std::size_t>(most, 1), kMostVisited).run();
}

void check_domain(const FormulaDomain& domain) { Sampler(domain, kMostPoints, 1).run(); }

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
