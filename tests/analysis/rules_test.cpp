// Each rule is kept by the algorithm that it describes, and broken by another one that gives the same
// result, with the place at which the two part.
#include "engine/analysis/rules/rules.h"

#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/partition.h"
#include "tests/analysis/rule_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;

TEST_CASE("Rules: names are read as they are written", "[rules]") {
  const auto names = rule_kind_names();
  CHECK(names.size() == kRuleKinds);
  for (const auto& name : names) CHECK(to_string(parse_rule_kind(name).value()) == name);
  CHECK_FALSE(parse_rule_kind("rings"));
}

TEST_CASE("Rules: the homework's ring", "[rules]") {
  using enum Rule::Direction;
  for (const int n : {1, 2, 3, 4, 5, 8})
    for (const Count count : {Count{4} * n, Count{4} * n + 3, Count{1}}) {
      INFO(n << " ranks, " << count << " elements");
      const Run run = run_of("allreduce.ring", n, count, true);
      CHECK(says(run, ring(left, 2 * (n - 1))) == "");
      CHECK(says(run, rule(Kind::size)) == "");
      CHECK(says(run, order(left)) == "");
      CHECK(says(run, exactly(Kind::messages, 2 * n * (n - 1))) == "");
      CHECK(says(run, at_most(Kind::rounds, 2 * (n - 1))) == "");
      CHECK(says(run, at_most(Kind::bytes,
                              static_cast<double>(8 * (n - 1) * ((count + n - 1) / n)))) == "");
    }
}

TEST_CASE("Rules: a ring to the right is none to the left, and has another order", "[rules]") {
  using enum Rule::Direction;
  const Run run = run_of("allreduce.ring", 4, 8);
  CHECK(says(run, ring(right)) == "");
  CHECK(says(run, ring(either)) == "");
  CHECK(says(run, order(right)) == "");
  CHECK(says(run, ring(left)) ==
        "step 1: rank 0 sent to rank 1, its right neighbour, where rank 3 was expected");
  CHECK(says(run, order(left)) == "step 1: rank 0 sent chunk 0, where chunk 3 was expected");
  const RuleResult result = check(run, ring(left));
  CHECK(result.rank == 0);
  CHECK(result.site.starts_with("allreduce_ring.cpp:"));
  const Run flat = run_of("allreduce.flat", 4, 8);
  CHECK(says(flat, ring(either)) ==
        "step 1: rank 1 sent to rank 0, its left neighbour, where rank 2 was expected");
  // Both are neighbours of rank 0, on different sides.
  CHECK_FALSE(check(run_of("allreduce.flat", 3, 6), ring(either)).kept);
}

TEST_CASE("Rules: whole tensors where chunks were expected", "[rules]") {
  const Run run = run_of("allreduce.bde", 4, 8);
  CHECK(says(run, whole()) == "");
  CHECK(
      says(run, rule(Kind::size)) ==
      "step 1: rank 0 sent the whole tensor, 4 chunks, to rank 1, where one chunk (2 elements) was "
      "expected");
  CHECK(says(run_of("allreduce.ring", 4, 8), whole()) ==
        "step 1: rank 0 sent 2 of 8 elements to rank 1, where the whole tensor was expected");
  CHECK(says(run_of("allreduce.rabenseifner", 4, 8), rule(Kind::size)) ==
        "step 1: rank 0 sent 2 chunks, to rank 2, where one chunk (2 elements) was expected");
}

TEST_CASE("Rules: exchange with XOR partners, also of numbers that are no power of two",
          "[rules]") {
  for (int n = 1; n <= 17; ++n) {
    INFO(n << " ranks");
    const Run run = run_of("allreduce.bde", n, 6);
    const int log = floor_log2(n);
    CHECK(says(run, rule(Kind::xor_partners)) == "");
    CHECK(says(run, at_most(Kind::bytes, (log + (is_power_of_two(n) ? 0 : 1)) * 24.0)) == "");
    CHECK(says(run, at_most(Kind::rounds, log + (is_power_of_two(n) ? 0 : 2))) == "");
  }
  CHECK(says(run_of("exercise.bde_a", 6, 4), rule(Kind::xor_partners)) ==
        "6 ranks are no power of two: before the exchange 2 of them have to hand their data to a "
        "partner, and to wait for the result");
  CHECK(says(run_of("exercise.bde_a", 3, 4), rule(Kind::xor_partners)) ==
        "3 ranks are no power of two: before the exchange 1 of them has to hand its data to a "
        "partner, "
        "and to wait for the result");
  CHECK(says(run_of("exercise.bde_a", 8, 4), rule(Kind::xor_partners)) == "");
  CHECK(says(run_of("allreduce.tree", 4, 4), rule(Kind::xor_partners)) ==
        "step 1: rank 0 sent to rank 2, where rank 1 was expected (at distance 1)");
  CHECK(says(run_of("allreduce.flat", 3, 4), rule(Kind::xor_partners)) ==
        "step 1: rank 0 answered rank 1 before its exchange with others was over");
}

TEST_CASE("Rules: any tree, and the homework's", "[rules]") {
  using enum Rule::Tree;
  for (int n = 1; n <= 17; ++n) {
    INFO(n << " ranks");
    for (const char* name : {"allreduce.tree", "allreduce.mst", "allreduce.reduce_broadcast"}) {
      INFO(name);
      const Run run = run_of(name, n, 4);
      CHECK(says(run, tree(any)) == "");
      CHECK(says(run, exactly(Kind::messages, 2 * (n - 1))) == "");
      CHECK(says(run, at_most(Kind::rounds, 2 * ceil_log2(n))) == "");
    }
    CHECK(says(run_of("allreduce.tree", n, 4), tree(homework)) == "");
  }
  const Run flat = run_of("allreduce.flat", 8, 4);
  CHECK(says(flat, tree(any)) == "");  // of one level
  CHECK(says(flat, rule(Kind::star)) == "");
  CHECK(
      says(flat, at_most(Kind::rounds, 6)) ==
      "the run takes 14 rounds, where at most 6 were expected: in round 7 rank 7 sends to rank 0");
  CHECK(says(flat, tree(homework)) == "step 3: rank 3 sent to rank 0, where rank 2 was expected");
  CHECK(says(run_of("allreduce.mst", 4, 4), tree(homework)) ==
        "step 1: rank 2 sent to rank 3, where rank 0 was expected");
  CHECK(says(run_of("allreduce.tree", 4, 4), rule(Kind::star)) ==
        "step 1: rank 3 sent to rank 2, where every message goes to rank 0 or comes from it");
  CHECK_FALSE(check(run_of("allreduce.ring", 4, 8), tree(any)).kept);
  CHECK_FALSE(check(run_of("allreduce.bde", 4, 8), tree(any)).kept);
}

TEST_CASE("Rules: a rank that sends before it has heard from its children", "[rules]") {
  MadeUpRun run = made_up(4);  // rank 2 does not wait for rank 3
  run.message(1, 0, 10, 20);
  run.message(2, 0, 30, 40);
  run.message(3, 2, 50, 60);
  run.message(0, 1, 70, 80);
  run.message(0, 2, 90, 100);
  run.message(2, 3, 110, 120);
  ExerciseCase asked = asked_of(4, 16);
  const RuleResult early = check_rule(TraceAnalysis(run.trace()), tree(Rule::Tree::any), asked);
  CHECK_FALSE(early.kept);
  CHECK(early.says == "step 2: rank 2 sent to rank 0 before it had heard from rank 3");

  MadeUpRun other = made_up(3);  // the sum is at rank 0, and rank 1 begins the broadcast
  other.message(1, 0, 10, 20);
  other.message(2, 0, 30, 40);
  other.message(1, 0, 50, 60);
  other.message(1, 2, 70, 80);
  asked.ranks = 3;
  const RuleResult wrong = check_rule(TraceAnalysis(other.trace()), tree(Rule::Tree::any), asked);
  CHECK(wrong.says == "step 3: rank 1 sent to rank 0, which has the sum already");
  CHECK(wrong.rank == 1);
}

TEST_CASE("Rules: numbers of messages", "[rules]") {
  const Run flat = run_of("allreduce.flat", 4, 8);
  CHECK(says(flat, exactly(Kind::messages, 6)) == "");
  CHECK(says(flat, at_most(Kind::messages, 6)) == "");
  CHECK(says(flat, at_most(Kind::sends, 3)) == "");
  const Run ring = run_of("allreduce.ring", 4, 8);
  CHECK(says(ring, exactly(Kind::messages, 6)) ==
        "24 messages were sent in all, where 6 were expected; rank 0 sent 6 of them");
  CHECK(says(ring, exactly(Kind::messages, 30)) ==
        "24 messages were sent in all, where 30 were expected");
  CHECK(says(ring, exactly(Kind::sends, 6)) == "");
  CHECK(says(flat, exactly(Kind::sends, 1)) == "rank 0 sent 3 messages, where 1 was expected");
  CHECK(says(flat, at_most(Kind::bytes, 48)) ==
        "rank 0 sent 96 bytes in 3 messages, where at most 48 were expected");
}

TEST_CASE("Rules: each pair of ranks once", "[rules]") {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    INFO(n << " ranks");
    CHECK(says(run_of("alltoall.pairwise", n, 2 * n), rule(Kind::pairs)) == "");
    CHECK(says(run_of("alltoall.linear", n, 2 * n), rule(Kind::pairs)) == "");
    CHECK(says(run_of("reduce_scatter.direct", n, 2 * n), rule(Kind::pairs)) == "");
  }
  CHECK_FALSE(check(run_of("alltoall.bruck", 8, 16), rule(Kind::pairs)).kept);
  const Run gather = run_of("allreduce.flat", 3, 4);
  CHECK(says(gather, rule(Kind::pairs)) == "rank 1 never sent to rank 2");
}

TEST_CASE("Rules: nobody gets a message twice", "[rules]") {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    INFO(n << " ranks");
    CHECK(says(run_of("broadcast.flat", n, 4), rule(Kind::once)) == "");
    CHECK(says(run_of("broadcast.binomial", n, 4), rule(Kind::once)) == "");
  }
  CHECK(says(run_of("broadcast.flat", 4, 4), rule(Kind::chain)) ==
        "step 1: rank 1 sent to rank 0, where each rank sends to the next one only");
  CHECK(says(run_of("exercise.broadcast_a", 4, 4), rule(Kind::once)) ==
        "step 1: rank 3 sent to rank 0, where the data comes from");
  CHECK_FALSE(check(run_of("broadcast.scatter_allgather", 4, 8), rule(Kind::once)).kept);
  CHECK(says(run_of("allreduce.ring", 1, 8), rule(Kind::once)) == "");
}

TEST_CASE("Rules: passed on from rank to rank", "[rules]") {
  MadeUpRun run = made_up(3);
  run.message(0, 1, 10, 20);
  run.message(1, 2, 30, 40);
  const ExerciseCase asked = asked_of(3, 16);
  CHECK(check_rule(TraceAnalysis(run.trace()), rule(Kind::chain), asked).kept);
  run.message(2, 0, 50, 60);
  CHECK(check_rule(TraceAnalysis(run.trace()), rule(Kind::chain), asked).says ==
        "step 3: rank 2 sent to rank 0, where each rank sends to the next one only");
  MadeUpRun early = made_up(3);
  early.message(1, 2, 10, 20);
  early.message(0, 1, 30, 40);
  CHECK(check_rule(TraceAnalysis(early.trace()), rule(Kind::chain), asked).says ==
        "step 1: rank 1 sent to rank 2 before it had the data itself");
  MadeUpRun short_one = made_up(3);
  short_one.message(0, 1, 10, 20);
  const RuleResult missing = check_rule(TraceAnalysis(short_one.trace()), rule(Kind::chain), asked);
  CHECK(missing.says == "no message went to rank 2");
  CHECK(missing.event == kNoEvent);
}

TEST_CASE("Rules: nobody else takes part", "[rules]") {
  MadeUpRun run = made_up(4);
  run.message(2, 1, 10, 20);
  const ExerciseCase asked{{.ranks = 4, .root = 2}};
  CHECK(check_rule(TraceAnalysis(run.trace()), rule(Kind::participants), asked).kept);
  MadeUpRun untaken = made_up(4);
  untaken.post(Verb::send, 2, 1, 10);
  CHECK(check_rule(TraceAnalysis(untaken.trace()), rule(Kind::participants), asked).says ==
        "rank 1 does not receive what rank 2 sends to it");
  run.post(Verb::recv, 3, 0, 30);
  const RuleResult waits = check_rule(TraceAnalysis(run.trace()), rule(Kind::participants), asked);
  CHECK(waits.says == "rank 3 waits for a message, where only rank 1 receives");
  CHECK(waits.rank == 3);
  run.message(0, 3, 40, 50);
  CHECK(check_rule(TraceAnalysis(run.trace()), rule(Kind::participants), asked).says ==
        "rank 0 sent to rank 3, where only rank 2 sends, to rank 1");
}

TEST_CASE("Rules: who sends nothing keeps none, and who sends to itself neither", "[rules]") {
  MadeUpRun nothing = made_up(2);
  const ExerciseCase asked = asked_of(2, 16);
  for (const auto& name : rule_kind_names()) {
    INFO(name);
    const auto kind = parse_rule_kind(name).value();
    const RuleResult result = check_rule(TraceAnalysis(nothing.trace()), at_most(kind, 100), asked);
    CHECK(result.kept == (kind == Kind::no_built_in));
    const bool of_calls = kind == Kind::built_in_calls || kind == Kind::under_way;
    if (!result.kept && !of_calls) CHECK(result.says == "no rank sent a message");
  }
  MadeUpRun self = made_up(2);
  self.message(0, 0, 10, 20);
  CHECK(check_rule(TraceAnalysis(self.trace()), rule(Kind::pairs), asked).says ==
        "rank 0 sent a message to itself");
}

TEST_CASE("Rules: programs with a fault, and what names it", "[rules]") {
  using enum Rule::Direction;
  const auto said = [](const char* program, int ranks, const Rule& rule) {
    INFO(program);
    return says(run_of(program, ranks, 4 * ranks), rule);
  };
  // Whole tensors around the ring, and a ring whose neighbours change with the step.
  CHECK(said("exercise.ring_b", 4, ring(right)) == "");
  CHECK(
      said("exercise.ring_b", 4, rule(Kind::size)) ==
      "step 1: rank 0 sent the whole tensor, 4 chunks, to rank 1, where one chunk (4 elements) was "
      "expected");
  CHECK(said("exercise.ring_b", 4, at_most(Kind::bytes, 96)) ==
        "rank 0 sent 192 bytes in 3 messages, where at most 96 were expected");
  CHECK(said("exercise.ring_d", 4, exactly(Kind::sends, 6)) ==
        "rank 0 sent 3 messages, where 6 were expected");
  // The direction reversed: chunk n + i goes to the right.
  CHECK(said("exercise.ring_c", 4, ring(right, 6)) == "");
  CHECK(said("exercise.ring_c", 4, rule(Kind::size)) == "");
  CHECK(said("exercise.ring_c", 4, order(right)) ==
        "step 2: rank 0 sent chunk 1, where chunk 3 was expected");
  CHECK(said("exercise.ring_e", 4, order(right)) == "");  // its fault is that it needs buffers
  // A tail that no chunk holds is no matter of sizes: the values tell.
  CHECK(says(run_of("exercise.ring_f", 4, 10), order(right)) != "");
  CHECK(said("exercise.tree_a", 4, tree(Rule::Tree::any)) ==
        "step 1: rank 0 sent to rank 1 before it had heard from rank 1");
  CHECK(said("exercise.tree_b", 8, tree(Rule::Tree::homework)).ends_with("was expected"));
  CHECK(
      said("exercise.tree_b", 8, at_most(Kind::rounds, 6)).starts_with("the run takes 14 rounds"));
  CHECK(said("exercise.sum_a", 4, rule(Kind::star)) == "");
  CHECK(said("exercise.alltoall_b", 4, rule(Kind::pairs)) == "");
  CHECK(said("exercise.reduce_scatter_a", 4, rule(Kind::pairs)) == "");
}

TEST_CASE("Rules: chunks that are sent from copies are known by their sizes only", "[rules]") {
  MadeUpRun run = made_up(2);
  run.message(0, 1, 10, 20, 16);
  run.message(1, 0, 30, 40, 16);
  const ExerciseCase asked = asked_of(2, 8);
  const RuleResult result =
      check_rule(TraceAnalysis(run.trace()), order(Rule::Direction::left), asked);
  CHECK(result.kept);
  CHECK(result.unsure);
  CHECK(has_text(result.says, "only their sizes were checked"));
  run.message(0, 1, 50, 60, 32);
  const RuleResult whole_one =
      check_rule(TraceAnalysis(run.trace()), order(Rule::Direction::left), asked);
  CHECK_FALSE(whole_one.kept);
  CHECK(has_text(whole_one.says, "rank 0 sent the whole tensor, 2 chunks, to rank 1"));
}

TEST_CASE("Rules: the first of the copies tells which chunk it is", "[rules]") {
  MadeUpRun run = made_up(2);
  run.message(0, 1, 10, 20, 16);
  run.message(1, 0, 30, 40, 16);
  const ExerciseCase asked = asked_of(2, 8);
  const auto judge = [&](std::vector<std::optional<Range>> places) {
    return check_rule(TraceAnalysis(run.trace()), order(Rule::Direction::left), asked,
                      {.first_places = std::move(places)});
  };
  const RuleResult right = judge({Range{4, 4}, Range{0, 4}});
  INFO(right.says);
  CHECK(right.kept);
  CHECK(judge({Range{4, 4}, std::nullopt}).unsure);
  const RuleResult shifted = judge({Range{0, 4}, Range{4, 4}});
  CHECK_FALSE(shifted.kept);
  CHECK(has_text(shifted.says, "step 1: rank 0 sent chunk 0, where chunk 1 was expected"));
}

TEST_CASE("Rules: only what an agent saw, only of one phase", "[rules]") {
  const Run run = run_of("allreduce.flat", 4, 8);
  const auto judge = [&](const Rule& rule, const RuleEvidence& evidence) {
    return check_rule(TraceAnalysis(run.trace), rule, run.asked, evidence);
  };
  // These are the workers' own events.
  CHECK(judge(rule(Kind::star), {.agent_only = true}).says == "no rank sent a message");
  CHECK(judge(exactly(Kind::messages, 3), {.phase = "broadcast"}).kept);
  // Those before do not count.
  CHECK(judge(at_most(Kind::rounds, 3), {.phase = "broadcast"}).kept);
}

TEST_CASE("Rules: several of one analysis say what each says alone", "[rules]") {
  const Run run = run_of("allreduce.flat", 4, 8);
  const TraceAnalysis analysis(run.trace);
  for (const Rule& one : {rule(Kind::star), rule(Kind::size), at_most(Kind::rounds, 4)}) {
    const RuleResult result = check_rule(analysis, one, run.asked);
    CHECK(result.says == check(run, one).says);
    CHECK(result.event == check(run, one).event);
  }
}

TEST_CASE("Rules: how a run went in time changes no verdict", "[rules]") {
  for (const char* name :
       {"allreduce.flat", "allreduce.ring", "exercise.tree_a", "exercise.ring_d"}) {
    INFO(name);
    std::vector<std::string> first;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Run run = run_of(name, 4, 8);
      std::vector<std::string> all;
      for (const auto& kind : rule_kind_names())
        all.push_back(check(run, at_most(parse_rule_kind(kind).value(), 2)).says);
      if (repeat == 0) first = all;
      CHECK(all == first);
    }
  }
}

}  // namespace
}  // namespace rankscope
