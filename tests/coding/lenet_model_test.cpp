// The reference by which a student's training of LeNet-5 is judged: what holds of it whatever its numbers, and that each
// known mistake gives something else, which is named.
#include <set>
#include <string>

#include "lessons/coding/lenet_results.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using Batches = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint64_t kSeed = 5;
constexpr LenetSize kThree{
    .ranks = 3, .pictures = 90, .test_pictures = 10, .batch = 6, .steps = 3, .step_size = 0.25};

Batches batches(const LenetSize& size, int step) {
  Batches out(static_cast<std::size_t>(size.ranks));
  for (std::size_t rank = 0; rank < out.size(); ++rank)
    for (int i = 0; i < size.batch; ++i)
      out[rank].push_back(static_cast<std::uint32_t>((step * size.batch + i) * size.ranks +
                                                     static_cast<int>(rank)));
  return out;
}

std::vector<LenetParameters> trained(const LenetSize& size, const LenetFault& fault = {}) {
  const LenetData data = lenet_data(size, kSeed);
  LenetNetwork network;
  LenetTraining training(size, data, network, kSeed, fault);
  for (int k = 0; k < size.steps; ++k) training.step(batches(size, k));
  training.finish();
  return training.parameters();
}

TEST_CASE("Workers that average their parameters are one worker with all their pictures",
          "[coding][lenet]") {
  const auto three = trained(kThree);
  const auto by_gradients = trained(kThree, {.average = LenetFault::Average::gradients});
  LenetSize one = kThree;
  one.ranks = 1;
  const LenetData data = lenet_data(kThree, kSeed);
  LenetNetwork network;
  LenetTraining alone(one, data, network, kSeed);
  for (int k = 0; k < kThree.steps; ++k) {
    std::vector<std::uint32_t> joined;
    for (const auto& batch : batches(kThree, k))
      joined.insert(joined.end(), batch.begin(), batch.end());
    alone.step(Batches{joined});
  }
  const double moved = distance(three[0], lenet_begin(kSeed, 0));
  CHECK(moved > 1e-2);
  for (const auto& rank : three) CHECK(distance(rank, three[0]) == 0);
  CHECK(distance(three[0], alone.parameters()[0]) < 1e-12 * moved);
  CHECK(distance(three[0], by_gradients[0]) < 1e-12 * moved);
}

TEST_CASE("Every known mistake in a training of LeNet-5 leaves other parameters",
          "[coding][lenet]") {
  std::vector<std::vector<LenetParameters>> seen{trained(kThree)};
  const double moved = distance(seen[0][0], lenet_begin(kSeed, 0));
  for (const LenetFault& fault : lenet_faults()) {
    INFO(fault.says);
    CHECK(!fault.says.empty());
    auto result = trained(kThree, fault);
    for (const auto& other : seen) {
      double far = 0;
      for (std::size_t rank = 0; rank < result.size(); ++rank)
        far += distance(result[rank], other[rank]);
      CHECK(far > 5 * kLenetTolerance * moved);
    }
    seen.push_back(std::move(result));
  }
}

// One step of all ranks, from rank 0's beginning, and what a program makes of it.
class StepBench {
 public:
  StepBench() : data_(lenet_data(kThree, kSeed)) {
    step.before = lenet_begin(kSeed, 0);
    step.step_size = kThree.step_size;
    step.batch = kThree.batch;
    for (const auto& batch : batches(kThree, 0))
      step.gradients.push_back(network_.gradient(step.before, data_.train, batch));
  }
  /// All ranks have `factor` times the right parameters, or the right movement.
  std::string scaled(double factor, bool movement) {
    LenetParameters all = right_step(step);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = movement ? step.before[i] + factor * (all[i] - step.before[i]) : factor * all[i];
    step.after.assign(3, all);
    return explain_step(step);
  }
  /// Tensors from `first` to `last` are averaged, the others are each rank's own; times `factor` of the way.
  std::string partly(std::size_t first, std::size_t last, double factor = 1) {
    step.after.clear();
    const LenetParameters average = right_step(step);
    for (const LenetParameters& gradient : step.gradients) {
      LenetParameters own = step.before;
      for (std::size_t i = 0; i < own.size(); ++i)
        own[i] =
            i >= first && i < last ? average[i] : own[i] - factor * step.step_size * gradient[i];
      step.after.push_back(std::move(own));
    }
    return explain_step(step);
  }
  LenetStep step;

 private:
  LenetData data_;
  LenetNetwork network_;
};

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("A wrong divisor, a wrong step size and tensors left out are named", "[coding][lenet]") {
  StepBench bench;
  CHECK(bench.scaled(1, false).empty());
  CHECK(says(bench.scaled(3, false), "not divided by N = 3"));
  CHECK(says(bench.scaled(1.0 / 3, false), "divided by N = 3 twice"));
  CHECK(says(bench.scaled(0.75, false), "is divided by 4, where there are N = 3"));
  CHECK(says(bench.scaled(3, true), "sum of the gradients is not divided"));
  CHECK(says(bench.scaled(1.0 / 3, true), "1/3 of what"));
  CHECK(says(bench.scaled(6, true), "not their sum"));
  CHECK(says(bench.scaled(-1, true), "up the gradient"));
  CHECK(says(bench.scaled(10, true), "10 times as long"));
  CHECK(bench.scaled(0, true).empty());
  CHECK(says(bench.partly(0, 156), "only conv1.weight, conv1.bias are averaged"));
  CHECK(says(bench.partly(0, 61696), "fc3.bias is not averaged"));
  CHECK(bench.partly(0, 0).empty());
  CHECK(says(bench.partly(0, 0, 1.0 / 3), "work.wait()"));
}

TEST_CASE("Rounding to float32 is no mistake, and the smallest mistake is one", "[coding][lenet]") {
  StepBench bench;
  const LenetParameters right = right_step(bench.step);
  const double movement = distance(right, bench.step.before);
  LenetParameters rounded = right, off = right;
  for (double& value : rounded) value = static_cast<float>(value);
  CHECK(alike(rounded, right, movement));
  // A rank left out of an average of 16 changes it by some 1/16 of a step.
  for (std::size_t i = 0; i < off.size(); ++i) off[i] += (off[i] - bench.step.before[i]) / 64;
  CHECK(!alike(off, right, movement));
}

}  // namespace
}  // namespace rankscope
