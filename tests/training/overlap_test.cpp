// Gradients averaged bucket by bucket while the backward pass goes on: buckets, equality, the closed form.
#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/training/job/overlap_run.h"
#include "engine/training/overlap/gradient_average.h"
#include "engine/training/workers/distributed_sgd.h"
#include "tests/support/catch.h"
#include "tests/training/made_up_pictures.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

RankSettings untraced() {
  RankSettings settings;
  settings.trace = TraceLevel::off;
  return settings;
}

std::vector<Range> lenet_ranges() {
  std::vector<Range> out;
  for (const LayerInfo& one : LeNet5Layout::layers())
    out.push_back({static_cast<Count>(one.offset), static_cast<Count>(one.count)});
  return out;
}

std::vector<std::size_t> last_layers(const std::vector<Bucket>& buckets) {
  std::vector<std::size_t> out;
  for (const Bucket& one : buckets) out.push_back(one.last_layer);
  return out;
}

/// The averages of made-up gradients of these layers, by rank: with or without overlap.
std::vector<std::vector<float>> averages(int ranks, const std::vector<Range>& layers,
                                         std::uint64_t bucket_bytes, std::string_view allreduce,
                                         bool overlapped) {
  const auto buckets = gradient_buckets(layers, sizeof(float), bucket_bytes);
  const Count count = layers.back().end();
  std::vector<std::vector<float>> out(static_cast<std::size_t>(ranks));
  InprocWorld world(ranks);
  world.run(
      [&](Communicator& comm) {
        const GradientBuffers buffers{.mine = Buffer::allocate(DType::float32, count),
                                      .together = Buffer::allocate(DType::float32, count)};
        RandomNumbers random(static_cast<std::uint64_t>(comm.rank()) + 1);
        std::vector<float> gradient;
        for (Count i = 0; i < count; ++i)
          gradient.push_back(static_cast<float>(random.below(1 << 24)) * 0x1p-20F - 7);
        const auto write = [&](std::size_t layer) {
          std::copy_n(gradient.begin() + layers[layer].offset, layers[layer].count,
                      buffers.mine.as<float>().begin() + layers[layer].offset);
        };
        const Algorithm& algorithm = require_algorithm(allreduce);
        if (overlapped) {
          OverlappedAverage average(comm, algorithm, buffers, buckets);
          for (std::size_t layer = layers.size(); layer-- > 0;) {
            write(layer);
            average.layer_done(layer);
          }
          average.wait();
        } else {
          for (std::size_t layer = 0; layer < layers.size(); ++layer) write(layer);
          average_buckets(comm, algorithm, buffers, buckets);
        }
        out.at(static_cast<std::size_t>(comm.rank())) = buffers.together.to_vector<float>();
      },
      untraced());
  return out;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The channel moment by moment: what is exposed is every moment after the backward pass until all is done.
std::int64_t simulated_exposure(const std::vector<std::int64_t>& full,
                                const std::vector<std::int64_t>& lasting, std::int64_t computed) {
  std::size_t next = 0;
  std::int64_t left = 0, now = 0;
  for (; next < full.size() || left > 0; ++now) {
    while (left == 0 && next < full.size() && full[next] <= now) left = lasting[next++];
    if (left == 0 && next == full.size()) break;  // the last ones took no time
    if (left > 0) --left;
  }
  return std::max<std::int64_t>(0, now - computed);
}

}  // namespace

TEST_CASE("training: the backward pass reports each layer when its gradient is complete",
          "[training]") {
  const PictureData pictures = test::made_up_pictures(20, 1);
  LeNet5<float> network({}, 4, *usable_kernels<float>().front());
  const auto parameters = initial_parameters<float>(3);
  AlignedVector<float> gradient(parameters.size()), plain(parameters.size()),
      pixels(std::size_t{4} * LeNet5Layout::kPixels), as_reported(parameters.size());
  std::vector<std::uint8_t> labels(4);
  take_batch<float>(pictures, pictures.train, std::vector<std::uint32_t>{1, 5, 9, 13}, pixels,
                    labels);
  network.forward(parameters, pixels, labels);
  network.backward(parameters, plain);
  std::vector<std::size_t> order;
  network.backward(parameters, gradient, [&](std::size_t layer) {
    order.push_back(layer);
    const LayerInfo& info = LeNet5Layout::layers()[layer];
    std::copy_n(&gradient[info.offset], info.count, &as_reported[info.offset]);
  });
  CHECK(order == std::vector<std::size_t>{4, 3, 2, 1, 0});
  CHECK(as_reported == plain);
  CHECK(gradient == plain);
  // The layers are all of the parameters.
  std::size_t end = 0;
  for (const LayerInfo& one : LeNet5Layout::layers()) {
    CHECK(one.offset == end);
    end += one.count;
  }
  CHECK(end == LeNet5Layout::kParameters);
}

TEST_CASE("training: buckets are filled from the last layer on", "[training]") {
  // LeNet-5's layers have 624, 9664, 192480, 40656 and 3400 bytes.
  const auto lenet = lenet_ranges();
  CHECK(last_layers(gradient_buckets(lenet, 4, 1)) == std::vector<std::size_t>{4, 3, 2, 1, 0});
  CHECK(last_layers(gradient_buckets(lenet, 4, 3400)) == std::vector<std::size_t>{4, 3, 2, 1, 0});
  CHECK(last_layers(gradient_buckets(lenet, 4, 3401)) == std::vector<std::size_t>{3, 2, 1, 0});
  CHECK(last_layers(gradient_buckets(lenet, 4, 16384)) == std::vector<std::size_t>{3, 2, 0});
  CHECK(last_layers(gradient_buckets(lenet, 4, 65536)) == std::vector<std::size_t>{2, 0});
  CHECK(last_layers(gradient_buckets(lenet, 4, 1 << 20)) == std::vector<std::size_t>{0});
  CHECK(gradient_buckets(lenet, 4, 65536)[0].range == Range{2572, 59134});
  CHECK(gradient_buckets(lenet, 8, 65536).size() == 3);
  for (const std::uint64_t size : {1, 5000, 20000, 300000}) {
    const auto buckets = gradient_buckets(lenet, 4, size);
    Count end = LeNet5Layout::kParameters;
    for (const Bucket& one : buckets) {
      CHECK(one.range.end() == end);
      end = one.range.offset;
    }
    CHECK(end == 0);
  }
  CHECK(gradient_buckets({}, 4, 1).empty());
}

TEST_CASE("training: with overlap an average has the bits that it has without", "[training]") {
  const std::vector<Range> layers{{0, 7}, {7, 500}, {507, 1}, {508, 64}, {572, 33}};
  for (const Algorithm& one : algorithms()) {
    if (one.collective != Collective::allreduce) continue;
    for (const int ranks : {1, 2, 3, 8})
      for (const std::uint64_t bucket : {1, 200, 4096}) {
        INFO(fmt::format("{} on {} ranks, buckets of {} bytes", one.name, ranks, bucket));
        const auto apart = averages(ranks, layers, bucket, one.name, false),
                   overlapped = averages(ranks, layers, bucket, one.name, true);
        for (std::size_t rank = 0; rank < apart.size(); ++rank)
          CHECK(same_bits(apart[rank], overlapped[rank]));
      }
  }
}

TEST_CASE("training: a backward pass that fails leaves no strand behind", "[training]") {
  const std::vector<Range> layers{{0, 8}, {8, 8}, {16, 8}};
  InprocWorld world(3);
  CHECK_THROWS_WITH(world.run(
                        [&](Communicator& comm) {
                          const GradientBuffers buffers{
                              .mine = Buffer::allocate(DType::float32, 24),
                              .together = Buffer::allocate(DType::float32, 24)};
                          OverlappedAverage average(comm, require_algorithm("allreduce.ring"),
                                                    buffers, gradient_buckets(layers, 4, 1));
                          average.layer_done(2);
                          if (comm.rank() == 1) throw UserError("the backward pass failed");
                          average.layer_done(1);
                          average.layer_done(0);
                          average.wait();
                        },
                        untraced()),
                    ContainsSubstring("the backward pass failed"));
}

TEST_CASE("training: workers with buckets learn what they learn without", "[training]") {
  const PictureData pictures = test::made_up_pictures(100, 10);
  const auto train = [&](std::uint64_t bucket_bytes) {
    std::vector<SgdState<double>> states(4);
    InprocWorld world(4);
    world.run(
        [&](Communicator& comm) {
          DistributedSgd<double> sgd(comm, pictures,
                                     {.averaging = Averaging::gradients,
                                      .batch = 4,
                                      .step = 0.05,
                                      .momentum = 0.9,
                                      .bucket_bytes = bucket_bytes},
                                     &require_algorithm("allreduce.ring"));
          for (int i = 0; i < 4; ++i) sgd.step();
          states.at(static_cast<std::size_t>(comm.rank())) = sgd.state();
        },
        untraced());
    for (const auto& state : states) CHECK(state.parameters == states[0].parameters);
    return states[0].parameters;
  };
  const auto plain = train(0);
  for (const std::uint64_t bucket : {1, 100000, 1 << 20}) {
    const auto bucketed = train(bucket);
    double difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i)
      difference = std::max(difference, std::abs(plain[i] - bucketed[i]));
    INFO(bucket);
    CHECK(difference <= 1e-12);
    CHECK(plain != initial_parameters<double>(1));
  }
  // A ring adds in another order where chunks are others; one bucket has the chunks of the whole.
  CHECK(train(1 << 20) == plain);
  SgdSettings wrong{.bucket_bytes = 1};
  CHECK_THROWS_WITH(wrong.validate(), ContainsSubstring("average the gradients"));
}

TEST_CASE("training: the closed form of exposed communication is what a simulation finds",
          "[training]") {
  // By hand: 10, 20, 30 with 5 each, computing until 30: only the last one is exposed.
  CHECK(exposed_time(std::vector<std::int64_t>{10, 20, 30}, std::vector<std::int64_t>{5, 5, 5},
                     30) == 5);
  // 15 each: 10 to 25, to 40, to 55.
  CHECK(exposed_time(std::vector<std::int64_t>{10, 20, 30}, std::vector<std::int64_t>{15, 15, 15},
                     30) == 25);
  CHECK(exposed_time({}, {}, 30) == 0);
  RandomNumbers random(17);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int64_t> full, lasting;
    std::int64_t now = 0;
    for (std::uint64_t j = random.below(8) + 1; j > 0; --j) {
      full.push_back(now += static_cast<std::int64_t>(random.below(12)));
      lasting.push_back(static_cast<std::int64_t>(random.below(15)));
    }
    const std::int64_t computed = now + static_cast<std::int64_t>(random.below(3));
    const auto times = channel_times(full, lasting);
    INFO(fmt::format("full {}, lasting {}, computed {}", fmt::join(full, " "),
                     fmt::join(lasting, " "), computed));
    const std::int64_t exposed = exposed_time(full, lasting, computed);
    REQUIRE(exposed == std::max<std::int64_t>(0, times.back().end - computed));
    REQUIRE(exposed == simulated_exposure(full, lasting, computed));
    for (std::size_t j = 0; j < times.size(); ++j) {
      REQUIRE(times[j].begin >= full[j]);
      if (j > 0) REQUIRE(times[j].begin >= times[j - 1].end);
    }
  }
}
