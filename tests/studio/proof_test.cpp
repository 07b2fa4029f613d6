// Proofs: right schedules, one mistake of each kind, and random tables against a model of their own.
#include "engine/studio/proof/proof.h"

#include <set>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "tests/studio/studio_schedules.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using Kind = account::Fault::Kind;

namespace {

ScheduleProof proof_of(const Schedule& schedule, const ScheduleUse& use,
                       Posting posting = Posting::nonblocking) {
  return prove(posted_tasks(schedule, use, posting));
}
std::string words_of_proof(const ScheduleProof& proof) {
  return proof.right() ? "right" : proof.faults.front().words;
}
void check_proved(const Schedule& schedule, const ScheduleUse& use) {
  const auto posted = proof_of(schedule, use);
  INFO(to_text(schedule) << words_of_proof(posted));
  CHECK(posted.right());
  const auto flow = prove(dataflow_tasks(schedule, use));
  INFO(words_of_proof(flow));
  CHECK(flow.right());
}
account::Fault fault_of(const Schedule& schedule, const ScheduleUse& use,
                        Posting posting = Posting::nonblocking) {
  const auto proof = proof_of(schedule, use, posting);
  REQUIRE_FALSE(proof.right());
  INFO(proof.faults.front().words);
  return proof.faults.front();
}

using enum Collective;

}  // namespace

TEST_CASE("right schedules are proved for every number of ranks", "[studio]") {
  for (const int n : {1, 2, 3, 4, 5, 8, 13}) {
    check_proved(ring_schedule(n, true, true), schedule_use(allreduce, n));
    check_proved(ring_schedule(n, true, false), schedule_use(reduce_scatter, n));
    check_proved(ring_schedule(n, false, true), schedule_use(allgather, n));
  }
  for (const int n : {2, 4, 8, 16}) check_proved(doubling_schedule(n), schedule_use(allreduce, n));
  const auto tree = parse_schedule("1: 2 -> 0 all keep; 2: 2 -> 3 all keep; 2: 0 -> 1 all keep");
  check_proved(tree, schedule_use(broadcast, 4, 2));
  check_proved(parse_schedule("1: 0 -> 2 all add; 1: 1 -> 2 all add"), schedule_use(reduce, 3, 2));
  check_proved(parse_schedule("1: 1 -> 0 chunk 1 keep; 1: 2 -> 0 chunk 2 keep"),
               schedule_use(gather, 3));
  check_proved(parse_schedule("1: 0 -> 1 chunk 1 keep; 2: 0 -> 2 chunk 2 keep"),
               schedule_use(scatter, 3));
}

TEST_CASE("a contribution that is lost is named with its rank, chunk and step", "[studio]") {
  Schedule lost = ring_schedule(4, true, true);
  lost.moves.pop_back();  // step 6: rank 3 -> 0, chunk 1
  const auto fault = fault_of(lost, schedule_use(allreduce, 4));
  CHECK(fault.kind == Kind::missing);
  CHECK(fault.rank == 0);
  CHECK(fault.place == 1);
  CHECK(proof_of(lost, schedule_use(allreduce, 4)).wrong_places == 1);
  // A value takes the place of one that is needed.
  const auto kept =
      fault_of(parse_schedule("1: 1 -> 0 all add; 2: 2 -> 0 all keep"), schedule_use(reduce, 3));
  CHECK(kept.kind == Kind::missing);
  CHECK(kept.rank == 0);
  CHECK(kept.step == 2);
  CHECK(has(kept.words, "takes the place of"));
  const auto never = fault_of(parse_schedule("1: 1 -> 0 all add"), schedule_use(reduce, 3));
  CHECK(never.source() == 2);
  CHECK(has(never.words, "chunk 0 of rank 0 lacks rank 2's chunk 0: it never leaves rank 2"));
  const auto stays = fault_of(parse_schedule("1: 0 -> 1 all keep"), schedule_use(broadcast, 3));
  CHECK(stays.words ==
        "chunk 0 of rank 2 lacks rank 0's chunk 0: it reaches rank 1 only; nothing is sent there");
}

TEST_CASE("a contribution that is counted twice is named with both of its ways", "[studio]") {
  const auto fault =
      fault_of(parse_schedule("1: 0 -> 1 all add; 2: 1 -> 2 all add; 3: 0 -> 2 all add"),
               schedule_use(reduce, 3, 2));
  CHECK(fault.kind == Kind::doubled);
  CHECK(fault.rank == 2);
  CHECK(fault.source() == 0);
  CHECK(fault.step == 3);
  CHECK(fault.path.size() == 3);
  CHECK(has(fault.words, "0 -> 1 (step 1), 1 -> 2 (step 2)"));
  CHECK(has(fault.words, "0 -> 2 (step 3)"));
  Schedule ring = ring_schedule(5, true, true);
  ring.moves.push_back({3, 1, 2, 3, true});  // once more what rank 1 had sent there in step 3
  const auto twice = fault_of(ring, schedule_use(allreduce, 5));
  CHECK(twice.kind == Kind::doubled);
  CHECK(twice.rank == 2);
  CHECK(twice.place == 3);
  CHECK(twice.step == 3);
}

TEST_CASE("blocking sends deadlock in a ring with rendezvous, and the cycle is the counter-example",
          "[studio]") {
  const auto use = schedule_use(allreduce, 4);
  const auto fault = fault_of(ring_schedule(4, true, true), use, Posting::blocking);
  CHECK(fault.kind == Kind::cycle);
  CHECK(fault.path.size() == 4);
  CHECK(fault.step == 1);
  CHECK(has(fault.words, "rank 0 sends chunk 3 to rank 1 in step 1"));
  const auto tasks = posted_tasks(ring_schedule(4, true, true), use, Posting::blocking);
  CHECK(prove(tasks, false).right());  // eager sends do not wait
  // Two cycles: the one of two ranks is the shorter one.
  const auto pair = fault_of(
      parse_schedule(
          "1: 0 -> 1 all keep; 1: 1 -> 2 all keep; 1: 2 -> 0 all keep; 1: 3 -> 4 all keep; "
          "1: 4 -> 3 all keep"),
      schedule_use(allreduce, 5), Posting::blocking);
  CHECK(pair.path.size() == 2);
  CHECK(pair.rank == 3);
  // Trees wait for nobody that waits for them.
  const auto tree = parse_schedule("1: 0 -> 2 all keep; 2: 0 -> 1 all keep; 2: 2 -> 3 all keep");
  CHECK(proof_of(tree, schedule_use(broadcast, 4), Posting::blocking).right());
}

TEST_CASE("tasks with races, lone messages and other lengths are refused", "[studio]") {
  const auto use = schedule_use(allreduce, 3);
  const TaskGraph good = dataflow_tasks(ring_schedule(3, true, true), use);
  REQUIRE(prove(good).right());
  int races = 0;
  // Each wait that a file may forget: it is a race, or follows from the others.
  for (Rank rank = 0; rank < 3; ++rank)
    for (std::size_t t = 0; t < good.tasks[static_cast<std::size_t>(rank)].size(); ++t) {
      TaskGraph bad = good;
      auto& after = bad.tasks[static_cast<std::size_t>(rank)][t].after;
      if (after.empty()) continue;
      after.clear();
      const auto proof = prove(bad);
      races += !proof.right() && proof.faults.front().kind == Kind::race ? 1 : 0;
    }
  CHECK(races > 5);
  TaskGraph lone = good;
  lone.tasks[0].pop_back();
  CHECK(prove(lone).faults.at(0).kind == Kind::unmatched);
  TaskGraph longer = good;
  longer.tasks[0][0].chunks = 2;
  longer.tasks[0][0].source.chunk = 0;
  CHECK(prove(longer).faults.at(0).kind == Kind::length);
  TaskGraph nowhere = good;
  nowhere.tasks[0][0].source.chunk = 3;
  CHECK_THROWS_WITH(prove(nowhere), Catch::Contains("reads chunk 3 of a memory that has 3"));
  TaskGraph stranger = good;
  stranger.tasks[0][0].to = 7;
  CHECK_THROWS_WITH(prove(stranger), Catch::Contains("there are ranks 0 to 2"));
}

TEST_CASE("what cannot be proved says what to do", "[studio]") {
  const Schedule schedule = parse_schedule("chunks 3; 1: 0 -> 1 chunk 0 keep");
  CHECK_THROWS_WITH(proof_of(schedule, schedule_use(allgather, 2)),
                    Catch::Contains("take a multiple of 2"));
  CHECK_THROWS_WITH(proof_of(schedule, schedule_use(barrier, 2)),
                    Catch::Contains("choose a collective"));
  CHECK_THROWS_WITH(proof_of(schedule, schedule_use(broadcast, 2, 5)),
                    Catch::Contains("no rank 5"));
  // Limits, before memory is used up.
  const Schedule large = parse_schedule("chunks 1000000; 1: 0 -> 1 chunk 0 keep");
  CHECK_THROWS_WITH(proof_of(large, schedule_use(broadcast, 8)), Catch::Contains("too large"));
  Schedule wide = large;
  for (int step = 1; step < 6; ++step)
    wide.moves.push_back({step, 0, 1, ScheduleMove::kWhole, false});
  CHECK_THROWS_WITH(proof_of(wide, schedule_use(broadcast, 2)), Catch::Contains("fewer chunks"));
}

namespace {

/// Runs a table as schedule_algorithms.cpp does, on sums of distinct powers, so that every mistake shows.
bool model_says_right(const Schedule& schedule, int n) {
  const int chunks = schedule.chunks_for(n);
  std::vector<std::vector<std::uint64_t>> data(static_cast<std::size_t>(n));
  std::uint64_t all = 0;
  for (int r = 0; r < n; ++r) {
    data[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(chunks),
                                             std::uint64_t{1} << (8 * r));
    all += std::uint64_t{1} << (8 * r);
  }
  std::set<int> steps;
  for (const auto& move : schedule.moves) steps.insert(move.step);
  for (const int step : steps) {
    const auto before = data;
    for (Rank from = 0; from < n; ++from)
      for (const auto& move : schedule.moves) {
        if (move.step != step || move.from != from) continue;
        for (int c = 0; c < chunks; ++c) {
          if (move.chunk != ScheduleMove::kWhole && move.chunk != c) continue;
          const auto at = static_cast<std::size_t>(c);
          auto& to = data[static_cast<std::size_t>(move.to)][at];
          const auto sent = before[static_cast<std::size_t>(from)][at];
          to = move.add ? to + sent : sent;
        }
      }
  }
  for (const auto& rank : data)
    for (const auto value : rank)
      if (value != all) return false;
  return true;
}

}  // namespace

TEST_CASE("proofs of changed schedules agree with running them", "[studio]") {
  RandomNumbers random(11);
  int right = 0, wrong = 0;
  for (int k = 0; k < 600; ++k) {
    const int n = 2 + static_cast<int>(random.below(4));
    Schedule schedule = random.below(3) == 0 && is_power_of_two(n) ? doubling_schedule(n)
                                                                   : ring_schedule(n, true, true);
    for (auto changes = random.below(3); changes > 0 && !schedule.moves.empty(); --changes) {
      auto& move = schedule.moves[random.below(schedule.moves.size())];
      switch (random.below(4)) {
        case 0: move.add = !move.add; break;
        case 1:
          move.step = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(2 * n)));
          break;
        case 2: schedule.moves.push_back(move); break;
        default: schedule.moves.erase(schedule.moves.begin() + (&move - schedule.moves.data()));
      }
    }
    const bool expected = model_says_right(schedule, n);
    const auto use = schedule_use(allreduce, n);
    INFO(to_text(schedule));
    CHECK(proof_of(schedule, use).right() == expected);
    CHECK(prove(dataflow_tasks(schedule, use)).right() == expected);
    (expected ? right : wrong) += 1;
  }
  CHECK(right > 100);
  CHECK(wrong > 100);
}

TEST_CASE("a table becomes tasks and the same table again", "[studio]") {
  RandomNumbers random(5);
  for (int k = 0; k < 300; ++k) {
    const int n = 2 + static_cast<int>(random.below(5));
    Schedule schedule;
    schedule.chunks = 1 + static_cast<int>(random.below(6));
    for (auto moves = random.below(20); moves > 0; --moves) {
      const auto from = static_cast<Rank>(random.below(static_cast<std::uint64_t>(n)));
      const auto to =
          wrap(from + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(n - 1))), n);
      const int chunk =
          static_cast<int>(random.below(static_cast<std::uint64_t>(schedule.chunks) + 1)) - 1;
      schedule.moves.push_back(
          {1 + static_cast<int>(random.below(4)), from, to, chunk, random.below(2) == 0});
    }
    const auto use = schedule_use(allreduce, n);
    INFO(to_text(schedule));
    CHECK(schedule_of(dataflow_tasks(schedule, use)) == normalised(schedule, n));
    CHECK(schedule_of(posted_tasks(schedule, use, Posting::nonblocking)) ==
          normalised(schedule, n));
  }
}

TEST_CASE("a table without step numbers gets the earliest steps", "[studio]") {
  const auto without_steps = [](TaskGraph graph) {
    for (auto& rank : graph.tasks)
      for (auto& task : rank) task.step = 0;
    return graph;
  };
  for (const int n : {2, 3, 4, 7, 8}) {
    const auto ring = ring_schedule(n, true, true);
    CHECK(schedule_of(without_steps(dataflow_tasks(ring, schedule_use(allreduce, n)))) ==
          normalised(ring, n));
  }
  const auto doubling = doubling_schedule(8);
  CHECK(schedule_of(without_steps(dataflow_tasks(doubling, schedule_use(allreduce, 8)))) ==
        normalised(doubling, 8));
  const auto late = parse_schedule("3: 0 -> 1 all keep; 9: 1 -> 2 all keep");
  CHECK(schedule_of(without_steps(dataflow_tasks(late, schedule_use(broadcast, 3)))) ==
        normalised(parse_schedule("1: 0 -> 1 all keep; 2: 1 -> 2 all keep"), 3));
}
