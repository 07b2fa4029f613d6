// Solves for equal times where they are linear, and searches elsewhere.
#include "engine/model/costs/crossover.h"

#include <algorithm>
#include <cmath>

#include "engine/core/base/error.h"
#include "engine/model/bandwidth.h"
#include "engine/model/costs/cost_table.h"

namespace rankscope {
namespace {

double difference(const Algorithm& first, const Algorithm& second, const CostSetting& at) {
  return time(cost_of(first, at.in, at.link), at.link) -
         time(cost_of(second, at.in, at.link), at.link);
}

bool is_whole(CostAxis axis) noexcept { return axis == CostAxis::bytes || axis == CostAxis::ranks; }

// Returns the least step on the axis: an element's bytes, or a rank.
double grain(const CostSetting& setting, CostAxis axis) {
  return axis == CostAxis::bytes ? static_cast<double>(element_bytes(setting.in)) : 1;
}

// Adds the solution of a + b x = 0 if it is in the range; b = 0 has none.
void solve(double a, double b, double from, double to, std::vector<Crossover>& out) {
  if (b == 0) return;
  const double at = -a / b;
  if (at >= from && at <= to) out.push_back({at, b > 0, true});
}

// Returns true if the question is answered, which includes "no crossover".
bool solve_exactly(const Algorithm& first, const Algorithm& second, const CostSetting& setting,
                   CostAxis axis, double from, double to, std::vector<Crossover>& out) {
  const LinkCosts& link = setting.link;
  if (axis == CostAxis::bytes) {
    LinearCost a, b;
    if (!linear_in_bytes(first, setting, a) || !linear_in_bytes(second, setting, b)) return false;
    solve((a.rounds - b.rounds) * link.alpha,
          (a.bytes - b.bytes) * link.beta + (a.reduced - b.reduced) * link.gamma, from, to, out);
    return true;
  }
  if (axis == CostAxis::ranks) return false;
  const auto *row = find_cost_row(first), *other = find_cost_row(second);
  if (row == nullptr || other == nullptr) return false;
  const auto a = row->closed(setting.in), b = other->closed(setting.in);
  if (!a || !b || !a->is_sum() || !b->is_sum()) return false;
  const CostTerm &x = a->terms().front(), &y = b->terms().front();
  const auto rounds = static_cast<double>(x.rounds - y.rounds),
             bytes = static_cast<double>(x.bytes - y.bytes),
             reduced = static_cast<double>(x.reduced - y.reduced) * link.gamma;
  if (axis == CostAxis::alpha) {
    solve(bytes * link.beta + reduced, rounds, from, to, out);
  } else {
    // The difference is linear in beta = 1/bandwidth, which falls as bandwidth grows.
    solve(rounds * link.alpha + reduced, bytes, 1 / to, 1 / from, out);
    for (Crossover& one : out) one = {1 / one.at, !one.first_before, true};
  }
  return true;
}

// Returns where the sign of the difference changes, between `low` and `high`.
double bisect(const Algorithm& first, const Algorithm& second, const CostSetting& setting,
              CostAxis axis, double low, double high, bool first_before) {
  const double least = is_whole(axis) ? grain(setting, axis) : 0;
  for (int i = 0; i < 100 && high - low > std::max(least, 1e-12 * high); ++i) {
    double middle =
        least > 0 ? std::floor((low + high) / 2 / least) * least : std::sqrt(low * high);
    if (middle <= low || middle >= high) break;
    const double d = difference(first, second, with_value(setting, axis, middle));
    (first_before ? d < 0 : d > 0) ? low = middle : high = middle;
  }
  return high;
}

}  // namespace

CostSetting with_value(CostSetting setting, CostAxis axis, double value) {
  switch (axis) {
    case CostAxis::bytes:
      setting.in.shape = Shape::flat(
          static_cast<Count>(std::llround(value / static_cast<double>(element_bytes(setting.in)))));
      break;
    case CostAxis::ranks: setting.in.n = static_cast<int>(std::lround(value)); break;
    case CostAxis::alpha: setting.link.alpha = value; break;
    case CostAxis::bandwidth: setting.link.beta = 1 / value; break;
  }
  return setting;
}

std::vector<double> axis_values(const CostSetting& setting, CostAxis axis, double from, double to,
                                int per_doubling) {
  if (!(from > 0) || !(to > from))
    throw UserError("a range goes from a number above 0 to a larger one: 1KiB..64MiB, 2..64");
  const double least = is_whole(axis) ? grain(setting, axis) : 0;
  std::vector<double> values;
  const auto take = [&](double value) {
    if (least > 0) value = std::max(std::round(value / least), 1.0) * least;
    if (values.empty() || value > values.back() * (1 + 1e-12)) values.push_back(value);
  };
  const double doublings = std::log2(to / from);
  for (int i = 0; i < doublings * per_doubling - 1e-9; ++i)
    take(from * std::exp2(static_cast<double>(i) / per_doubling));
  take(to);
  return values;
}

bool linear_in_bytes(const Algorithm& algorithm, const CostSetting& setting, LinearCost& out) {
  const CostRow* row = find_cost_row(algorithm);
  if (row == nullptr) return false;
  const Count count = Count{64} * setting.in.n * (Count{1} << floor_log2(setting.in.n));
  const auto term_at = [&](Count elements) -> std::optional<CostTerm> {
    ClosedFormInput in = setting.in;
    in.shape = Shape::flat(elements);
    const auto cost = row->closed(in);
    if (!cost || !cost->is_sum()) return std::nullopt;
    return cost->terms().front();
  };
  // With segments of a given length, their number grows with the size at some point.
  constexpr Count kFar = Count{1} << 20;
  const auto near = term_at(count), far = term_at(count * kFar);
  if (!near || !far || near->rounds != far->rounds || near->bytes * kFar != far->bytes)
    return false;
  const auto bytes = static_cast<double>(count * element_bytes(setting.in));
  out = {static_cast<double>(near->rounds), static_cast<double>(near->bytes) / bytes,
         static_cast<double>(near->reduced) / bytes};
  return true;
}

std::vector<Crossover> crossovers(const Algorithm& first, const Algorithm& second,
                                  const CostSetting& setting, CostAxis axis, double from, double to,
                                  const std::function<bool()>& stopped) {
  std::vector<Crossover> out;
  if (solve_exactly(first, second, setting, axis, from, to, out)) return out;
  constexpr int kPerDoubling = 4;
  double before = 0, last = 0;  // the last difference that was not 0, and its value on the axis
  for (const double value :
       axis_values(setting, axis, from, to, axis == CostAxis::ranks ? 1 : kPerDoubling)) {
    if (stopped && stopped()) break;
    const CostSetting there = with_value(setting, axis, value);
    const double now = difference(first, second, there);
    // Times that differ by rounding only are equal.
    if (std::abs(now) <= 1e-12 * time(cost_of(first, there.in, there.link), there.link)) continue;
    if (before != 0 && (before < 0) != (now < 0))
      out.push_back(
          {bisect(first, second, setting, axis, last, value, before < 0), before < 0, false});
    before = now;
    last = value;
  }
  return out;
}

std::vector<FastestRange> fastest_ranges(std::span<const Algorithm* const> algorithms,
                                         const CostSetting& setting, CostAxis axis,
                                         std::span<const double> values,
                                         std::span<const std::vector<double>> times) {
  std::vector<FastestRange> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Among equally fast ones, the fastest so far stays, or the first.
    std::size_t best = out.empty() ? 0 : out.back().algorithm;
    for (std::size_t k = 0; k < algorithms.size(); ++k)
      if (times[k][i] < times[best][i] * (1 - 1e-12)) best = k;
    if (out.empty() || out.back().algorithm != best) {
      double at = values[i];
      if (!out.empty()) {
        const auto found = crossovers(*algorithms[out.back().algorithm], *algorithms[best], setting,
                                      axis, values[i - 1], values[i]);
        if (!found.empty()) at = found.front().at;
        out.back().to = at;
      }
      out.push_back({best, at, at});
    }
    out.back().to = values[i];
  }
  return out;
}

double BoundTimes::largest() const noexcept { return std::max({latency, bandwidth, computing}); }

BoundTimes bound_times(Collective collective, const CostSetting& setting) {
  double bytes = static_cast<double>(input_bytes(setting.in));
  if (traits(collective).counts_all_ranks()) bytes *= setting.in.n;
  const LowerBounds bounds = lower_bounds(collective, setting.in.n, bytes);
  double busiest = std::max(bounds.sent, bounds.received);
  // With unequal chunks the root may keep one longer than the average that the bound assumes.
  if (const auto& row = traits(collective); row.rooted && row.out == Extent::chunk)
    busiest =
        static_cast<double>(input_bytes(setting.in) - chunk_bytes(setting.in)[setting.in.root]);
  return {bounds.rounds * setting.link.alpha,
          busiest > 0 ? setting.link.alpha + busiest * setting.link.beta : 0,
          bounds.reduced * setting.link.gamma};
}

}  // namespace rankscope
