// The verbs, split, strands and communication errors.
#include "engine/core/message/communicator.h"

#include "engine/core/message/rank_context.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using test::ring_allreduce;

TEST_CASE("a ring allreduce on the verbs sums over all ranks", "[core]") {
  const int n = GENERATE(1, 2, 3, 4, 7);
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  CollectingSink sink;
  InprocWorld world(n, &sink);
  RankSettings settings;
  settings.mode = mode;
  settings.trace = TraceLevel::full;
  world.run(
      [&](Communicator& comm) {
        Buffer data = test::ring_input(comm.rank(), 10);
        comm.watch("data", data);
        auto phase = comm.phase("ring");
        ring_allreduce(comm, data);
        test::check_ring_sum(data, n);
      },
      settings);
  std::size_t sends = 0, matched = 0;
  for (const auto& batch : sink.take())
    for (const auto& event : batch.events) {
      if (event.kind == EventKind::posted && event.verb == Verb::send) ++sends;
      if (event.kind == EventKind::matched && is_recv(event.verb)) {
        ++matched;
        CHECK(rank_of(event.cause) == event.peer);
      }
    }
  CHECK(sends == static_cast<std::size_t>(2 * n * (n - 1)));
  CHECK(matched == sends);
}

TEST_CASE("split makes communicators that do not hear each other", "[core]") {
  InprocWorld world(6);
  world.run([](Communicator& comm) {
    auto half = comm.split(comm.rank() % 2, -comm.rank());
    if (!half || half->size() != 3) throw std::runtime_error("wrong group");
    if (half->world_rank(0) != 4 + comm.rank() % 2) throw std::runtime_error("wrong order");
    Buffer token = Buffer::of(std::vector<std::int32_t>{comm.rank()});
    Buffer got = Buffer::allocate(DType::int32, 1);
    const int n = half->size();
    half->sendrecv(wrap(half->rank() + 1, n), token, wrap(half->rank() - 1, n), got);
    if (got.as<std::int32_t>()[0] != half->world_rank(wrap(half->rank() - 1, n)))
      throw std::runtime_error("wrong neighbour");
  });
}

TEST_CASE("strands run beside the main strand", "[core]") {
  InprocWorld world(4);
  world.run([](Communicator& comm) {
    test::check_strands(comm, 5, 20, [](Communicator& main) {
      Buffer own = Buffer::of(std::vector<std::int64_t>(7, 1));
      ring_allreduce(main, own);
      if (own.as<std::int64_t>()[3] != 4) throw std::runtime_error("wrong own sum");
    });
  });
}

TEST_CASE("communication errors name rank, peer and line", "[core]") {
  InprocWorld world(2);
  SECTION("a message that does not fit") {
    try {
      world.run([](Communicator& comm) {
        Buffer data = Buffer::allocate(DType::int32, 4);
        if (comm.rank() == 0) comm.send(1, data);
        else comm.recv(0, data[{0, 3}]);
      });
      FAIL("no error");
    } catch (const CommError& e) {
      CHECK(e.reason() == CommError::Reason::truncated);
      CHECK(e.rank() == 1);
      CHECK(e.peer() == 0);
      CHECK(short_location(e.site()).find("communicator_test.cpp") != std::string::npos);
      CHECK(std::string(e.what()).find("16 bytes") != std::string::npos);
    }
  }
  SECTION("a rank that fails stops the other, which waits for ever") {
    CHECK_THROWS_WITH(world.run([](Communicator& comm) {
      Buffer data = Buffer::allocate(DType::int32, 4);
      if (comm.rank() == 0) throw std::runtime_error("out of patience");
      comm.recv(0, data);
    }),
                      "out of patience");
  }
  SECTION("a wait limit") {
    RankSettings settings;
    settings.wait_limit = std::chrono::milliseconds(20);
    CHECK_THROWS_AS(world.run(
                        [](Communicator& comm) {
                          Buffer data = Buffer::allocate(DType::int32, 4);
                          comm.recv(1 - comm.rank(), data);
                        },
                        settings),
                    CommError);
  }
  SECTION("a rank that is not there") {
    CHECK_THROWS_AS(
        world.run([](Communicator& comm) { comm.send(2, Buffer::allocate(DType::int32, 1)); }),
        UserError);
  }
}
