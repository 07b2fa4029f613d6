// The same algorithms on SimGrid's SMPI: finish times within 0.5 %.
#include <cmath>

#include <fmt/format.h>

#include "engine/run/profile/smpi_peer.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

void compare(std::initializer_list<int> all_ranks, const std::vector<std::uint64_t>& sizes) {
  if (const std::string missing = what_smpi_lacks(); !missing.empty()) {
    WARN("left out: " << missing);
    return;
  }
  for (const int ranks : all_ranks) {
    const auto compared = compare_with_smpi(ranks, sizes, Deadline::in(std::chrono::minutes(10)));
    CHECK(compared.size() == 5 * sizes.size() * smpi_algorithms(ranks).size());
    for (const SmpiDeviation& one : compared) {
      INFO(fmt::format("{} of {} bytes on {} ranks of {}: SMPI {:.9g} s, here {:.9g} s ({:+.3f} %)",
                       one.one.algorithm, one.one.bytes, ranks, one.platform, one.smpi_s,
                       one.ours_s, 100 * one.part()));
      CHECK(std::abs(one.part()) < 0.005);
    }
  }
}

}  // namespace

TEST_CASE("simulated times are those of SimGrid's SMPI on four and six ranks", "[smpi]") {
  compare({4, 6}, {16 << 10, 1 << 20});
}

TEST_CASE("simulated times are those of SimGrid's SMPI", "[smpi][full][slow]") {
  compare({2, 3, 4, 8, 12, 16, 32, 64}, {1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20});
}
