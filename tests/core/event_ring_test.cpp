// Events in shared memory: records come out whole and in order, and a damaged ring is left alone.
#include "engine/core/trace/event_ring.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "engine/core/base/deadline.h"
#include "engine/core/base/random.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

std::unique_ptr<EventRing> new_ring() { return std::make_unique<EventRing>(); }

/// As long as its number says, and full of it.
Bytes numbered_record(std::uint64_t number) {
  const std::uint64_t bytes =
      1 + RandomNumbers(number).below(number % 50 == 7 ? 3'000'000 : 60'000);
  Bytes record;
  ByteWriter out(record);
  out.put(bytes);
  record.resize(record.size() + bytes, static_cast<std::byte>(number));
  return record;
}

bool is_record(std::span<const std::byte> read, std::uint64_t number) {
  const Bytes whole = numbered_record(number);
  return std::ranges::equal(read, std::span(whole).subspan(sizeof(std::uint64_t)));
}

}  // namespace

TEST_CASE("records pass a ring whole and in order, also those that are longer than it",
          "[core][trace]") {
  constexpr std::uint64_t kRecords = 400;
  const auto ring = new_ring();
  std::thread writer([&] {
    EventRingWriter writes(*ring);
    for (std::uint64_t number = 0; number < kRecords; ++number) {
      const Bytes record = numbered_record(number);
      for (std::span<const std::byte> rest(record); !rest.empty();) {
        rest = rest.subspan(writes.write(rest));
        if (!rest.empty()) std::this_thread::yield();
      }
    }
  });
  EventRingReader reader(*ring);
  std::uint64_t read = 0, right = 0;
  for (const auto limit = Deadline::in(test::kWaitLimit); read < kRecords && !limit.passed();) {
    const auto record = reader.next();
    if (record.empty()) {
      std::this_thread::yield();
      continue;
    }
    right += is_record(record, read++) ? 1 : 0;
  }
  writer.join();
  CHECK(read == kRecords);
  CHECK(right == kRecords);
  CHECK(reader.next().empty());
}

TEST_CASE("a full ring takes no more until it is read", "[core][trace]") {
  const auto ring = new_ring();
  EventRingWriter writes(*ring);
  Bytes much;
  ByteWriter out(much);
  out.put(std::uint64_t{EventRing::kBytes});
  much.resize(sizeof(std::uint64_t) + EventRing::kBytes, std::byte{1});
  CHECK(writes.write(much) == EventRing::kBytes);
  CHECK(writes.write(std::span(much).first(1)) == 0);
  EventRingReader reader(*ring);
  CHECK(reader.next().empty());  // the rest is missing
  CHECK(writes.write(std::span(much).last(sizeof(std::uint64_t))) == sizeof(std::uint64_t));
  CHECK(reader.next().size() == EventRing::kBytes);
}

TEST_CASE("what a writer has not finished is no record, and what cannot be ends the reading",
          "[core][trace]") {
  const auto ring = new_ring();
  EventRingWriter writes(*ring);
  const Bytes record = numbered_record(1);
  writes.write(std::span(record).first(record.size() - 1));
  EventRingReader reader(*ring);
  CHECK(reader.next().empty());
  CHECK(reader.next().empty());

  SECTION("more than it holds") { ring->written += 2 * EventRing::kBytes; }
  SECTION("a record of no length") {
    writes.write(std::span(record).last(1));
    CHECK_FALSE(reader.next().empty());
    writes.write(Bytes(sizeof(std::uint64_t)));
  }
  SECTION("a record of any length") {
    writes.write(std::span(record).last(1));
    CHECK_FALSE(reader.next().empty());
    writes.write(Bytes(sizeof(std::uint64_t), std::byte{255}));
  }
  CHECK_THROWS_AS(reader.next(), FormatError);
  writes.write(record);
  CHECK(reader.next().empty());
}
