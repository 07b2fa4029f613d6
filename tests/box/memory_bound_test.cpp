// What processes can have of memory since it was measured.
#include <chrono>
#include <cstdint>
#include <vector>

#include "engine/box/process_view.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLoaded = 100 << 20;

// Both share all that was loaded.
std::vector<ProcessMemory> two_forks() {
  return {{.pid = 7, .started = 1, .anonymous = kLoaded, .faults = 500, .bytes_per_fault = kPage},
          {.pid = 3, .started = 1, .anonymous = kLoaded, .faults = 20, .bytes_per_fault = kPage}};
}

MeasuredMemory measured_as(std::uint64_t anonymous) {
  const MemoryUse use{.anonymous = anonymous, .shared = 0};
  return {.exact = use, .had = two_forks(), .at_most = use};
}

TEST_CASE("memory that was measured is bounded by what each process got since") {
  const auto now = MemoryBound::Clock::now();
  MemoryBound bound;
  CHECK(bound.at_most(two_forks(), now).anonymous == 2 * kLoaded);  // not measured yet
  bound.record(measured_as(kLoaded), now);
  CHECK(bound.at_most(two_forks(), now).anonymous == kLoaded);

  auto later = two_forks();
  SECTION("a new page is in its sum") {
    later[0].anonymous += 10 * kPage;
    CHECK(bound.at_most(later, now).anonymous == kLoaded + 10 * kPage);
  }
  SECTION("a copied page is a fault alone") {
    later[1].faults += 10;
    CHECK(bound.at_most(later, now).anonymous == kLoaded + 10 * kPage);
  }
  SECTION("where a fault may be a huge page, the plain sum is soon the smaller of the two") {
    for (auto& process : later) {
      process.bytes_per_fault = 512 * kPage;
      process.faults += 40;
    }
    CHECK(bound.at_most(later, now).anonymous == 2 * kLoaded);
  }
  SECTION("a new process counts in full, also with a number that was another's") {
    later.push_back({.pid = 9, .started = 2, .anonymous = 1000, .shared = 50});
    CHECK(bound.at_most(later, now).anonymous == kLoaded + 1000);
    CHECK(bound.at_most(later, now).shared == 50);
    later[0].started = 2;
    CHECK(bound.at_most(later, now).anonymous == 2 * kLoaded + 1000);
  }
  SECTION("what has ended takes nothing away: its pages may be another's") {
    later.pop_back();
    CHECK(bound.at_most(later, now).anonymous == kLoaded);
  }
  SECTION("a measurement that was disturbed is not kept") {
    auto disturbed = measured_as(kPage);
    disturbed.at_most.reset();
    bound.record(disturbed, now);
    CHECK(bound.at_most(later, now).anonymous == kLoaded);
  }
  SECTION("an old measurement says nothing") {
    CHECK(bound.at_most(later, now + std::chrono::seconds(3)).anonymous == 2 * kLoaded);
  }
}

}  // namespace
}  // namespace rankscope
