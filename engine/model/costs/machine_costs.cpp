// Non-negative least squares by coordinate descent, reweighted for runs that something disturbed.
#include "engine/model/costs/machine_costs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

constexpr std::size_t kCostTerms = 5 + 2 * MachineCosts::kClasses;
using CostRowOfRun = std::array<double, kCostTerms>;

/// What each cost is multiplied by.
CostRowOfRun factors_of(const RunWork& work, int processors) {
  const auto rounds = static_cast<double>(work.path.rounds);
  const double share = 1.0 / std::max(1, processors);
  CostRowOfRun row{1, static_cast<double>(work.path.rounds + work.sync_rounds),
                   static_cast<double>(work.path.reduced),
                   static_cast<double>(work.messages + work.sync_messages) * share,
                   static_cast<double>(work.reduced) * share};
  const ClassBytes on_path =
      bytes_by_class(work.path.rounds == 0 ? 0 : static_cast<double>(work.path.bytes) / rounds);
  for (std::size_t k = 0; k < MachineCosts::kClasses; ++k) {
    row[5 + k] = rounds * on_path[k];
    row[5 + MachineCosts::kClasses + k] = work.bytes[k] * share;
  }
  return row;
}

CostRowOfRun costs_as_row(const MachineCosts& costs) {
  CostRowOfRun row{costs.start, costs.alpha, costs.gamma, costs.overhead, costs.work};
  std::ranges::copy(costs.beta, row.begin() + 5);
  std::ranges::copy(costs.gap, row.begin() + 5 + MachineCosts::kClasses);
  return row;
}

MachineCosts costs_of_row(const CostRowOfRun& row) {
  MachineCosts costs{.start = row[0], .alpha = row[1], .gamma = row[2], .overhead = row[3]};
  costs.work = row[4];
  std::copy_n(row.begin() + 5, MachineCosts::kClasses, costs.beta.begin());
  std::copy_n(row.begin() + 5 + MachineCosts::kClasses, MachineCosts::kClasses, costs.gap.begin());
  return costs;
}

double dot(const CostRowOfRun& a, const CostRowOfRun& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kCostTerms; ++k) sum += a[k] * b[k];
  return sum;
}

/// Minimises the sum of weight * (row * x - 1)^2 over x >= 0, from `x` on. The problem is convex, so that going down along
/// one term after the other ends at the minimum.
void descend(const std::vector<CostRowOfRun>& rows, const std::vector<double>& weights,
             CostRowOfRun& x) {
  constexpr int kSweeps = 3000;
  constexpr double kSettled = 1e-9;
  std::array<CostRowOfRun, kCostTerms> normal{};
  CostRowOfRun right{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t a = 0; a < kCostTerms; ++a) {
      right[a] += weights[i] * rows[i][a];
      for (std::size_t b = 0; b < kCostTerms; ++b)
        normal[a][b] += weights[i] * rows[i][a] * rows[i][b];
    }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t k = 0; k < kCostTerms; ++k) {
      if (normal[k][k] <= 0) continue;
      const double to = std::max(0.0, x[k] + (right[k] - dot(normal[k], x)) / normal[k][k]);
      moved = std::max(moved, std::abs(to - x[k]) * std::sqrt(normal[k][k]));
      x[k] = to;
    }
    if (moved < kSettled) return;
  }
}

}  // namespace

ClassBytes bytes_by_class(double message) noexcept {
  ClassBytes out{};
  double from = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto end = static_cast<double>(kByteClassEnds[k]);
    out[k] = std::clamp(message - from, 0.0, end - from);
    from = end;
  }
  return out;
}

void RunWork::add_messages(std::int64_t count, double bytes_of_each) noexcept {
  messages += count;
  const ClassBytes each = bytes_by_class(bytes_of_each);
  for (std::size_t k = 0; k < each.size(); ++k) bytes[k] += static_cast<double>(count) * each[k];
}

double predicted_time(const MachineCosts& costs, const RunWork& work, int processors) noexcept {
  return dot(costs_as_row(costs), factors_of(work, processors));
}

MachineCosts fit_machine_costs(std::span<const MeasuredRun> runs, int processors) {
  constexpr std::size_t kFewest = 3;
  constexpr int kReweightings = 12;
  constexpr double kUndisturbed = 0.1;
  if (runs.size() < kFewest)
    throw UserError("a fit needs three measured runs or more: name more sizes or algorithms");
  std::vector<CostRowOfRun> rows;  // of relative times: each is to give 1
  for (const MeasuredRun& run : runs) {
    CostRowOfRun row = factors_of(run.work, processors);
    for (double& factor : row) factor /= run.seconds;
    rows.push_back(row);
  }
  // Columns of one length, so that the descent is as steep along each of them.
  CostRowOfRun scale{};
  for (const auto& row : rows)
    for (std::size_t k = 0; k < kCostTerms; ++k) scale[k] = std::max(scale[k], row[k]);
  for (auto& row : rows)
    for (std::size_t k = 0; k < kCostTerms; ++k)
      if (scale[k] > 0) row[k] /= scale[k];

  CostRowOfRun x{};
  std::vector<double> weights(rows.size(), 1);
  for (int again = 0; again < kReweightings; ++again) {
    descend(rows, weights, x);
    for (std::size_t i = 0; i < rows.size(); ++i)
      weights[i] = kUndisturbed / std::max(kUndisturbed, std::abs(dot(rows[i], x) - 1));
  }
  for (std::size_t k = 0; k < kCostTerms; ++k) x[k] = scale[k] > 0 ? x[k] / scale[k] : 0;
  return costs_of_row(x);
}

}  // namespace rankscope
