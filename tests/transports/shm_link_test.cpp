// The link in shared memory alone: loans, waking, giving up, and memory that another rank has damaged.
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/transports/shm_world.h"

using namespace rankscope;
using namespace std::chrono_literals;
using rankscope::test::ShmWorld;

namespace {

FrameHeader eager_frame(Rank src, Rank dst, std::uint64_t bytes) {
  FrameHeader header;
  header.src = src;
  header.dst = dst;
  header.bytes = bytes;
  return header;
}

void nobody_to_wake(void*) noexcept {}

/// The queue from rank 0 to rank 1, as rank 0 has left it: one ring, and where rank 1 reads.
struct Damage {
  explicit Damage(ShmWorld& world) : memory(world.memory()) {
    const std::byte payload[8] = {};
    world.link(0).send(eager_frame(0, 1, 8), payload, nullptr);
    segment = reinterpret_cast<shm::Segment*>(
        memory.in_arena(0, memory.queue(0, 1).first.load(), sizeof(shm::Segment)));
    frame = reinterpret_cast<std::byte*>(segment) + sizeof(shm::Segment);
  }
  void change(const std::function<void(FrameHeader&)>& what) const {
    FrameHeader header;
    std::memcpy(&header, frame, sizeof header);
    what(header);
    std::memcpy(frame, &header, sizeof header);
  }
  shm::Memory& memory;
  shm::Segment* segment;
  std::byte* frame;
};

/// Rank 1 gets nothing of what rank 0 has sent, and the others are not affected.
void check_refused(ShmWorld& world) {
  CHECK_THROWS_WITH(
      world.link(1).poll(Deadline::now()),
      ContainsSubstring("rank 0 wrote something that is not a message into the shared memory"));
  CHECK(world.link(1).counters().malformed == 1);
  world.link(2).send(eager_frame(2, 1, 0), {}, nullptr);
  CHECK(world.link(1).poll(Deadline::in(test::kWaitLimit)).has_value());
}

}  // namespace

TEST_CASE("a loan in shared memory ends when its receiver has read it", "[transports][shm]") {
  ShmWorld world(2);
  const auto memory = world.link(0).memory(1 << 20);
  REQUIRE(memory != nullptr);
  memory.get()[77] = std::byte{5};
  Loan loan(&nobody_to_wake, nullptr);
  world.link(0).send(eager_frame(0, 1, 1 << 20), {memory.get(), 1 << 20}, &loan);
  CHECK_FALSE(world.link(0).poll(Deadline::now()).has_value());
  CHECK_FALSE(loan.released());
  {
    auto frame = world.link(1).poll(Deadline::in(test::kWaitLimit));
    REQUIRE(frame.has_value());
    frame->payload.claim();
    REQUIRE(frame->payload.size() == 1 << 20);
    CHECK(frame->payload.data()[77] == std::byte{5});
    CHECK_FALSE(world.link(0).poll(Deadline::now()).has_value());
    CHECK_FALSE(loan.released());
  }
  CHECK_FALSE(world.link(0).poll(Deadline::now()).has_value());
  CHECK(loan.released());
}

TEST_CASE("a closed link in shared memory leaves its messages to their receivers",
          "[transports][shm]") {
  ShmWorld world(2);
  auto memory = world.link(0).memory(100'000);
  REQUIRE(memory != nullptr);
  std::memset(memory.get(), 9, 100'000);
  Loan loan(&nobody_to_wake, nullptr);
  world.link(0).send(eager_frame(0, 1, 100'000), {memory.get(), 100'000}, &loan);
  const bool clean = GENERATE(true, false);
  if (clean) CHECK(world.link(0).close(Deadline::in(test::kWaitLimit)));
  else world.link(0).abandon();
  CHECK(loan.released());
  CHECK_FALSE(world.link(0).usable());
  std::memset(memory.get(), 1, 100'000);
  memory.reset();
  auto frame = world.link(1).poll(Deadline::in(test::kWaitLimit));
  REQUIRE(frame.has_value());
  frame->payload.claim();
  CHECK(frame->payload.data()[99'999] == std::byte{9});
  CHECK_THROWS_AS(world.link(0).poll(Deadline::now()), CommError);
  CHECK_THROWS_AS(world.link(0).send(eager_frame(0, 1, 0), {}, nullptr), CommError);
}

TEST_CASE("a link in shared memory sleeps until it is woken, or a message comes",
          "[transports][shm]") {
  ShmWorld world(2);
  CHECK_FALSE(world.link(0).poll(Deadline::in(20ms)).has_value());
  std::thread waker([&] { world.link(0).wake(); });
  CHECK_FALSE(world.link(0).poll(Deadline::in(60s)).has_value());
  waker.join();
  constexpr int kFrames = 2000;
  std::thread sender([&] {
    for (int i = 0; i < kFrames; ++i) {
      if (i % 100 == 0) std::this_thread::sleep_for(1ms);  // the receiver sleeps meanwhile
      world.link(1).send(eager_frame(1, 0, 0), {}, nullptr);
    }
  });
  int came = 0;
  while (came < kFrames)
    if (world.link(0).poll(Deadline::in(60s))) ++came;
  sender.join();
  CHECK_FALSE(world.link(0).poll(Deadline::now()).has_value());
}

TEST_CASE("a damaged frame in shared memory is refused", "[transports][shm]") {
  ShmWorld world(3);
  const Damage damage(world);
  SECTION("no frame") {
    damage.change([](FrameHeader& header) { header.magic = 0; });
  }
  SECTION("a frame of another protocol") {
    damage.change([](FrameHeader& header) { ++header.version; });
  }
  SECTION("a frame of a third rank") {
    damage.change([](FrameHeader& header) { header.src = 2; });
  }
  SECTION("a frame for a third rank") {
    damage.change([](FrameHeader& header) { header.dst = 2; });
  }
  SECTION("a kind that does not exist") {
    damage.change([](FrameHeader& header) { header.kind = static_cast<FrameKind>(9); });
  }
  SECTION("a payload longer than what was written") {
    const std::uint64_t bytes =
        GENERATE(65, 1 << 15, 1 << 17, ~std::uint64_t{0}, ~std::uint64_t{63});
    damage.change([&](FrameHeader& header) { header.bytes = bytes; });
  }
  check_refused(world);
}

TEST_CASE("damaged slots and rings in shared memory are refused", "[transports][shm]") {
  ShmWorld world(3);
  const Damage damage(world);
  SECTION("a payload in a slot that does not exist, or is empty") {
    const std::uint64_t slot =
        GENERATE(0, 1, shm::kSlots, ~std::uint64_t{0}, std::uint64_t{1} << 32);
    damage.change([&](FrameHeader& header) {
      header.flags = shm::kPlaced;
      header.secret = slot;
    });
  }
  SECTION("a payload that reaches out of the arena") {
    auto& place = damage.memory.desk(0).slots[5];
    place.state = shm::slot_word(1, shm::SlotState::lent);
    place.offset = GENERATE_COPY(damage.memory.arena_bytes() - 4, ~std::uint64_t{0});
    damage.change([&](FrameHeader& header) {
      header.flags = shm::kPlaced;
      header.secret = std::uint64_t{1} << 32 | 5;
    });
  }
  SECTION("more written than a ring holds, or not in lines") {
    damage.segment->written = GENERATE(std::uint64_t{1} << 20, 100U, ~std::uint64_t{0});
  }
  SECTION("a wrap where there is nothing to wrap") {
    damage.change([](FrameHeader& header) { header.magic = 0x5752; });
  }
  SECTION("a next ring outside of the arena, or with a size that is none") {
    const std::uint64_t next = GENERATE(7U, std::uint64_t{1} << 60, std::uint64_t{1} << 20);
    damage.change([&](FrameHeader& header) {
      header.magic = 0x584e;
      header.op = next;
    });
  }
  SECTION("a first ring with a size that is none") { damage.segment->capacity = 12345; }
  SECTION("a first ring outside of the arena") {
    damage.memory.queue(0, 1).first = damage.memory.arena_bytes();
  }
  check_refused(world);
}

TEST_CASE("memory that is not that of a run is refused", "[transports][shm]") {
  LinkConfig config;
  config.rank = 0;
  config.world_size = 2;
  SECTION("none") {
    CHECK_THROWS_WITH(ShmLink(config),
                      ContainsSubstring("start them by `rankscope run --transport shm`"));
  }
  SECTION("of another world size") {
    config.memory_fd = make_shm_memory(3).release();
    CHECK_THROWS_WITH(ShmLink(config), ContainsSubstring("not that of this run"));
  }
  SECTION("a file") {
    config.memory_fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK_THROWS_WITH(ShmLink(config), ContainsSubstring("not that of this run"));
  }
  SECTION("too many ranks") {
    CHECK_THROWS_WITH(make_shm_memory(1000), ContainsSubstring("choose --transport ipc"));
  }
}
