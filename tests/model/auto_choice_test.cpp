// Fitting and applying the rules of automatic algorithm choice.
#include "engine/model/auto_choice.h"

#include "tests/support/catch.h"

using namespace rankscope;

namespace {

// A tree that is good up to 64 KiB and a ring that is good beyond.
std::vector<ChoiceSample> two_algorithms(int np, double noise_at_1k = 1) {
  std::vector<ChoiceSample> samples;
  for (std::uint64_t bytes = 8; bytes <= (64u << 20); bytes *= 2) {
    const auto size = static_cast<double>(bytes);
    const double tree = 100 + size * 0.006, ring = 500 + size * 0.0001;
    samples.push_back({"allreduce", "ipc", "allreduce.tree", np, bytes,
                       tree * (bytes == 1024 ? noise_at_1k : 1)});
    samples.push_back({"allreduce", "ipc", "allreduce.ring", np, bytes, ring});
  }
  return samples;
}

}  // namespace

TEST_CASE("a fit finds where one algorithm overtakes the other", "[model]") {
  const auto table = ChoiceTable::fit(two_algorithms(8));
  REQUIRE(table.rules().size() == 2);
  CHECK(table.choose("allreduce", "ipc", 8, 8) == "allreduce.tree");
  CHECK(table.choose("allreduce", "ipc", 8, 32u << 10) == "allreduce.tree");
  CHECK(table.choose("allreduce", "ipc", 8, 256u << 10) == "allreduce.ring");
  CHECK(table.choose("allreduce", "ipc", 8, std::uint64_t{1} << 40) == "allreduce.ring");
  CHECK(judge_choice(table, two_algorithms(8)).share() == 1);
}

TEST_CASE("one disturbed measurement makes no rule", "[model]") {
  CHECK(ChoiceTable::fit(two_algorithms(8, 5.5)).rules().size() == 2);
}

TEST_CASE("unknown numbers of ranks take the nearest, unknown transports ipc's", "[model]") {
  ChoiceTable table({{"allreduce", "ipc", 2, ChoiceRule::kNoLimit, "allreduce.bde"},
                     {"allreduce", "ipc", 8, ChoiceRule::kNoLimit, "allreduce.ring"}});
  CHECK(table.choose("allreduce", "ipc", 3, 1) == "allreduce.bde");
  CHECK(table.choose("allreduce", "ipc", 6, 1) == "allreduce.ring");
  CHECK(table.choose("allreduce", "ipc", 64, 1) == "allreduce.ring");
  CHECK(table.choose("allreduce", "inproc", 2, 1) == "allreduce.bde");
  CHECK(table.choose("gather", "ipc", 2, 1).empty());
  table.merge(ChoiceTable({{"allreduce", "ipc", 2, ChoiceRule::kNoLimit, "allreduce.flat"}}));
  CHECK(table.choose("allreduce", "ipc", 2, 1) == "allreduce.flat");
  CHECK(table.choose("allreduce", "ipc", 8, 1) == "allreduce.ring");
}

TEST_CASE("a choice is judged by its distance to the best", "[model]") {
  const ChoiceTable always_tree({{"allreduce", "ipc", 8, ChoiceRule::kNoLimit, "allreduce.tree"}});
  const auto quality = judge_choice(always_tree, two_algorithms(8));
  CHECK(quality.points == 24);
  CHECK(quality.within < quality.points);
  CHECK(quality.worst > 10);
}
