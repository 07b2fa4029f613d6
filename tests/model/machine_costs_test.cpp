// Fits of a machine's costs: what made the times is found again, also beside disturbed runs.
#include "engine/model/costs/machine_costs.h"

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

constexpr int kProcessors = 2;
const MachineCosts kTrue{.start = 4e-6,
                         .alpha = 9e-6,
                         .beta = {0.9e-9, 0.3e-9, 0.5e-9},
                         .gamma = 0.2e-9,
                         .overhead = 3e-6,
                         .gap = {0.1e-9, 0.2e-9, 0.4e-9},
                         .work = 0.15e-9};

RunWork work_of(const CostTerm& path, std::int64_t messages, std::int64_t bytes_of_each,
                std::int64_t reduced) {
  RunWork work{.path = path, .reduced = reduced};
  work.add_messages(messages, static_cast<double>(bytes_of_each));
  return work;
}

/// Rings, stars and exchanges of several sizes on eight ranks: paths and totals are not multiples of each other.
std::vector<MeasuredRun> measured_runs() {
  std::vector<MeasuredRun> runs;
  for (std::int64_t bytes = 8; bytes <= 64 << 20; bytes *= 4) {
    for (const RunWork& work :
         {work_of({14, 14 * bytes / 8, 7 * bytes / 8}, 112, bytes / 8, 7 * bytes),
          work_of({3, 3 * bytes, 3 * bytes}, 24, bytes, 24 * bytes),
          work_of({6, 6 * bytes, 3 * bytes}, 14, bytes, 7 * bytes),
          work_of({14, 14 * bytes, 7 * bytes}, 14, bytes, 7 * bytes),
          work_of({3, 3 * bytes, 0}, 7, bytes, 0)})
      runs.push_back({work, predicted_time(kTrue, work, kProcessors)});
  }
  return runs;
}

}  // namespace

TEST_CASE("predicted times are the formula's", "[model]") {
  RunWork work = work_of({2, 2 * 100'000, 50'000}, 6, 100'000, 300'000);
  const double on_path =
      4e-6 + 2 * 9e-6 + 2 * (32'768 * 0.9e-9 + (100'000 - 32'768) * 0.3e-9) + 50'000 * 0.2e-9;
  const double on_all =
      6 * 3e-6 + 6 * (32'768 * 0.1e-9 + (100'000 - 32'768) * 0.2e-9) + 300'000 * 0.15e-9;
  CHECK(predicted_time(kTrue, work, kProcessors) == Approx(on_path + on_all / kProcessors));
  CHECK(predicted_time(kTrue, RunWork{}, kProcessors) == Approx(4e-6));
  // What split() sends costs latency and work, and no bytes.
  work.sync_rounds = 2;
  work.sync_messages = 14;
  CHECK(predicted_time(kTrue, work, kProcessors) ==
        Approx(on_path + 2 * 9e-6 + (on_all + 14 * 3e-6) / kProcessors));
}

TEST_CASE("a fit predicts the runs that made it", "[model]") {
  const auto runs = measured_runs();
  const MachineCosts fit = fit_machine_costs(runs, kProcessors);
  for (const MeasuredRun& run : runs)
    CHECK(predicted_time(fit, run.work, kProcessors) == Approx(run.seconds).epsilon(0.01));
}

TEST_CASE("a few disturbed runs do not decide a fit", "[model]") {
  auto runs = measured_runs();
  const auto undisturbed = runs;
  for (std::size_t i = 0; i < runs.size(); i += 9) runs[i].seconds *= 5;
  const MachineCosts fit = fit_machine_costs(runs, kProcessors);
  int good = 0;
  for (const MeasuredRun& run : undisturbed)
    good += predicted_time(fit, run.work, kProcessors) == Approx(run.seconds).epsilon(0.1);
  CHECK(good >= static_cast<int>(undisturbed.size()) * 8 / 10);
}

TEST_CASE("no cost is below zero", "[model]") {
  // Longer messages that take less time: only a negative time per byte would fit them.
  std::vector<MeasuredRun> runs;
  for (std::int64_t bytes = 8; bytes <= 1 << 20; bytes *= 2)
    runs.push_back({work_of({1, bytes, 0}, 1, bytes, 0), 1e-3 / static_cast<double>(bytes)});
  const MachineCosts fit = fit_machine_costs(runs, 1);
  for (const double cost : {fit.start, fit.alpha, fit.beta[0], fit.beta[1], fit.beta[2], fit.gamma,
                            fit.overhead, fit.gap[0], fit.gap[1], fit.gap[2], fit.work})
    CHECK(cost >= 0);
  CHECK_THROWS_AS(fit_machine_costs(std::vector<MeasuredRun>(2), 1), UserError);
}
