// Why ranks are blocked for ever: the cause follows from matching, and each advice was tried on the recorded order.
#include "engine/analysis/matching/diagnosis.h"

#include "engine/analysis/findings/findings.h"
#include "tests/analysis/blocked_run.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::matching;
using test::Blocked;
using test::ScriptedRun;
using Kind = Finding::Kind;

TEST_CASE("matching: messages of a pair do not overtake, and the first receive that fits gets them",
          "[matching]") {
  std::vector<PostedVerb> verbs{{.rank = 0, .peer = 1, .tag = 5, .context = 1, .send = true},
                                {.rank = 0, .peer = 1, .tag = 6, .context = 1, .send = true},
                                {.rank = 0, .peer = 1, .tag = 5, .context = 2, .send = true},
                                {.rank = 1, .peer = 0, .tag = 6, .context = 1},
                                {.rank = 1, .peer = kAnyRank, .tag = kAnyTag, .context = 1},
                                {.rank = 1, .peer = 0, .tag = 5, .context = 2},
                                {.rank = 1, .peer = 0, .tag = 5, .context = 1}};
  const Matching matching(verbs);
  CHECK(matching.partner(3) == 1);
  CHECK(matching.partner(4) == 0);
  CHECK(matching.partner(5) == 2);
  CHECK(matching.partner(6) == kNoVerb);
  CHECK_FALSE(matching.ends(6));
  verbs[4].got = 1;  // it had got another one, which is gone by now
  CHECK(Matching(verbs).partner(4) == kNoVerb);
  CHECK(Matching(verbs).partner(6) == 0);
  verbs = {{.rank = 0, .peer = 1, .context = 1, .send = true, .buffered = true}};
  CHECK(Matching(verbs).ends(0));
}

TEST_CASE("diagnosis: tags that differ", "[matching]") {
  Blocked run(2);
  run.line(11);
  run.send(0, 1, 1);
  run.line(13);
  run.recv(1, 0, 2);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::tag);
  CHECK(found.cycle.size() == 2);
  CHECK_THAT(found.why, ContainsSubstring("has tag 1 (sent at x.py:11)"));
  CHECK_THAT(found.why, ContainsSubstring("the receive at x.py:13 takes tag 2 only"));
  CHECK_THAT(found.advice, ContainsSubstring("the same tag"));
}

TEST_CASE("diagnosis: communicators that differ", "[matching]") {
  Blocked run(2);
  run.send(0, 1);
  run.recv(1, 0);
  run.last().context = 9;
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::communicator);
  CHECK_THAT(found.advice, ContainsSubstring("same communicator"));
}

TEST_CASE("diagnosis: all send to the right and receive from the right", "[matching]") {
  const bool eager = GENERATE(false, true);
  Blocked run(3, eager ? "mpi" : "torch");
  for (Rank rank = 0; rank < 3; ++rank) {
    run.line(19);
    if (eager) run.buffered(rank, (rank + 1) % 3);
    else run.send(rank, (rank + 1) % 3);
    run.line(20);
    run.recv(rank, (rank + 1) % 3);
  }
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::source);
  CHECK_THAT(found.why,
             ContainsSubstring("the wrong source: rank 0 waits for a message from rank 1 "
                               "at x.py:20"));
  CHECK_THAT(found.advice, ContainsSubstring("from rank 2 on rank 0"));
  CHECK_THAT(found.advice, ContainsSubstring("(rank - 1) % size"));
  REQUIRE(found.cycle.size() == 3);
  for (const auto verb : found.cycle) CHECK_FALSE(run.verb(verb).send);
}

TEST_CASE("diagnosis: the receive behind a circle of sends names the wrong rank, too",
          "[matching]") {
  const std::string next = GENERATE("right", "left");
  Blocked run(3);
  run.name_partners("right");
  run.name_next_partners(next);
  for (Rank rank = 0; rank < 3; ++rank) run.send(rank, (rank + 1) % 3);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::sends);
  CHECK_THAT(found.advice, ContainsSubstring("isend"));
  CHECK((found.advice.find("names right, too") != std::string::npos) == (next == "right"));
  if (next == "right")
    CHECK_THAT(found.advice, ContainsSubstring("receive from (rank - 1) % size."));
}

TEST_CASE("diagnosis: another order is proposed only when a replay of it ends", "[matching]") {
  const std::string platform = GENERATE("torch", "mpi", "ray", "native");
  const bool sends = GENERATE(true, false);
  const int ranks = GENERATE(2, 3, 4);
  Blocked run(ranks, platform);
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (sends) run.send(rank, (rank + 1) % ranks);
    else run.recv(rank, (rank + ranks - 1) % ranks);
  }
  const std::string order =
      sends ? "one of the ranks receive first" : "one of the ranks send first";
  const Diagnosis unknown = run.only();
  CHECK(unknown.cause == (sends ? Diagnosis::Cause::sends : Diagnosis::Cause::receives));
  CHECK_THAT(unknown.advice, !ContainsSubstring(order));
  // From (to) the wrong side: whoever begins, nobody's halves meet.
  run.then_the_other_half(sends ? 1 : -1);
  const Diagnosis wrong = run.only();
  CHECK(wrong.one_in_other_order == (ranks == 2));  // there both sides are one
  run.then_the_other_half(sends ? -1 : 1);
  const Diagnosis known = run.only();
  CHECK(known.half_in_other_order);
  CHECK_THAT(known.advice, ContainsSubstring(order));
  if (platform == "ray") CHECK_THAT(known.advice, ContainsSubstring("every second one"));
}

TEST_CASE("diagnosis: a message that went to another rank", "[matching]") {
  Blocked run(3, "mpi");
  run.line(4);
  run.buffered(0, 2);
  run.line(6);
  run.recv(1, 0);
  run.end(0);
  run.end(2);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::destination);
  CHECK(found.blamed == 0);
  CHECK_THAT(found.advice, ContainsSubstring("Send it to rank 1 instead"));
}

TEST_CASE("diagnosis: a rank that has ended may lack its half", "[matching]") {
  Blocked gather(4);  // rank 0 receives from all, and rank 1 does not send
  gather.recv(0, 1);
  gather.send(2, 0);
  gather.send(3, 0);
  gather.end(1);
  const Diagnosis missing = gather.only();
  CHECK(missing.cause == Diagnosis::Cause::ended);
  CHECK_THAT(missing.advice, ContainsSubstring("Add the send to rank 1"));
  CHECK(missing.followers.size() == 2);
  Blocked one(3);  // with a single message nobody can say which of the two was meant
  one.recv(0, 1);
  one.send(2, 0);
  one.end(1);
  const Diagnosis either = one.only();
  CHECK(either.cause == Diagnosis::Cause::source);
  CHECK(either.or_missing);
  CHECK_THAT(either.advice, ContainsSubstring("Receive from rank 2 instead"));
  CHECK_THAT(either.advice, ContainsSubstring("add the send to rank 1"));
  Blocked scatter(4);
  scatter.send(0, 1);
  scatter.recv(2, 0);
  scatter.recv(3, 0);
  scatter.end(1);
  CHECK(scatter.only().cause == Diagnosis::Cause::ended);
}

TEST_CASE("diagnosis: one message for another rank is no wrong source", "[matching]") {
  // Ranks 0 and 1 both receive first; that rank 2's message has come for rank 0 explains nothing.
  Blocked run(3);
  run.recv(0, 1);
  run.recv(1, 0);
  run.buffered(2, 0);
  run.end(2);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::receives);
}

TEST_CASE("diagnosis: partners that are no pairs", "[matching]") {
  Blocked run(3);
  run.line(36);
  run.send(0, 1);
  run.send(1, 0);
  run.send(2, 1);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::partners);
  CHECK_THAT(found.why,
             ContainsSubstring("rank 2's partner is rank 1, but rank 1's partner is rank 0"));
  CHECK_THAT(found.advice, ContainsSubstring("3 is no power of two"));
  CHECK_THAT(found.advice, !ContainsSubstring("isend"));
}

TEST_CASE("diagnosis: circles that have nothing to do with each other", "[matching]") {
  Blocked run(4);
  for (Rank rank = 0; rank < 4; ++rank) run.send(rank, rank ^ 1);
  const auto found = run.all();
  REQUIRE(found.size() == 2);
  for (const Diagnosis& one : found) {
    CHECK(one.cause == Diagnosis::Cause::sends);
    CHECK(one.followers.empty());
    CHECK_THAT(one.advice, ContainsSubstring("isend"));
    CHECK_THAT(one.advice, !ContainsSubstring("sendrecv"));  // torch has none
  }
  CHECK(run.verb(found[1].cycle[0]).rank == 2);
}

TEST_CASE("diagnosis: sends to a rank that has ended are not mended by buffers", "[matching]") {
  Blocked run(2);
  run.send(0, 1);
  run.end(1);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::ended);
  CHECK_THAT(found.why, ContainsSubstring("Rank 0 sends to rank 1 once, and rank 1 receives from "
                                          "rank 0 never"));
}

TEST_CASE("diagnosis: a message that is missing before a collective", "[matching]") {
  // Ranks 1 and 2 stand in a collective at line 14; rank 0 comes to it after its receive, or its send, at line 9.
  for (const bool sends : {false, true}) {
    Blocked run(3, "mpi");
    run.line(9);
    if (sends) run.send(0, 2, 5);
    else run.recv(0, 2, 5);
    run.line(14);
    for (const Rank rank : {1, 2}) {
      run.send(rank, 0);
      run.last().in_call = true;
    }
    Blocked elsewhere = run;
    run.come_to_calls(true);
    const Diagnosis found = run.only();
    CHECK(found.cause == Diagnosis::Cause::missing);
    CHECK(found.cycle.empty());
    CHECK(found.roots == std::vector<std::uint32_t>{0});
    CHECK(found.followers.size() == 2);
    CHECK_THAT(found.why, ContainsSubstring("Rank 2 is in a collective already at x.py:14"));
    CHECK_THAT(found.advice, ContainsSubstring(sends ? "Add the receive to rank 2 before"
                                                     : "Add the send to rank 2 before"));
    // In another branch: the collective may be what is left out.
    elsewhere.come_to_calls(false);
    CHECK(elsewhere.only().cause == Diagnosis::Cause::call);
  }
  // The message is there, with another tag.
  Blocked run(2, "mpi");
  run.recv(0, 1, 5);
  run.buffered(1, 0, 6);
  run.send(1, 0);
  run.last().in_call = true;
  run.come_to_calls(true);
  CHECK(run.only().cause == Diagnosis::Cause::tag);
}

TEST_CASE("diagnosis: a receive from anybody took the message", "[matching]") {
  Blocked run(3, "mpi");
  run.buffered(2, 0);
  run.buffered(1, 0);
  run.line(7);
  run.recv(0, kAnyRank);
  run.last().open = false;
  run.last().got = 0;
  run.line(8);
  run.recv(0, 2);
  run.end(1);
  run.end(2);
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::taken);
  CHECK_THAT(found.why, ContainsSubstring("taken by another receive of rank 0"));
  CHECK_THAT(found.why, ContainsSubstring("x.py:7"));
}

TEST_CASE("diagnosis: a run whose events are missing is not explained", "[matching]") {
  Blocked run(2);
  run.send(0, 1);
  run.recv(1, 0);  // these two would have met
  const Diagnosis found = run.only();
  CHECK(found.cause == Diagnosis::Cause::unknown);
  CHECK_THAT(found.advice, ContainsSubstring("does not tell the cause"));
}

TEST_CASE("findings: requests that nobody waits for come before what they leave unmatched",
          "[findings]") {
  ScriptedRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    run.line(49);
    run.post(Verb::send, rank, (rank + 1) % 3);
    run.line(50);
    run.irecv(rank, (rank + 2) % 3);
  }
  run.end_all();
  const auto found = findings(run.trace());
  REQUIRE(found.size() == 2);
  for (const Finding& one : found) CHECK(one.kind == Kind::request_dropped);
  CHECK(found[0].what ==
        "nobody waits for rank 0's send to rank 1 at worker.py:49 (and 2 more times at the same "
        "place)");
}

TEST_CASE("findings: the ranks that wait for a circle are counted with it", "[findings]") {
  ScriptedRun run(4);
  run.status(JobResult::Status::deadlock);
  for (Rank rank = 0; rank < 4; ++rank) {
    run.line(3);
    run.irecv(rank, rank == 0 ? 1 : rank - 1);
  }
  const auto found = findings(run.trace());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::deadlock);
  CHECK(found[0].ranks == std::vector<Rank>{0, 1});
  CHECK_THAT(found[0].what, ContainsSubstring("; ranks 2 and 3 wait for these"));
}

TEST_CASE("findings: a rank that waits for one that failed is reported", "[findings]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(19);
  run.irecv(0, 1);
  run.line(17);
  run.note(Note::self_send, 1);
  run.end(1);
  run.last().tag = 1;  // it raised an error
  const auto found = findings(run.trace());
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Kind::self_send);
  CHECK(found[1].kind == Kind::unmatched);
  CHECK(found[1].site == "worker.py:19");
}

TEST_CASE("findings: who makes one step more is told of the rank that it waits for", "[findings]") {
  ScriptedRun run(3);
  run.line(5);
  run.post(Verb::send, 0, 1, 4);
  run.line(6);
  run.irecv(0, 2);
  run.end(1);
  run.end(2);
  run.status(JobResult::Status::deadlock);
  const auto all = findings(run.trace());
  REQUIRE(all.size() == 1);
  const Finding& found = all[0];
  CHECK(found.kind == Kind::early_exit);
  CHECK_THAT(found.what, ContainsSubstring("rank 2 ended while rank 0 still waits"));
  CHECK_THAT(found.why, ContainsSubstring("Rank 2 has ended"));
  CHECK_THAT(found.advice, ContainsSubstring("Its send to rank 1 at worker.py:5"));
}

TEST_CASE("findings: a receive from a rank that has ended, while another one sends", "[findings]") {
  ScriptedRun run(3);
  run.irecv(0, 1);
  run.isend(2, 0);
  run.end(1);
  run.status(JobResult::Status::deadlock);
  const auto all = findings(run.trace());
  REQUIRE(all.size() == 1);
  const Finding& found = all[0];
  CHECK(found.kind == Kind::early_exit);
  CHECK_THAT(found.what,
             ContainsSubstring("rank 1 ended while rank 0 still waits for its message"));
  CHECK_THAT(found.why, ContainsSubstring("names the wrong source"));
}
