// Whether a run that took too long did so because of what runs beside it.
#include "engine/box/load_watch.h"

#include <optional>
#include <thread>
#include <vector>

#include <sched.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/process_stat.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

constexpr double kLimit = 10;

/// A run in which the program's threads have waited so long when it is looked at first and last.
bool had_processor(std::optional<double> first, std::optional<double> last) {
  std::optional<double> now = first;
  LoadWatch watch([&] { return now; }, kLimit);
  watch.look(0.05);
  now = 1000;  // not looked at
  watch.look(3);
  now = last;
  watch.look(9.2);
  now = 1000;
  watch.look(9.9);
  return watch.had_processor();
}

bool unknown_here() {
  if (own_processor_wait_s()) return false;
  WARN("left out: this kernel does not say how long threads wait");
  return true;
}

// Until this thread alone has waited for a processor, beside as many threads as there are processors.
void wait_for_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ::sched_setaffinity(0, sizeof(one), &one);  // of this thread, and those that it starts
  const auto before = own_processor_wait_s().value_or(0);
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  const auto limit = Deadline::in(std::chrono::seconds(20));
  while (own_processor_wait_s().value_or(0) < before + 0.02 && !limit.passed()) {
  }
}

}  // namespace

TEST_CASE("a run whose threads hardly waited for a processor is not late because of load") {
  CHECK(had_processor(2, 2));
  CHECK(had_processor(2, 5.9));
  CHECK_FALSE(had_processor(2, 6.1));
  CHECK_FALSE(had_processor(2, 1));  // some have ended, and nobody knows how long they waited
  CHECK_FALSE(had_processor(std::nullopt, 2));
  CHECK_FALSE(had_processor(2, std::nullopt));
}

TEST_CASE("a run that was not looked at near its limit may be late because of load") {
  LoadWatch watch([] { return std::optional<double>(0); }, kLimit);
  CHECK_FALSE(watch.had_processor());
  watch.look(0.05);
  watch.look(8);
  CHECK_FALSE(watch.had_processor());
  watch.look(9);
  CHECK(watch.had_processor());
}

TEST_CASE("what threads of ours waited for a processor counts as a wait of the run") {
  if (unknown_here()) return;
  constexpr double kShort = 0.03;  // seconds: its share is less than what a thread is made to wait
  LoadWatch watch([] { return std::optional<double>(0); }, kShort);
  watch.look(0);
  watch.look(kShort);
  REQUIRE(watch.had_processor());
  std::thread([&] {
    wait_for_processor();
    watch.add_own();
  }).join();
  CHECK_FALSE(watch.had_processor());
}

TEST_CASE("waits for a processor are read for all processes of a /proc") {
  if (unknown_here()) return;
  const double own = own_processor_wait_s().value_or(0);
  CHECK(processor_wait_s(open_proc().get()).value_or(-1) >= own);
  CHECK_FALSE(processor_wait_s(-1).has_value());
}
