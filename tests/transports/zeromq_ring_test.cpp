// Whole ranks over ZeroMQ: the verbs, matching and the link together.
#include "tests/support/catch.h"
#include "tests/support/runs.h"
#include "tests/transports/zeromq_world.h"

using namespace rankscope;
using rankscope::test::ring_allreduce;
using rankscope::test::ZeromqWorld;

namespace {
void check_ring(Communicator& comm, Count count) {
  Buffer data = test::ring_input(comm.rank(), count);
  ring_allreduce(comm, data);
  test::check_ring_sum(data, comm.size());
}
}  // namespace

TEST_CASE("a ring allreduce over ZeroMQ sums over all ranks", "[transports]") {
  const std::string kind = GENERATE("ipc", "tcp", "tcp+curve");
  const int n = GENERATE(1, 2, 4, 7);
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  RankSettings settings;
  settings.mode = mode;
  settings.wait_limit = test::kWaitLimit;
  ZeromqWorld world(kind, n);
  // In bytes a rank: nothing, inline, two parts, lent, and a size that all buffers are too small
  // for.
  for (const Count bytes : {0, 8, 1000, 60'000, 8 << 20})
    world.run([&](Communicator& comm) { check_ring(comm, bytes / 8); }, settings);
  for (Rank r = 0; r < n; ++r) CHECK(world.link(r).counters().malformed == 0);
}

TEST_CASE("messages of a pair keep their order, whatever their size", "[transports]") {
  const std::string kind = GENERATE("ipc", "tcp");
  constexpr int kMessages = 10'000;
  ZeromqWorld world(kind, 2);
  world.run([](Communicator& comm) {
    // Inline, in two parts, and lent, in turn.
    const auto count = [](int i) {
      return i % 500 == 0 ? 20'000 : i % 50 == 0 ? 3'000 : 1 + i % 7;
    };
    if (comm.rank() == 0) {
      for (int i = 0; i < kMessages; ++i)
        comm.send(1, Buffer::of(std::vector<std::int32_t>(static_cast<std::size_t>(count(i)), i)));
    } else {
      Buffer into = Buffer::allocate(DType::int32, 20'000);
      for (int i = 0; i < kMessages; ++i) {
        const auto got = comm.recv(0, into);
        if (got.bytes != static_cast<std::uint64_t>(count(i)) * 4 ||
            into.as<std::int32_t>()[0] != i)
          throw std::runtime_error("out of order");
      }
    }
  });
}

TEST_CASE("strands and several threads share one link", "[transports]") {
  ZeromqWorld world("ipc", 4);
  world.run([](Communicator& comm) {
    test::check_strands(comm, 4, 40'000, [](Communicator& main) { check_ring(main, 1000); });
  });
}
