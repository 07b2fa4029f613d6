// Times of plans on shared processors, and fits of a machine's costs: what made the times is found again, also beside
// disturbed runs.
#include "engine/model/costs/machine_costs.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

using Step = RunPlan::Step;
constexpr int kProcessors = 2;

MachineCosts true_costs() {
  MachineCosts costs;
  costs[MachineTerm::start] = 4e-6;
  costs[MachineTerm::skew] = 20e-6;
  costs[MachineTerm::latency] = 9e-6;
  costs[MachineTerm::wake] = 3e-6;
  costs[MachineTerm::post] = 1e-6;
  costs[MachineTerm::handle] = 2e-6;
  costs[MachineTerm::byte_copied] = 0.9e-9;
  costs[MachineTerm::byte_lent] = 0.3e-9;
  costs[MachineTerm::byte_large] = 0.5e-9;
  costs[MachineTerm::reduce] = 0.2e-9;
  return costs;
}

RunPlan empty_plan(int ranks) {
  RunPlan plan;
  plan.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) plan.lines.push_back({rank, 0, {{Step::begin, 0, 0}}});
  return plan;
}

void add_send(RunPlan& plan, Rank from, Rank to, std::uint64_t bytes) {
  const auto message = static_cast<std::uint32_t>(plan.messages.size());
  plan.messages.push_back({from, to, bytes});
  plan.lines[static_cast<std::size_t>(from)].steps.push_back({Step::send, message, 0});
}
void add_receive(RunPlan& plan, Rank at, std::uint32_t message, std::uint64_t reduced) {
  auto& steps = plan.lines[static_cast<std::size_t>(at)].steps;
  steps.push_back({Step::receive, message, 0});
  if (reduced > 0) steps.push_back({Step::reduce, 0, reduced});
}

/// Each of `rounds`: every rank sends to the one at this distance, and reduces what it gets.
RunPlan exchanges(int ranks, int rounds, std::uint64_t bytes) {
  RunPlan plan = empty_plan(ranks);
  for (int round = 0; round < rounds; ++round) {
    const auto first = static_cast<std::uint32_t>(plan.messages.size());
    for (Rank r = 0; r < ranks; ++r) add_send(plan, r, (r + 1) % ranks, bytes);
    for (Rank r = 0; r < ranks; ++r)
      add_receive(plan, r, first + static_cast<std::uint32_t>((r + ranks - 1) % ranks), bytes);
  }
  return plan;
}

/// Rank 0 gets from all, and then sends to all.
RunPlan star(int ranks, std::uint64_t bytes) {
  RunPlan plan = empty_plan(ranks);
  for (Rank r = 1; r < ranks; ++r) add_send(plan, r, 0, bytes);
  for (Rank r = 1; r < ranks; ++r) add_receive(plan, 0, static_cast<std::uint32_t>(r - 1), bytes);
  for (Rank r = 1; r < ranks; ++r) {
    add_send(plan, 0, r, bytes);
    add_receive(plan, r, static_cast<std::uint32_t>(plan.messages.size() - 1), 0);
  }
  return plan;
}

struct Runs {
  std::deque<RunPlan> plans;
  std::vector<MeasuredRun> measured;
};

Runs measured_runs() {
  Runs runs;
  for (std::uint64_t bytes = 8; bytes <= 16 << 20; bytes *= 4)
    for (RunPlan plan : {exchanges(8, 14, bytes / 8 + 1), exchanges(8, 3, bytes), star(8, bytes),
                         exchanges(8, 1, bytes)}) {
      runs.plans.push_back(std::move(plan));
      runs.measured.push_back(
          {&runs.plans.back(), planned_time(true_costs(), runs.plans.back(), kProcessors).seconds});
    }
  return runs;
}

/// The share of the runs that are predicted within this part of their time.
double near(const MachineCosts& costs, const std::vector<MeasuredRun>& runs, double part) {
  const auto good = std::ranges::count_if(runs, [&](const MeasuredRun& run) {
    return std::abs(planned_time(costs, *run.plan, kProcessors).seconds / run.seconds - 1) <= part;
  });
  return static_cast<double>(good) / static_cast<double>(runs.size());
}

}  // namespace

TEST_CASE("a message's planned time is the sum of its costs", "[model]") {
  RunPlan plan = empty_plan(2);
  add_send(plan, 0, 1, 40'000);
  add_receive(plan, 1, 0, 1000);
  MachineCosts costs = true_costs();
  costs[MachineTerm::skew] = 0;
  // Posted, handled by a thread that wakes on each side, and taken by a rank that wakes.
  const double once = 4e-6 + 2 * 1e-6 + 2 * 2e-6 + 3 * 3e-6 + 9e-6 + 32'768 * 0.9e-9 +
                      (40'000 - 32'768) * 0.3e-9 + 1000 * 0.2e-9;
  CHECK(planned_time(costs, plan, kProcessors).seconds == Approx(once));
  // The receiver comes later, and its time counts from then.
  costs[MachineTerm::skew] = 5e-6;
  CHECK(planned_time(costs, plan, kProcessors).seconds == Approx(once - 5e-6));
  const PlannedTime time = planned_time(costs, plan, kProcessors);
  double sum = 0;
  for (std::size_t k = 0; k < kMachineTerms; ++k) sum += time.counts[k] * costs.seconds[k];
  CHECK(sum == Approx(time.seconds));
}

TEST_CASE("ranks that share processors take as long as all their work", "[model]") {
  MachineCosts costs;
  costs[MachineTerm::reduce] = 1e-9;
  RunPlan plan = empty_plan(8);
  for (auto& line : plan.lines) line.steps.push_back({Step::reduce, 0, 1'000'000});
  CHECK(planned_time(costs, plan, 8).seconds == Approx(1e-3));
  CHECK(planned_time(costs, plan, 2).seconds == Approx(4e-3));
  CHECK(planned_time(costs, plan, 1).seconds == Approx(8e-3));
  // What no longer is in the cache costs more.
  costs[MachineTerm::reduce_cold] = 1e-9;
  costs.cache_bytes = 1e6;
  plan.touched_bytes = 4e6;
  CHECK(planned_time(costs, plan, 1).seconds == Approx(8e-3 * 1.75));
}

TEST_CASE("a rank's other strands begin one after the other, and count", "[model]") {
  MachineCosts costs;
  costs[MachineTerm::strand] = 10e-6;
  costs[MachineTerm::reduce] = 1e-9;
  RunPlan plan = empty_plan(1);
  for (const std::uint16_t strand : {std::uint16_t{1}, std::uint16_t{2}})
    plan.lines.push_back({0, strand, {{Step::reduce, 0, 1000}}});
  CHECK(planned_time(costs, plan, kProcessors).seconds == Approx(21e-6));
}

TEST_CASE("a plan that cannot end is refused", "[model]") {
  RunPlan plan = empty_plan(2);
  plan.messages.push_back({1, 0, 8});
  add_receive(plan, 0, 0, 0);
  CHECK_THROWS_AS(planned_time(true_costs(), plan, kProcessors), UserError);
}

TEST_CASE("a fit predicts the runs that made it, and others", "[model]") {
  const Runs runs = measured_runs();
  const MachineCosts fit = fit_machine_costs(runs.measured, kProcessors);
  CHECK(near(fit, runs.measured, 0.05) >= 0.9);
  const RunPlan other = exchanges(8, 5, 100'000);
  CHECK(planned_time(fit, other, kProcessors).seconds ==
        Approx(planned_time(true_costs(), other, kProcessors).seconds).epsilon(0.1));
}

TEST_CASE("a few disturbed runs do not decide a fit", "[model]") {
  Runs runs = measured_runs();
  const auto undisturbed = runs.measured;
  for (std::size_t i = 0; i < runs.measured.size(); i += 9) runs.measured[i].seconds *= 5;
  const MachineCosts fit = fit_machine_costs(runs.measured, kProcessors);
  CHECK(near(fit, undisturbed, 0.1) >= 0.8);
}

TEST_CASE("no cost is below zero", "[model]") {
  // Longer messages that take less time: only a negative time per byte would fit them.
  Runs runs;
  for (std::uint64_t bytes = 8; bytes <= 1 << 20; bytes *= 2) {
    runs.plans.push_back(exchanges(2, 1, bytes));
    runs.measured.push_back({&runs.plans.back(), 1e-3 / static_cast<double>(bytes)});
  }
  const MachineCosts fit = fit_machine_costs(runs.measured, 1);
  for (const double cost : fit.seconds) CHECK(cost >= 0);
  CHECK_THROWS_AS(fit_machine_costs(std::vector<MeasuredRun>(2), 1), UserError);
}
