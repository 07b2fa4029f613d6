// Distributed SGD: against one worker with all the data, between ranks, and gone on with.
#include "engine/training/workers/distributed_sgd.h"

#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/training/made_up_pictures.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

const PictureData& pictures() {
  static const PictureData data = test::made_up_pictures(300, 130);
  return data;
}

/// The ranks' states after `iterations`.
template <class T>
std::vector<SgdState<T>> train(int ranks, const SgdSettings& settings, std::int64_t iterations,
                               std::string_view allreduce = "allreduce.ring",
                               const SgdState<T>* from = nullptr) {
  std::vector<SgdState<T>> states(static_cast<std::size_t>(ranks));
  InprocWorld world(ranks);
  RankSettings quiet;
  quiet.trace = TraceLevel::off;
  world.run(
      [&](Communicator& comm) {
        DistributedSgd<T> sgd(comm, pictures(), settings, &require_algorithm(allreduce));
        if (from != nullptr) sgd.resume(*from);
        while (sgd.state().iteration < iterations) sgd.step();
        states.at(static_cast<std::size_t>(comm.rank())) = sgd.state();
      },
      quiet);
  return states;
}

/// One worker that has the batches of all, and makes plain steps.
template <class T>
AlignedVector<T> train_alone(int ranks, const SgdSettings& settings, std::int64_t iterations) {
  const Kernels<T>& kernels = *usable_kernels<T>().front();
  LeNet5<T> network(settings.network, settings.batch * ranks, kernels);
  auto parameters = initial_parameters<T>(settings.seed);
  AlignedVector<T> gradient(parameters.size()), velocity(parameters.size());
  for (std::int64_t k = 0; k < iterations; ++k) {
    std::vector<std::uint32_t> joined;
    for (Rank rank = 0; rank < ranks; ++rank)
      for (const std::uint32_t one : batch_of(settings, pictures().train.size(), ranks, rank, k))
        joined.push_back(one);
    AlignedVector<T> pixels(joined.size() * LeNet5Layout::kPixels);
    std::vector<std::uint8_t> labels(joined.size());
    take_batch<T>(pictures(), pictures().train, joined, pixels, labels);
    network.forward(parameters, pixels, labels);
    network.backward(parameters, gradient);
    kernels.sgd_step(gradient.size(), static_cast<T>(settings.step_of(k)),
                     static_cast<T>(settings.momentum), gradient.data(), velocity.data(),
                     parameters.data());
  }
  return parameters;
}

template <class T>
double relative_difference(const AlignedVector<T>& a, const AlignedVector<T>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(double(a[i]) - double(b[i])));
    size = std::max(size, std::abs(double(b[i])));
  }
  return difference / size;
}

template <class T>
void check_against_one_worker(double most) {
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const Averaging averaging : {Averaging::gradients, Averaging::parameters})
      for (const Sharing sharing : {Sharing::sampled, Sharing::sharded}) {
        const SgdSettings settings{
            .averaging = averaging, .sharing = sharing, .batch = 4, .step = 0.05};
        const auto states = train<T>(ranks, settings, 4);
        const double difference =
            relative_difference(states[0].parameters, train_alone<T>(ranks, settings, 4));
        INFO(fmt::format("{} ranks, averaging {}, sharing {}: {:g}", ranks, int(averaging),
                         int(sharing), difference));
        CHECK(difference <= most);
        for (const auto& state : states) CHECK(state.parameters == states[0].parameters);
      }
}

}  // namespace

TEST_CASE("training: N workers give the parameters of one with all batches", "[training]") {
  check_against_one_worker<float>(1e-5);
  check_against_one_worker<double>(1e-12);
}

TEST_CASE("training: momentum is that of one worker when the gradients are averaged",
          "[training]") {
  const SgdSettings settings{
      .averaging = Averaging::gradients, .batch = 4, .step = 0.02, .momentum = 0.9, .warmup = 3};
  const auto states = train<double>(4, settings, 6);
  CHECK(relative_difference(states[0].parameters, train_alone<double>(4, settings, 6)) <= 1e-12);
}

TEST_CASE("training: with every allreduce of the registry", "[training]") {
  const SgdSettings settings{.batch = 2, .step = 0.05};
  const auto alone = train_alone<double>(3, settings, 2);
  for (const Algorithm& one : algorithms()) {
    if (one.collective != Collective::allreduce) continue;
    INFO(one.name);
    const auto states = train<double>(3, settings, 2, one.name);
    for (const auto& state : states) CHECK(relative_difference(state.parameters, alone) <= 1e-12);
  }
}

TEST_CASE("training: local SGD averages after every period, and only then", "[training]") {
  SgdSettings settings{.batch = 2, .step = 0.05, .period = 3};
  const auto before = train<double>(3, settings, 5), after = train<double>(3, settings, 6);
  CHECK(before[0].parameters != before[1].parameters);
  for (const auto& state : after) CHECK(state.parameters == after[0].parameters);
}

TEST_CASE("training: gossip keeps the workers' mean, and brings them together", "[training]") {
  // With a step of next to nothing, what is left is the averaging.
  for (const int ranks : {1, 2, 3, 5}) {
    const SgdSettings settings{.averaging = Averaging::gossip, .batch = 2, .step = 0.05};
    const SgdSettings still{.averaging = Averaging::gossip, .batch = 2, .step = 1e-300};
    const auto states = train<double>(ranks, settings, 3);
    if (ranks > 3) CHECK(states[0].parameters != states[1].parameters);
    const AlignedVector<double> begin = states[0].parameters;
    const auto later = train<double>(ranks, still, 3 + 1, "allreduce.ring", states.data());
    for (const auto& state : later) CHECK(relative_difference(state.parameters, begin) < 1e-12);
  }
}

TEST_CASE("training: it learns, and the test pictures are counted once each", "[training]") {
  const SgdSettings settings{.batch = 16, .step = 0.05};
  for (const int ranks : {1, 4}) {
    std::mutex mutex;
    std::set<std::int64_t> right_before, right_after;
    InprocWorld world(ranks);
    RankSettings quiet;
    quiet.trace = TraceLevel::off;
    world.run(
        [&](Communicator& comm) {
          DistributedSgd<float> sgd(comm, pictures(), settings,
                                    &require_algorithm("allreduce.bde"));
          const std::int64_t before = sgd.evaluate();
          for (int i = 0; i < 60; ++i) sgd.step();
          const std::int64_t after = sgd.evaluate();
          const std::lock_guard lock(mutex);
          right_before.insert(before);
          right_after.insert(after);
        },
        quiet);
    INFO(ranks);
    REQUIRE(right_after.size() == 1);  // all ranks are told the same
    CHECK(*right_before.begin() < 60);
    CHECK(*right_after.begin() > 120);
    CHECK(*right_after.begin() <= 130);
  }
}

TEST_CASE("training: what goes on from a state ends as what was never stopped, bit for bit",
          "[training]") {
  const SgdSettings settings{
      .averaging = Averaging::gradients, .batch = 4, .step = 0.02, .momentum = 0.9};
  const auto half = train<float>(4, settings, 3), whole = train<float>(4, settings, 7);
  const auto resumed = train<float>(4, settings, 7, "allreduce.ring", half.data());
  CHECK(resumed[0].parameters == whole[0].parameters);
  CHECK(resumed[0].velocity == whole[0].velocity);
  CHECK(resumed[0].parameters != half[0].parameters);
}

TEST_CASE("training: batches are those of the seed, the rank and the iteration; shards are apart",
          "[training]") {
  SgdSettings settings{.batch = 50};
  CHECK(batch_of(settings, 100, 4, 1, 7) == batch_of(settings, 100, 4, 1, 7));
  CHECK(batch_of(settings, 100, 4, 1, 7) != batch_of(settings, 100, 4, 2, 7));
  CHECK(batch_of(settings, 100, 4, 1, 7) != batch_of(settings, 100, 4, 1, 8));
  settings.sharing = Sharing::sharded;
  for (Rank rank = 0; rank < 3; ++rank) {
    std::set<std::uint32_t> seen;
    for (std::int64_t k = 0; k < 40; ++k)
      for (const std::uint32_t one : batch_of(settings, 100, 3, rank, k)) {
        CHECK(one % 3 == static_cast<std::uint32_t>(rank));
        CHECK(one < 100);
        seen.insert(one);
      }
    CHECK(seen.size() == (rank == 0 ? 34 : 33));  // all of its own come
  }
}

TEST_CASE("training: settings that cannot be are refused, and why", "[training]") {
  const auto fault = [](SgdSettings settings) {
    try {
      settings.validate();
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(fault({}).empty());
  CHECK_THAT(fault({.batch = 0}), ContainsSubstring("at least 1 picture"));
  CHECK_THAT(fault({.step = 0}), ContainsSubstring("larger than 0"));
  CHECK_THAT(fault({.momentum = 1}), ContainsSubstring("less than 1"));
  CHECK_THAT(fault({.period = 0}), ContainsSubstring("1 or more"));
  CHECK_THAT(fault({.warmup = -1}), ContainsSubstring("0 or more"));
  CHECK_THAT(fault({.averaging = Averaging::gossip, .period = 2}),
             ContainsSubstring("average the parameters"));
  CHECK(SgdSettings{.step = 1, .warmup = 4}.step_of(0) == 0.25);
  CHECK(SgdSettings{.step = 1, .warmup = 4}.step_of(9) == 1);
}
