// Pieces of work on two threads: each is done once, progress ends at 1, and what is thrown or stopped ends it.
#include "engine/core/trace/two_threads.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

TEST_CASE("each piece is done once, and progress goes from 0 to 1", "[core][trace]") {
  for (const std::size_t count : {0, 1, 3, 4, 500}) {
    std::vector<std::atomic<int>> times(count);
    std::vector<double> shares;
    on_two_threads(
        count, count >= 4, [&](int, std::size_t i) { ++times[i]; },
        [&](double share) {
          shares.push_back(share);
          return true;
        });
    for (const auto& one : times) CHECK(one == 1);
    CHECK(shares.empty() == (count == 0));
    if (shares.empty()) continue;
    CHECK(shares.front() == 0);
    CHECK(shares.back() == 1);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
  }
}

TEST_CASE("one thread does all where a second is not worth it", "[core][trace]") {
  on_two_threads(3, false, [](int thread, std::size_t) { CHECK(thread == 0); });
}

TEST_CASE("work that throws, or progress that says no, ends the rest", "[core][trace]") {
  std::atomic<int> done{0};
  const auto fails_at_10 = [&](int, std::size_t i) {
    if (i == 10) throw std::runtime_error("piece 10");
    ++done;
  };
  CHECK_THROWS_WITH(on_two_threads(100'000'000, true, fails_at_10), "piece 10");
  CHECK(done < 50'000'000);
  done = 0;
  CHECK_THROWS_AS(
      on_two_threads(
          100'000'000, true, [&](int, std::size_t) { ++done; }, [](double) { return false; }),
      UserError);
  CHECK(done == 0);
  const auto until_begun = [](double share) { return share < 1e-6; };
  CHECK_THROWS_AS(on_two_threads(
                      100'000'000, true, [&](int, std::size_t) { ++done; }, until_begun),
                  UserError);
  CHECK(done > 0);
  CHECK(done < 50'000'000);
}

TEST_CASE("what the other thread throws reaches the caller", "[core][trace]") {
  std::atomic<bool> thrown{false};
  const auto fails_there = [&](int thread, std::size_t) {
    if (thread == 0) {
      while (!thrown) std::this_thread::yield();  // else this thread might take all pieces
      return;
    }
    thrown = true;
    throw std::runtime_error("there");
  };
  CHECK_THROWS_WITH(on_two_threads(100, true, fails_there), "there");
}

}  // namespace
}  // namespace rankscope
