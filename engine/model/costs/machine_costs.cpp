// The time of a plan is a sum along its longest path, so a fit solves for the costs with all paths held, finds the paths by
// these costs, and begins again: Gauss-Newton with shorter steps where one made it worse, and no cost below 0.
#include "engine/model/costs/machine_costs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

/// Differences of logarithms: up to this one squares count, beyond it absolute values (Huber).
constexpr double kUndisturbed = 0.15;
constexpr double kShortestStep = 0.02;

/// A moment's guess, from which the first paths are found; it need not be near.
MachineCosts first_guess(double cache_bytes) {
  MachineCosts costs{.cache_bytes = cache_bytes};
  for (std::size_t k = 0; k < kMachineTerms; ++k)
    costs.seconds[k] = kMachineTermRows[k].per_byte ? 0.2e-9 : 5e-6;
  return costs;
}

struct Fit {
  MachineCosts costs;
  std::vector<PlannedTime> times;
  double loss = 0;
};

Fit evaluate(const MachineCosts& costs, std::span<const MeasuredRun> runs, int processors) {
  Fit fit{costs, {}, 0};
  for (const MeasuredRun& run : runs) {
    fit.times.push_back(planned_time(costs, *run.plan, processors));
    const double error = std::abs(std::log(fit.times.back().seconds / run.seconds));
    fit.loss +=
        error < kUndisturbed ? error * error / (2 * kUndisturbed) : error - kUndisturbed / 2;
  }
  return fit;
}

double dot(const MachineTerms& a, const MachineTerms& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kMachineTerms; ++k) sum += a[k] * b[k];
  return sum;
}

/// Minimises x * normal * x / 2 - right * x over x >= 0, from `x` on. The problem is convex, so that going down along
/// one term after the other ends at the minimum.
void descend(const std::array<MachineTerms, kMachineTerms>& normal, const MachineTerms& right,
             MachineTerms& x) {
  constexpr int kSweeps = 2000;
  constexpr double kSettled = 1e-10;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t k = 0; k < kMachineTerms; ++k) {
      if (normal[k][k] <= 0) continue;
      const double to = std::max(0.0, x[k] + (right[k] - dot(normal[k], x)) / normal[k][k]);
      moved = std::max(moved, std::abs(to - x[k]) * std::sqrt(normal[k][k]));
      x[k] = to;
    }
    if (moved < kSettled) return;
  }
}

/// The costs that would fit best if all paths stayed as they are.
MachineTerms solved(const Fit& fit, std::span<const MeasuredRun> runs) {
  // What only few paths have stays where it is rather than anywhere.
  constexpr double kHeld = 1e-3;
  std::array<MachineTerms, kMachineTerms> normal{};
  MachineTerms right{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double measured = runs[i].seconds, ratio = measured / fit.times[i].seconds;
    MachineTerms row = fit.times[i].counts;
    for (double& count : row) count /= measured;
    // A step in the ratio is a step in its logarithm, times this.
    const double weight =
        std::clamp(ratio * ratio, 0.05, 1.0) / std::max(kUndisturbed, std::abs(std::log(ratio)));
    for (std::size_t a = 0; a < kMachineTerms; ++a) {
      right[a] += weight * row[a];
      for (std::size_t b = 0; b < kMachineTerms; ++b) normal[a][b] += weight * row[a] * row[b];
    }
  }
  MachineTerms x = fit.costs.seconds;
  for (std::size_t k = 0; k < kMachineTerms; ++k) {
    right[k] += kHeld * normal[k][k] * x[k];
    normal[k][k] *= 1 + kHeld;
  }
  descend(normal, right, x);
  return x;
}

/// From these costs on.
Fit improved(const MachineCosts& from, std::span<const MeasuredRun> runs, int processors) {
  constexpr int kIterations = 25;
  constexpr double kSettled = 1e-4;
  Fit best = evaluate(from, runs, processors);
  double step = 1;
  for (int i = 0; i < kIterations && step > kShortestStep; ++i) {
    const MachineTerms to = solved(best, runs);
    for (; step > kShortestStep; step /= 2) {
      MachineCosts costs = best.costs;
      for (std::size_t k = 0; k < kMachineTerms; ++k)
        costs.seconds[k] += step * (to[k] - costs.seconds[k]);
      Fit fit = evaluate(costs, runs, processors);
      if (fit.loss >= best.loss - kSettled) continue;
      best = std::move(fit);
      step = std::min(1.0, 2 * step);
      break;
    }
  }
  return best;
}

}  // namespace

MachineCosts fit_machine_costs(std::span<const MeasuredRun> runs, int processors) {
  constexpr std::size_t kFewest = 3;
  // A cache's size is no term of a sum, so each is tried; 0: none.
  constexpr std::array<double, 5> kCaches{0, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
  if (runs.size() < kFewest)
    throw UserError("a fit needs three measured runs or more: name more sizes or algorithms");
  Fit best;
  for (const double cache : kCaches) {
    Fit fit = improved(first_guess(cache), runs, processors);
    if (best.times.empty() || fit.loss < best.loss) best = std::move(fit);
  }
  return best.costs;
}

}  // namespace rankscope
