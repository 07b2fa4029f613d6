// Delta debugging, against random failures of which it is known what they need.
#include "engine/explore/shorten.h"

#include <random>
#include <set>

#include "tests/support/catch.h"

namespace rankscope::explore {
namespace {

std::vector<int> numbers(int count) {
  std::vector<int> out;
  for (int k = 0; k < count; ++k) out.push_back(k);
  return out;
}

TEST_CASE("shorten: what is needed is found, and nothing else") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const int count = std::uniform_int_distribution(1, 60)(random);
    std::set<int> needed;
    const int few = std::uniform_int_distribution(1, std::min(count, 5))(random);
    while (static_cast<int>(needed.size()) < few)
      needed.insert(std::uniform_int_distribution(0, count - 1)(random));
    const auto out = shorten<int>(
        numbers(count),
        [&](const std::vector<int>& part) {
          return std::ranges::all_of(needed,
                                     [&](int one) { return std::ranges::count(part, one); });
        },
        100'000);
    INFO("round " << round);
    CHECK(out.minimal);
    CHECK(out.kept == std::vector<int>(needed.begin(), needed.end()));
  }
}

// Failures that need one of several sets, or are spoiled by others: what is kept still fails, and no single
// thing can be left out.
TEST_CASE("shorten: whatever the failure, what is kept fails and is minimal") {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const int count = std::uniform_int_distribution(1, 30)(random);
    const auto salt = random();
    const auto all = numbers(count);
    const auto fails = [&](const std::vector<int>& part) {
      if (part.size() == all.size()) return true;
      std::uint64_t sum = salt;
      for (const int one : part) sum = (sum ^ static_cast<std::uint64_t>(one + 1)) * 0x100000001b3;
      return (sum >> 7) % 3 == 0;
    };
    const auto out = shorten<int>(all, fails, 100'000);
    INFO("round " << round);
    CHECK(out.minimal);
    CHECK(fails(out.kept));
    CHECK(std::ranges::is_sorted(out.kept));
    for (std::size_t k = 0; out.kept.size() > 1 && k < out.kept.size(); ++k) {
      auto less = out.kept;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
      CHECK_FALSE(fails(less));
    }
  }
}

TEST_CASE("shorten: the number of tests is kept to, and what it has then fails") {
  for (int most = 0; most < 40; ++most) {
    int asked = 0;
    const auto needs_odd = [&](const std::vector<int>& part) {
      ++asked;
      int odd = 0;
      for (const int one : part) odd += one % 2;
      return odd == 20;
    };
    const auto out = shorten<int>(numbers(40), needs_odd, most);
    CHECK(asked <= most);
    CHECK(out.tests == asked);
    CHECK(needs_odd(out.kept));
  }
}

TEST_CASE("shorten: a failure that needs nothing is told as such") {
  const auto out = shorten<int>(
      numbers(10), [](const auto&) { return true; }, 5);
  CHECK(out.kept.empty());
  CHECK(out.minimal);
  CHECK(out.tests == 1);
}

}  // namespace
}  // namespace rankscope::explore
