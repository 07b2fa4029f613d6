// The gate of one rank, without processes: who passes, who stays, and what it reports of its strands.
#include "engine/run/step/step_gate.h"

#include <thread>

#include "engine/core/base/error.h"
#include "engine/core/message/endpoint.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {

using State = StrandPlace::State;

class LastReport : public StepGate::Listener {
 public:
  void on_places(const StrandPlaces& places, const GateStamp& stamp,
                 std::vector<Receipt> received) noexcept override {
    const std::lock_guard lock(mutex_);
    ++count_;
    places_ = places;
    stamp_ = stamp;
    received_.insert(received_.end(), received.begin(), received.end());
  }
  StrandPlaces places() const {
    const std::lock_guard lock(mutex_);
    return places_;
  }
  GateStamp stamp() const {
    const std::lock_guard lock(mutex_);
    return stamp_;
  }
  std::size_t received() const {
    const std::lock_guard lock(mutex_);
    return received_.size();
  }
  int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  int in(State state) const {
    return static_cast<int>(std::ranges::count_if(
        places(), [&](const auto& known) { return known.second.state == state; }));
  }

 private:
  mutable std::mutex mutex_;
  int count_ = 0;
  StrandPlaces places_;
  GateStamp stamp_;
  std::vector<Receipt> received_;
};

GatePoint point_at(std::uint16_t strand, unsigned line = 0) {
  GatePoint point;
  point.strand = strand;
  point.op = make_op(0, strand + std::uint64_t{1});
  point.call.line = line;
  return point;
}

/// A gate, and threads that stand at it.
struct Fixture {
  LastReport told;
  StepGate gate{0, &told};
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;

  void arrive(std::uint16_t strand, unsigned line = 0) {
    threads.emplace_back([this, strand, line] {
      try {
        gate.hold(point_at(strand, line));
        ++passed;
      } catch (const CommError&) {  // stopped at the end of the test
      }
    });
  }
  bool held(int count) {
    return eventually([&] { return told.in(State::held) == count; });
  }
  bool passes(int count) {
    return eventually([&] { return passed == count; });
  }
  ~Fixture() {
    gate.stop();
    for (auto& thread : threads) thread.join();
  }
};

const Breakpoint kLine7{"", 7, "", -1};

}  // namespace

TEST_CASE("a permit is for one operation, whichever strand comes first", "[run][step]") {
  Fixture f;
  f.gate.set({.closed = true, .number = 1});
  f.arrive(1);
  f.arrive(2);
  REQUIRE(f.held(2));
  f.gate.permit(point_at(2).op);
  CHECK(f.passes(1));
  CHECK(f.told.stamp() == GateStamp{1, 1});
  CHECK(f.told.places().at(1).state == State::held);
  CHECK(f.told.places().at(2).state == State::running);
  f.gate.permit(point_at(1).op);
  CHECK(f.passes(2));
}

TEST_CASE("a hit is judged anew when breakpoints change before anybody knows of it",
          "[run][step]") {
  Fixture f;
  f.gate.set({.breakpoints = {kLine7}, .number = 5, .opened = 5});
  f.arrive(1, 7);
  REQUIRE(f.held(1));
  CHECK(f.told.places().at(1).hit);
  f.arrive(2, 8);  // the hit has closed the gate
  REQUIRE(f.held(2));
  CHECK_FALSE(f.told.places().at(2).hit);
  SECTION("the breakpoint is still there: the hit is told again, as of the new orders") {
    f.gate.set({.breakpoints = {{"", 9, "", -1}, kLine7}, .number = 6, .opened = 5});
    CHECK(f.told.stamp().orders == 6);
    CHECK(f.told.places().at(1).hit);
    CHECK(f.told.in(State::held) == 2);
    CHECK(f.passed == 0);
  }
  SECTION("it is gone: all go on") {
    f.gate.set({.breakpoints = {{"", 9, "", -1}}, .number = 6, .opened = 5});
    CHECK(f.passes(2));
  }
  SECTION("the user lets the run go: nobody is stopped again where he stands") {
    f.gate.set({.closed = true, .breakpoints = {kLine7}, .number = 6, .opened = 5});
    CHECK(f.told.places().at(1).hit);
    f.gate.set({.breakpoints = {kLine7}, .number = 7, .opened = 7});
    CHECK(f.passes(2));
    f.arrive(1, 7);
    CHECK(f.held(1));
  }
}

TEST_CASE("a gate tells of strands that begin, sleep, wake, await each other and end",
          "[run][step]") {
  LastReport told;
  StepGate gate(0, &told);
  gate.strand_begins(1);
  gate.blocked(point_at(1));
  CHECK(told.count() == 0);  // nobody asks while the gate is open
  gate.set({.closed = true, .number = 1});
  CHECK(told.places().size() == 2);
  CHECK(told.places().at(0).state == State::running);
  CHECK(told.places().at(1).state == State::blocked);

  gate.awaits_strand(point_at(0), 1);
  CHECK(told.places().at(0).state == State::blocked);
  CHECK(told.places().at(0).awaits == 1);
  Operation op(nullptr, nullptr);
  op.where.strand = 1;
  gate.received(op);
  gate.woke(1);
  CHECK(told.received() == 1);
  CHECK(told.places().at(1).state == State::running);
  gate.strand_ends(1);  // the strand that awaited it runs in the same report
  CHECK(told.places().size() == 1);
  CHECK(told.places().at(0).state == State::running);
  gate.awaits_strand(point_at(0), 1);  // it has ended: no reason to sleep
  CHECK(told.in(State::blocked) == 0);
  CHECK(told.received() == 1);
}

TEST_CASE("a delay that is shortened ends at once for who sits it out", "[run][step]") {
  Fixture f;
  f.gate.set({.delay_us = 3600e6});
  f.arrive(1);
  f.gate.set({.delay_us = 1800e6});
  f.gate.set({.delay_us = 0});
  CHECK(f.passes(1));
}
