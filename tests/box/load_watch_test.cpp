// Whether a run that took too long did so because of what runs beside it.
#include "engine/box/load_watch.h"

#include <optional>
#include <thread>
#include <vector>

#include <sched.h>
#include <time.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/process_stat.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

constexpr double kLimit = 10;

/// A run in which the program's threads were awake for so long when it is looked at first and last.
bool slept(std::optional<double> first, std::optional<double> last) {
  std::optional<double> now = first;
  LoadWatch watch([&] { return now; }, kLimit);
  watch.look(0.05);
  now = 1000;  // not looked at
  watch.look(3);
  now = last;
  watch.look(9.2);
  now = 1000;
  watch.look(9.9);
  return watch.slept();
}

bool unknown_here() {
  if (own_runnable_s()) return false;
  WARN("left out: this kernel does not say how long threads are awake");
  return true;
}

double own_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double own_wait_s() { return own_runnable_s().value_or(0) - own_cpu_s(); }

// Until this thread has waited so long for a processor that another one has, too.
void wait_for_processor(double seconds) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ::sched_setaffinity(0, sizeof(one), &one);  // of this thread, and those that it starts
  const double before = own_wait_s();
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  const auto limit = Deadline::in(test::kWaitLimit);
  while (own_wait_s() < before + seconds && !limit.passed()) {
  }
}

}  // namespace

TEST_CASE("a run whose threads slept is not late because of load") {
  CHECK(slept(2, 2));
  CHECK(slept(2, 5.9));
  CHECK_FALSE(slept(2, 6.1));
  CHECK_FALSE(slept(2, 1));  // some have ended, and nobody knows what they did
  CHECK_FALSE(slept(std::nullopt, 2));
  CHECK_FALSE(slept(2, std::nullopt));
}

TEST_CASE("a run that was not looked at near its limit may be late because of load") {
  LoadWatch watch([] { return std::optional<double>(0); }, kLimit);
  CHECK_FALSE(watch.slept());
  watch.look(0.05);
  watch.look(8);
  CHECK_FALSE(watch.slept());
  watch.look(9);
  CHECK(watch.slept());
}

TEST_CASE("a thread of ours that waited for a processor was awake") {
  if (unknown_here()) return;
  constexpr double kWait = 0.02, kShort = 0.04;  // seconds: more than the share of the limit
  LoadWatch watch([] { return std::optional<double>(0); }, kShort);
  watch.look(0);
  watch.look(kShort);
  REQUIRE(watch.slept());
  std::thread([&] {
    wait_for_processor(2 * kWait);  // the kernel's figure lags behind the clock by up to a tick
    CHECK(own_wait_s() >= kWait);
    watch.add_own();
  }).join();
  CHECK_FALSE(watch.slept());
}

TEST_CASE("what threads ran and waited is read for all processes of a /proc") {
  if (unknown_here()) return;
  const double own = own_runnable_s().value_or(0);
  CHECK(runnable_s(open_proc().get()).value_or(-1) >= own);
  CHECK_FALSE(runnable_s(-1).has_value());
  const double stalled = stalled_s();
  CHECK(stalled >= 0);
  CHECK(stalled_s() >= stalled);
}
