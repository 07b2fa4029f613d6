// The figures of a race's runs, their progress, and their first difference.
#include "engine/analysis/race.h"

#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;

namespace {

TraceAnalysis race_run(const std::string& name, int ranks, Count count) {
  return TraceAnalysis(test::trace_of_job(name, ranks, count));
}

RaceFigures figures(std::string name, int rounds, std::uint64_t bytes) {
  return {std::move(name), rounds, 10, bytes, 64, 1000};
}

}  // namespace

TEST_CASE("race: figures are those of the closed forms", "[analysis]") {
  const RaceFigures ring = race_figures(race_run("allreduce.ring", 8, 16));
  CHECK(ring.name == "ring");
  CHECK(ring.rounds == 14);
  CHECK(ring.data == 128);
  CHECK(ring.bytes == 224);  // 2 D (P - 1) / P
  CHECK(ring.messages == 112);
  const RaceFigures bde = race_figures(race_run("allreduce.bde", 8, 16));
  CHECK(bde.rounds == 3);
  CHECK(bde.bytes == 3 * 128);
}

TEST_CASE("race: the verdict says who is ahead with short and with long vectors", "[analysis]") {
  const std::string text = race_verdict({figures("ring", 14, 112), figures("bde", 3, 192)});
  CHECK_THAT(text, ContainsSubstring("Rounds: ring 14, bde 3."));
  CHECK_THAT(text, ContainsSubstring("ring 1.75 D, bde 3 D (D = 64 B)"));
  CHECK_THAT(text, ContainsSubstring("rounds decide, and bde is ahead"));
  CHECK_THAT(text, ContainsSubstring("bytes do, and ring is"));
  // 14 alpha + 1.75 D beta = 3 alpha + 3 D beta: 1.25 D / 11 take as long as alpha.
  CHECK_THAT(text, ContainsSubstring("even where 0.11 D take"));
}

TEST_CASE("race: one that needs less of both is ahead with every length", "[analysis]") {
  const std::string text = race_verdict({figures("flat", 7, 448), figures("tree", 3, 192)});
  CHECK_THAT(text, ContainsSubstring("tree has the fewest rounds and the fewest bytes"));
  const std::string equal = race_verdict({figures("a", 3, 192), figures("b", 3, 192)});
  CHECK_THAT(equal, ContainsSubstring("Nobody needs fewer rounds or fewer bytes"));
  CHECK(race_verdict({figures("a", 3, 192)}).empty());
}

TEST_CASE("race: the first round in which other peers or amounts are sent", "[analysis]") {
  const auto ring = race_run("allreduce.ring", 4, 16), bde = race_run("allreduce.bde", 4, 16);
  const auto amount = first_round_difference(ring, bde);
  REQUIRE(amount);
  CHECK(amount->round == 1);
  CHECK(amount->rank == 0);
  CHECK(amount->amount);  // both to rank 1: a chunk, or all of it
  CHECK_THAT(amount->words,
             ContainsSubstring("rank 0 sends 32 B to rank 1 in ring, and sends 128 B to "
                               "rank 1 in bde. The same peer, another amount."));
  const auto tree = race_run("broadcast.binomial", 8, 16), flat = race_run("broadcast.flat", 8, 16);
  const auto peers = first_round_difference(tree, flat);
  REQUIRE(peers);
  CHECK_FALSE(peers->amount);
  CHECK_FALSE(first_round_difference(ring, race_run("allreduce.ring", 4, 16)));
  CHECK_FALSE(first_round_difference(tree, tree));
}

TEST_CASE("race: counters begin at nothing and end at the figures", "[analysis]") {
  const auto ring = race_run("allreduce.ring", 4, 16);
  const RaceCounter counter(ring);
  const RaceFigures all = race_figures(ring);
  CHECK(counter.at_round(0).messages == 0);
  const RaceCount half = counter.at_round(3.5);
  CHECK(half.rounds == 3);
  CHECK(half.messages == 12);
  CHECK(half.bytes == all.bytes / 2);
  for (const RaceCount& end :
       {counter.at_round(counter.rounds()), counter.at_time(counter.duration_us() + 1)}) {
    CHECK(end.rounds == all.rounds);
    CHECK(end.messages == all.messages);
    CHECK(end.bytes == all.bytes);
    CHECK(end.time_ns == all.duration_ns);
  }
  CHECK(counter.at_time(0).messages == 0);
  CHECK(counter.round_at(0) < 1);
  CHECK(counter.round_at(counter.duration_us() + 1) > all.rounds);
}
