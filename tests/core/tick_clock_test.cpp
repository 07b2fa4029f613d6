// The clock that events are stamped with: the host's, read from the processor's counter.
#include "engine/core/base/tick_clock.h"

#include <algorithm>
#include <thread>

#include "engine/core/base/deadline.h"
#include "tests/support/catch.h"

using namespace rankscope;

TEST_CASE("the counter tells the clock's time, and never goes back", "[core][trace]") {
  TickClock ticks;
  std::int64_t last = 0, off = 0;
  int back = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t before = now_ns();
    const std::int64_t time = ticks.now_ns();
    const std::int64_t after = now_ns();
    back += time < last ? 1 : 0;
    last = time;
    off = std::max({off, before - time, time - after});
    if (i % 2'000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  CHECK(back == 0);
  CHECK(off < 100'000);
}
