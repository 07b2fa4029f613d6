// Which half of a message is wrong: pairs that are none, peers, tags in another order, requests without a wait.
#include "tests/analysis/blocked_run.h"

using namespace rankscope;
using namespace rankscope::matching;
using test::Blocked;

TEST_CASE("diagnosis: partners that are no pairs, one of whom has ended", "[matching]") {
  // Halving on three ranks in one call: rank 1 waits for rank 2, whose partner was rank 0.
  Blocked run(3, "mpi");
  run.line(17);
  run.exchange(0, 2);
  run.met();
  run.exchange(2, 0);
  run.met();
  run.exchange(1, 2);
  run.exchange(0, 1);
  run.end(2);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::partners);
  CHECK_THAT(found.why,
             ContainsSubstring("rank 1's partner is rank 2, but rank 2's partner is rank 0"));
}

TEST_CASE("diagnosis: a shift where pairs were meant, by the names in the program's text",
          "[matching]") {
  const bool named = GENERATE(true, false);
  Blocked run(4);
  run.line(14);
  for (const Rank rank : {0, 1, 2}) run.send(rank, rank + 1);
  run.line(17);
  run.recv(3, 0);
  if (named) run.name_partners("partner");
  const Diagnosis found = run.only();
  CHECK(found.cause == (named ? Diagnosis::Cause::partners : Diagnosis::Cause::sends));
  if (named) CHECK_THAT(found.advice, ContainsSubstring("one adds the distance"));
}

TEST_CASE("diagnosis: who goes through all peers in turn needs no pairs", "[matching]") {
  Blocked run(3);
  run.line(36);
  run.send(0, 1);
  run.send(1, 0);
  run.send(2, 0);
  run.go_through_peers();
  CHECK(run.only().cause == Diagnosis::Cause::sends);
}

TEST_CASE("diagnosis: what the same lines did on another rank says which half is wrong",
          "[matching]") {
  Blocked reply(3, "mpi");  // each worker receives from the rank before it, not from rank 0
  reply.line(8);
  reply.buffered(0, 1);
  reply.buffered(0, 2);
  reply.line(12);
  reply.recv(1, 0);
  reply.met();
  reply.recv(2, 1);
  reply.end(1);
  const Diagnosis source = reply.only();
  CHECK(source.cause == Diagnosis::Cause::source);
  CHECK_FALSE(source.or_missing);
  CHECK_THAT(source.advice, ContainsSubstring("Receive from rank 0 on rank 2"));
  Blocked collect(4);  // rank 0 receives from rank 1 only
  collect.line(21);
  collect.buffered(1, 0);
  collect.send(2, 0);
  collect.send(3, 0);
  collect.line(10);
  collect.recv(0, 1);
  collect.met();
  collect.recv(0, 1);
  collect.end(1);
  const Diagnosis again = collect.only();
  CHECK(again.cause == Diagnosis::Cause::source);
  CHECK_FALSE(again.or_missing);
}

TEST_CASE("diagnosis: a rank that took no part is the one that is missing in a loop over peers",
          "[matching]") {
  Blocked run(3, "mpi");
  run.recv(0, 1);
  run.buffered(2, 0);
  run.end(1);
  run.end(2);
  run.go_through_peers();
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::ended);
  CHECK_THAT(found.advice, ContainsSubstring("Add the send to rank 1"));
}

TEST_CASE("diagnosis: the first of a pipeline sends to its end", "[matching]") {
  const bool one_line = GENERATE(true, false);
  Blocked run(4, "mpi");
  run.line(13);
  run.send(0, 3);
  for (Rank rank = 1; rank < 4; ++rank) {
    run.line(one_line ? 10 : 10 + std::uint32_t(rank));
    run.recv(rank, rank - 1);
  }
  const Diagnosis found = run.only();
  if (!one_line) {  // nothing says that these receives are alike
    CHECK(found.cause != Diagnosis::Cause::destination);
    return;
  }
  CHECK(found.cause == Diagnosis::Cause::destination);
  CHECK(found.blamed == 0);
  CHECK_THAT(found.advice, ContainsSubstring("Send to rank 1 on rank 0"));
}

TEST_CASE("diagnosis: tags in another order on the two sides", "[matching]") {
  const bool both = GENERATE(true, false);
  Blocked run(2);
  run.send(0, 1, 1);
  run.recv(1, 0, 2);
  run.call_tags_later(both ? std::vector<Tag>{1, 2} : std::vector<Tag>{2});
  const Diagnosis found = run.only();
  CHECK(found.cause == (both ? Diagnosis::Cause::order : Diagnosis::Cause::tag));
  if (both)
    CHECK_THAT(found.advice, ContainsSubstring("tag 1 first; or start the sends with isend"));
}

TEST_CASE("diagnosis: a request that nobody waited for keeps its partner waiting", "[matching]") {
  Blocked run(2);
  run.line(10);
  run.send(0, 1);
  run.line(13);
  run.recv(1, 0);
  run.met();
  run.end(1);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::no_wait);
  CHECK(found.partner == 1);
  CHECK_THAT(found.advice, ContainsSubstring("wait for it"));
}

TEST_CASE("diagnosis: what a rank sends to itself is meant for one that waits for it",
          "[matching]") {
  const bool in_turn = GENERATE(false, true);  // a root that goes through all ranks meets itself
  Blocked run(3);
  run.send(1, 1);
  run.recv(0, 1);
  if (in_turn) run.go_through_peers();
  const auto found = run.all();
  REQUIRE(!found.empty());
  CHECK(found[0].cause == Diagnosis::Cause::itself);
  CHECK((found[0].why.find("wrong destination") != std::string::npos) == !in_turn);
}
