// Whole ranks over shared memory: the verbs, matching and the link together.
#include <random>

#include "tests/support/catch.h"
#include "tests/support/runs.h"
#include "tests/transports/shm_world.h"

using namespace rankscope;
using namespace std::chrono_literals;
using rankscope::test::ShmWorld;

namespace {

RankSettings impatient(SendMode mode = SendMode::buffered) {
  RankSettings settings;
  settings.mode = mode;
  settings.wait_limit = test::kWaitLimit;
  return settings;
}

void check_shm_ring(Communicator& comm, Count count) {
  Buffer data = test::ring_input(comm.rank(), count);
  test::ring_allreduce(comm, data);
  test::check_ring_sum(data, comm.size());
}

Slice filled(Buffer& buffer, std::int32_t value) {
  for (std::int32_t& one : buffer.as<std::int32_t>()) one = value;
  return buffer;
}

void need(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace

TEST_CASE("a ring allreduce over shared memory sums over all ranks", "[transports][shm]") {
  const int n = GENERATE(1, 2, 4, 7);
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  ShmWorld world(n);
  // In bytes a rank: nothing, within a queue, beyond it, and much more than a queue holds.
  for (const Count bytes : {0, 8, 1000, 60'000, 4 << 20})
    world.run([&](Communicator& comm) { check_shm_ring(comm, bytes / 8); }, impatient(mode));
  for (Rank r = 0; r < n; ++r) CHECK(world.link(r).counters().malformed == 0);
}

TEST_CASE("a queue grows for a receiver that is behind, and keeps the order", "[transports][shm]") {
  constexpr int kMessages = 10'000;
  ShmWorld world(2);
  world.run(
      [](Communicator& comm) {
        const auto count = [](int i) { return i % 500 == 0 ? 20'000 : i % 50 == 0 ? 900 : i % 7; };
        const auto tag = [](int i) { return i == kMessages ? 1 : 0; };
        if (comm.rank() == 0) {
          for (int i = 0; i <= kMessages; ++i) {
            Buffer data = comm.context().buffer(DType::int32, Shape::flat(count(i)), false);
            comm.send(1, filled(data, i), tag(i));
          }
        } else {
          Buffer into = Buffer::allocate(DType::int32, 20'000);
          comm.recv(0, into,
                    1);  // the last one: all others lie in the queue, or wait for their receive
          for (int i = 0; i < kMessages; ++i) {
            const auto got = comm.recv(0, into);
            need(got.bytes == static_cast<std::uint64_t>(count(i)) * 4, "a wrong length");
            need(got.bytes == 0 || into.as<std::int32_t>()[0] == i, "out of order");
          }
        }
      },
      impatient());
}

TEST_CASE("a large send does not wait for its receive, wherever its data lie",
          "[transports][shm]") {
  const bool shared = GENERATE(true, false);
  constexpr Count kCount = 100'000;
  ShmWorld world(3);
  world.run(
      [&](Communicator& comm) {
        const Rank next = (comm.rank() + 1) % 3, prev = (comm.rank() + 2) % 3;
        Buffer data = shared ? comm.context().buffer(DType::int32, Shape::flat(kCount))
                             : Buffer::allocate(DType::int32, kCount);
        Buffer into = Buffer::allocate(DType::int32, kCount);
        for (int round = 1; round <= 3; ++round) {
          comm.send(next, filled(data, 10 * round + comm.rank()));
          filled(data, -1);  // it is the sender's again
          comm.recv(prev, into);
          for (const std::int32_t value : into.as<std::int32_t>())
            need(value == 10 * round + prev, "the message changed after it was sent");
        }
      },
      impatient());
}

TEST_CASE("what lies in shared memory is not copied on its way", "[transports][shm]") {
  constexpr Count kCount = 1'000'000;
  const bool shared = GENERATE(true, false);
  ShmWorld world(2);
  world.run(
      [&](Communicator& comm) {
        Buffer data = shared ? comm.context().buffer(DType::int32, Shape::flat(kCount))
                             : Buffer::allocate(DType::int32, kCount);
        filled(data, 3);
        if (comm.rank() == 0) {
          auto sent = comm.isend(1, data);
          comm.recv(1, data.all().first(0));  // rank 1 has read it
          comm.wait(sent);
        } else {
          comm.recv_reduce(0, data, ReduceOp::sum);
          comm.send(0, data.all().first(0));
          for (const std::int32_t value : data.as<std::int32_t>()) need(value == 6, "a wrong sum");
        }
      },
      impatient());
  CHECK(world.link(0).counters().bytes_copied == (shared ? 0U : 4U * kCount));
  CHECK(world.link(1).counters().bytes_copied == 0);
  CHECK(world.link(1).counters().bytes_received == 4U * kCount);
}

TEST_CASE("random messages over shared memory arrive as they were sent", "[transports][shm]") {
  constexpr int kRanks = 4, kRounds = 60;
  ShmWorld world(kRanks);
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  world.run(
      [](Communicator& comm) {
        std::mt19937 random(7);  // the same on all ranks
        for (int round = 0; round < kRounds; ++round) {
          const Count count = std::uniform_int_distribution<Count>(0, 1 << (round % 19))(random);
          std::vector<Request> sent;
          std::vector<Buffer> kept;
          for (Rank to = 0; to < kRanks; ++to) {
            if (to == comm.rank()) continue;
            kept.push_back(round % 3 == 0 ? Buffer::allocate(DType::int32, count)
                                          : comm.scratch(DType::int32, count));
            sent.push_back(
                comm.isend(to, filled(kept.back(), 100 * round + 10 * to + comm.rank())));
          }
          Buffer into = comm.scratch(DType::int32, count);
          for (Rank from = kRanks - 1; from >= 0; --from) {
            if (from == comm.rank()) continue;
            comm.recv(from, into);
            for (const std::int32_t value : into.as<std::int32_t>())
              need(value == 100 * round + 10 * comm.rank() + from, "a wrong value");
          }
          for (auto& one : sent) comm.wait(one);
        }
      },
      impatient(mode));
}

TEST_CASE("strands and several threads share one link in shared memory", "[transports][shm]") {
  ShmWorld world(4);
  world.run([](Communicator& comm) {
    test::check_strands(comm, 4, 40'000, [](Communicator& main) { check_shm_ring(main, 1000); });
  });
}
