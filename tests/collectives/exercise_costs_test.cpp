// Exercises whose results are right but cost too much, and one that reads too early.
#include <algorithm>
#include <map>

#include "engine/run/conductor/process_runner.h"
#include "tests/collectives/counting.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

Traffic traffic(std::string_view algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {count};
  CollectingSink sink;
  REQUIRE(InprocRunner().run(spec, sink).ok());
  return traffic_of(sink.take(), ranks);
}

}  // namespace

TEST_CASE("the wasteful exercises cost what is said of them", "[collectives][exercises]") {
  constexpr std::uint64_t kD = 16 * 4;  // 16 elements of 4 bytes on 4 ranks
  CHECK(traffic("allreduce.ring", 4, 16).busiest_bytes == kD * 6 / 4);
  CHECK(traffic("exercise.ring_d", 4, 16).busiest_bytes == kD * 3);

  CHECK(traffic("allgather.ring", 4, 16).busiest_bytes == kD * 3);
  CHECK(traffic("exercise.allgather_b", 4, 16).busiest_bytes == kD * 4 * 3);

  CHECK(traffic("allreduce.hierarchical", 4, 16).messages.size() == 6);
  CHECK(traffic("exercise.hierarchical_b", 4, 16).messages.size() == 8);

  CHECK(traffic("allreduce.bucketed", 4, 16).rounds == 6);  // of each strand
  CHECK(traffic("exercise.bucket_b", 4, 16).rounds == 24);

  const Traffic tree = traffic("allreduce.tree", 8, 16), flat = traffic("exercise.tree_b", 8, 16);
  CHECK(tree.messages.size() == flat.messages.size());
  CHECK(tree.rounds == 6);
  CHECK(flat.rounds == 14);
}

// Not only the result: the trace shows that each rank's copy lies before what its strand does.
TEST_CASE("exercise.async_a reads before anything was sent", "[collectives][exercises]") {
  JobSpec spec;
  spec.call.algorithm = "exercise.async_a";
  CollectingSink sink;
  InprocRunner().run(spec, sink);
  std::map<int, std::int64_t> first_send, last_copy;
  for (const auto& batch : sink.take())
    for (const auto& event : batch.events) {
      if (event.verb == Verb::send && event.kind == EventKind::posted) {
        const auto at = first_send.try_emplace(event.rank, event.time_ns).first;
        at->second = std::min(at->second, event.time_ns);
      }
      if (event.verb == Verb::copy && event.strand == 0)
        last_copy[event.rank] = std::max(last_copy[event.rank], event.time_ns);
    }
  REQUIRE(last_copy.size() == static_cast<std::size_t>(spec.world.size));
  for (const auto& [rank, copied] : last_copy) {
    INFO("rank " << rank);
    REQUIRE(first_send.contains(rank));
    CHECK(copied < first_send.at(rank));
  }
}
