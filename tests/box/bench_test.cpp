// What a box costs. Prints; asserts no time.
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/box/boxes.h"
#include "tests/support/catch.h"

namespace rankscope::test {
namespace {

double seconds_of(const BoxSupport& support, const BoxSpec& spec, std::size_t boxes) {
  const auto start = std::chrono::steady_clock::now();
  BoxGroup group(support, small_limits());
  group.start(std::vector<BoxSpec>(boxes, spec));
  REQUIRE(group.wait(test::kWaitLimit));
  const auto end = std::chrono::steady_clock::now();
  for (const auto& box : group.outcome().boxes) REQUIRE(box.exit_code == 0);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

TEST_CASE("what starting and ending boxes takes", "[.bench]") {
  if (boxes_are_missing()) return;
  const auto plain = box_support({.no_sandbox = true, .bwrap = {}});
  auto nothing = attack("good"), python = attack("good");
  nothing.argv = {"/bin/true"};
  python.argv = {"/usr/bin/python3", "-S", "-c", "pass"};
  for (const auto& [name, spec] : {std::pair{"/bin/true", nothing}, {"python3 -S -c pass", python}})
    for (const std::size_t count : {1, 2, 4, 8}) {
      double boxed = 1e9, without = 1e9, worst = 0;
      for (int i = 0; i < 10; ++i) {
        const double now = seconds_of(boxes(), spec, count);
        boxed = std::min(boxed, now);
        worst = std::max(worst, now);
        without = std::min(without, seconds_of(plain, spec, count));
      }
      fmt::print("{:20} {} boxes: {:6.1f} ms (worst of ten {:6.1f}); without boxes {:6.1f} ms\n",
                 name, count, boxed * 1e3, worst * 1e3, without * 1e3);
    }
}

}  // namespace rankscope::test
