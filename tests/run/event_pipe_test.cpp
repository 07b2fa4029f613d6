// A worker's events on their way to the conductor: all of them, in order, in bounded memory.
#include "engine/run/worker/event_pipe.h"

#include <atomic>
#include <memory>
#include <thread>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace std::chrono_literals;

namespace {

EventBatch piped_batch(std::uint32_t number) {
  constexpr std::uint32_t kEvents = 512;
  EventBatch batch;
  batch.rank = 3;
  batch.epoch = 7;
  if (number == 0)
    batch.definitions.push_back({.id = 1, .name = "data", .file = {}, .extents = {}});
  batch.blobs.resize(number % 5);
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    StepEvent event;
    event.rank = batch.rank;
    event.seq = number * kEvents + i;
    batch.events.push_back(event);
  }
  return batch;
}

/// Reads until so many batches have come; how many of them were the next ones.
std::uint32_t read_in_order(EventRing& ring, std::uint32_t batches) {
  EventRingReader reader(ring);
  std::uint32_t read = 0, right = 0;
  for (const auto limit = Deadline::in(test::kWaitLimit); read < batches && !limit.passed();) {
    const auto record = reader.next();
    if (record.empty()) {
      std::this_thread::yield();
      continue;
    }
    right += encode(decode_batch(record)) == encode(piped_batch(read)) ? 1 : 0;
    ++read;
  }
  return right;
}

constexpr std::uint32_t kMoreThanFits = 800;  // 57 KiB each, beyond ring and backlog

}  // namespace

TEST_CASE("events that the conductor is slow to read wait, and all arrive in order", "[run]") {
  const auto ring = std::make_unique<EventRing>();
  const FdPair lifeline = socket_pair("a test");
  EventPipe pipe(*ring, lifeline.ours.get());
  std::atomic<std::uint32_t> delivered{0};
  std::thread rank([&] {
    for (std::uint32_t number = 0; number < kMoreThanFits; ++number) {
      pipe.deliver(piped_batch(number));
      ++delivered;
    }
    pipe.close(test::kWaitLimit);
  });
  // The rank comes to stand where its memory ends. On a busy machine it may stand before, too.
  const auto fits = EventPipe::kMostBacklog / encode(piped_batch(4)).size();
  const auto limit = Deadline::in(test::kWaitLimit);
  for (std::uint32_t before = 0; !limit.passed() && (delivered < fits || delivered != before);
       std::this_thread::sleep_for(200ms))
    before = delivered;
  CHECK(delivered < kMoreThanFits);
  CHECK(delivered >= fits);
  CHECK(read_in_order(*ring, kMoreThanFits) == kMoreThanFits);
  rank.join();
  CHECK_FALSE(pipe.push());
}

TEST_CASE("a rank does not wait for a conductor that is gone", "[run]") {
  const auto ring = std::make_unique<EventRing>();
  FdPair lifeline = socket_pair("a test");
  EventPipe pipe(*ring, lifeline.ours.get());
  lifeline.theirs.reset();
  for (std::uint32_t number = 0; number < kMoreThanFits; ++number)
    pipe.deliver(piped_batch(number));
  pipe.close(test::kWaitLimit);
  CHECK_FALSE(pipe.push());  // nor does it keep what nobody will read
}
