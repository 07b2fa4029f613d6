// Calls that do not agree, receives from anybody, and sends that must be buffered.
#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/analysis/diff.h"
#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/export/export_chrome.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/analysis/findings/findings.h"
#include "engine/core/base/json_text.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using test::ScriptedRun;
using Kind = Finding::Kind;
using Severity = Finding::Severity;

namespace {

std::vector<Finding> told(const ScriptedRun& run) {
  auto found = findings(run.trace());
  for (const Finding& one : found) UNSCOPED_INFO(to_string(one.kind) << ": " << one.what);
  return found;
}

Finding only(const ScriptedRun& run) {
  const auto found = told(run);
  REQUIRE(found.size() == 1);
  return found[0];
}

/// All ranks call the collective `name`; `change` makes one rank's differ.
template <class Change>
Finding one_differs(const std::string& name, Change change) {
  ScriptedRun run(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    run.line(rank == 2 ? 12 : 10);
    StepEvent& call = run.call(rank, name);
    call.peer = 0;
    if (rank == 2) change(call);
    run.returned(rank);
  }
  run.end_all();
  return only(run);
}

}  // namespace

TEST_CASE("findings: one rank's arguments of a collective differ", "[findings]") {
  const auto root = one_differs("broadcast", [](StepEvent& call) { call.peer = 1; });
  CHECK(root.kind == Kind::mismatched_call);
  CHECK(root.severity == Severity::error);
  CHECK(root.site == "worker.py:12");
  CHECK(root.ranks.front() == 2);
  CHECK(root.what ==
        "in call 1 of the world, rank 2 calls broadcast with root 1 at worker.py:12, "
        "but ranks 0, 1 and 3 call broadcast with root 0 at worker.py:10");
  CHECK(root.advice ==
        "Pass the same root on all ranks, if the two lines are one call; if they are two, let all "
        "ranks make both, in the same order.");
  CHECK_THAT(one_differs("allreduce", [](StepEvent& call) { call.bytes = 32; }).what,
             ContainsSubstring("with 8 elements at worker.py:12"));
  CHECK_THAT(one_differs("allreduce", [](StepEvent& call) { call.dtype = DType::int32; }).what,
             ContainsSubstring("with int32"));
  CHECK_THAT(one_differs("reduce", [](StepEvent& call) { call.reduce_op = ReduceOp::max; }).what,
             ContainsSubstring("with MAX"));
}

TEST_CASE("findings: what may differ between the ranks of a collective", "[findings]") {
  ScriptedRun run(4);
  for (const char* name : {"allgatherv", "gather_object", "scatter", "barrier", "broadcast"})
    for (Rank rank = 0; rank < 4; ++rank) {
      StepEvent& call = run.call(rank, name);
      call.peer = 0;
      if (name == std::string("scatter")) call.bytes = rank == 0 ? 64 : 16;  // the root passes all
      else if (name != std::string("broadcast")) call.bytes = 4U * unsigned(rank + 1);
      else call.reduce_op = static_cast<ReduceOp>(rank);
      run.returned(rank);
    }
  run.end_all();
  CHECK(told(run).empty());
}

TEST_CASE("findings: calls in another order come before the deadlock that they make",
          "[findings]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(5);
  run.call(0, "broadcast");
  run.irecv(0, 1);
  run.line(6);
  run.call(1, "barrier");
  run.irecv(1, 0);
  run.phase("");
  const auto found = told(run);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Kind::mismatched_call);
  CHECK_THAT(found[0].what,
             ContainsSubstring("rank 1 calls barrier at worker.py:6, but rank 0 calls "
                               "broadcast at worker.py:5"));
  CHECK(found[1].kind == Kind::deadlock);
  CHECK_THAT(found[1].what,
             ContainsSubstring("rank 0 waits for rank 1 in the built-in broadcast at "
                               "worker.py:5"));
  CHECK_THAT(found[1].advice, ContainsSubstring("follows from the calls"));
}

TEST_CASE("findings: a communicator made by some ranks only", "[findings]") {
  ScriptedRun run(3);
  run.line(5);
  for (const Rank rank : {0, 1}) run.call(rank, "new_group", 0);
  run.irecv(0, 1);
  run.irecv(1, 2);
  run.phase("");
  run.status(JobResult::Status::deadlock);
  SECTION("the others have ended") {
    run.end(2);
    const Finding found = only(run);
    CHECK(found.kind == Kind::mismatched_call);
    CHECK(found.what ==
          "rank 2 ended without call 1 of the world: ranks 0 and 1 call new_group at "
          "worker.py:5");
    CHECK(found.ranks == std::vector<Rank>{0, 1, 2});
  }
  SECTION("the others make the next call") {
    run.line(9);
    run.call(2, "allreduce");
    run.irecv(2, 0);
    run.phase("");
    const auto found = told(run);
    REQUIRE(found.size() == 2);
    CHECK(found[0].kind == Kind::mismatched_call);
    CHECK_THAT(found[0].what,
               ContainsSubstring("rank 2 calls allreduce at worker.py:9, but ranks 0 "
                                 "and 1 call new_group"));
    CHECK(found[1].kind == Kind::deadlock);
  }
  SECTION("the others wait for a message in vain") {  // that is the fault, and no call differs yet
    run.line(9);
    run.irecv(2, 0);
    const auto found = told(run);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == Kind::deadlock);
    CHECK_THAT(found[0].what, ContainsSubstring("rank 2 receives from rank 0 at worker.py:9"));
  }
}

TEST_CASE("built-in calls: a function that delegates is called what it is", "[findings]") {
  ScriptedRun run(2);
  for (int times = 0; times < 3; ++times)
    for (Rank rank = 0; rank < 2; ++rank) {
      run.line(97, "bde_all_reduce", 120);
      run.call(rank, "allreduce");
      run.returned(rank);
    }
  run.line(121);
  run.call(1, "barrier", 0);
  const auto found = delegations(run.trace());
  REQUIRE(found.size() == 2);
  CHECK(found[0].text() == "bde_all_reduce calls the built-in allreduce at worker.py:97");
  CHECK(found[0].ranks == std::vector<Rank>{0, 1});
  CHECK(found[0].times == 6);
  REQUIRE(found[0].callers.size() == 2);
  CHECK(found[0].callers[1].function == "main");
  CHECK(found[0].callers[1].site == "worker.py:120");
  CHECK(found[1].text() == "main calls the built-in barrier at worker.py:121");
  CHECK(found[1].ranks == std::vector<Rank>{1});
  const auto calls = built_in_calls(run.trace());
  REQUIRE(calls.size() == 7);
  CHECK(calls.front().ends != kNoEvent);
  CHECK(calls.back().ends == kNoEvent);
}

TEST_CASE("findings: thousands of one kind are counted, not written", "[findings]") {
  ScriptedRun run(2);
  for (int i = 0; i < 3000; ++i) {
    run.line(std::uint32_t(i + 1));
    run.send(0, 1, 16, i);
  }
  run.end_all();
  auto found = told(run);
  REQUIRE(found.size() == 9);
  CHECK(found[0].kind == Kind::unreceived);
  CHECK(found[8].what == "and 2992 more of this kind");
  CHECK(found[8].severity == Severity::warning);
  ScriptedRun types(2);
  for (std::uint32_t i = 0; i < 50; ++i) {
    types.line(1 + i % 25);
    const OpId sent = types.send(0, 1);
    const OpId got = types.irecv(1, 0);
    types.last().dtype = DType::int32;
    types.arrive(got, sent);
    types.wait(got);
  }
  types.end_all();
  found = told(types);
  REQUIRE(found.size() == 9);
  CHECK_THAT(found[0].what, ContainsSubstring("(and 1 more time at the same place)"));
  CHECK(found[8].what == "and 34 more of this kind");
}

TEST_CASE("built-in calls and notes have words wherever events are told of", "[findings]") {
  ScriptedRun run(1);
  run.line(97, "bde_all_reduce");
  run.call(0, "reduce", 64).peer = 0;
  run.last().reduce_op = ReduceOp::max;
  run.returned(0);
  const OpId sent = run.isend(0, 0);
  run.note(Note::buffer_changed, 0, sent);
  const Trace trace = run.trace();
  CHECK(describe(trace, 0) == "calls built-in reduce (16 float32, MAX, root 0)");
  CHECK(describe(trace, 1) == "returns from built-in reduce");
  CHECK(describe(trace, 4) == "note of operation 0:1: its memory changed while it was open");
  std::stringstream lines, table, chrome;
  export_jsonl(trace, lines);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(parse_json(line));
  REQUIRE(events.size() == 6);
  CHECK(events[1]["kind"] == "call");
  CHECK(events[1]["call"] == "reduce (16 float32, MAX, root 0)");
  CHECK(events[5]["note"] == "buffer_changed");
  export_csv(trace, table);
  CHECK_THAT(table.str(), ContainsSubstring(",\"reduce (16 float32, MAX, root 0)\"\r\n"));
  CHECK_THAT(table.str(), ContainsSubstring(",buffer_changed\r\n"));
  export_chrome(trace, chrome);
  int told = 0;
  const auto document = parse_json(chrome.str());
  for (const auto& item : document["traceEvents"]) {
    CHECK(item["ph"] != "B");  // a call is no phase of its own
    told += item["ph"] == "i";
  }
  CHECK(told == 2);
}

TEST_CASE("findings: a receive from anybody that another message could have met", "[findings]") {
  ScriptedRun run(3);
  run.line(4);
  const OpId one = run.send(1, 0), two = run.send(2, 0);
  run.line(7);
  const bool same_place = GENERATE(false, true);
  run.memory("got", 0);
  run.recv(0, one, true);
  run.memory("got", same_place ? 0 : 16);
  run.recv(0, two, true);
  run.end_all();
  Finding found = only(run);
  CHECK(found.kind == Kind::wildcard);
  CHECK(found.severity == Severity::hint);  // it may be meant so
  CHECK_FALSE(any_fault(findings(run.trace())));
  CHECK(found.ranks == std::vector<Rank>{1, 0, 2});
  CHECK_THAT(found.why,
             ContainsSubstring(same_place ? "sums of floats" : "differs from run to run"));
  run.status(JobResult::Status::wrong_result);
  found = only(run);
  CHECK(found.severity == (same_place ? Severity::hint : Severity::warning));
}

TEST_CASE("findings: messages that come one after the other do not race", "[findings]") {
  ScriptedRun run(3);
  const OpId one = run.send(1, 0);
  run.recv(0, one, true);
  SECTION("the receiver asks for the next") {
    run.recv(2, run.send(0, 2));
    run.recv(0, run.send(2, 0), true);
    run.end_all();
    CHECK(told(run).empty());
  }
  SECTION("the first sender asks the second one") {  // its message may be overtaken
    run.recv(2, run.send(1, 2));
    run.recv(0, run.send(2, 0), true);
    run.end_all();
    CHECK(only(run).kind == Kind::wildcard);
  }
  SECTION("they have different tags") {
    const OpId other = run.send(2, 0, 16, 5);
    run.recv(0, other, true);
    run.end_all();
    CHECK(told(run).empty());
  }
  SECTION("the other one was received before") {
    const OpId early = run.send(2, 0, 16, 1);
    run.recv(0, early);
    run.end_all();
    CHECK(told(run).empty());
  }
}

TEST_CASE("findings: a receive from anybody that took another receive's message", "[findings]") {
  ScriptedRun run(3);
  run.status(JobResult::Status::deadlock);
  run.line(4);
  const OpId two = run.send(2, 0);
  run.send(1, 0);
  run.line(7);
  run.recv(0, two, true);
  run.line(8);
  run.irecv(0, 2);  // its message is gone
  run.end(1);
  run.end(2);
  const auto found = told(run);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Kind::unmatched);
  CHECK(found[0].site == "worker.py:8");
  CHECK_THAT(found[0].why, ContainsSubstring("taken by another receive of rank 0"));
  CHECK_THAT(found[0].advice, ContainsSubstring("Name the source"));
  CHECK(found[1].kind == Kind::wildcard);
  CHECK(found[1].severity == Severity::warning);
  CHECK_THAT(found[1].why, ContainsSubstring("never received"));
}

namespace {

/// Everybody sends to the right and then receives from the left.
ScriptedRun shift(int ranks, bool isend) {
  ScriptedRun run(ranks);
  std::vector<OpId> sent;
  for (Rank rank = 0; rank < ranks; ++rank) {
    run.line(30);
    sent.push_back(run.send(rank, (rank + 1) % ranks));
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    run.line(31);
    run.recv(rank, sent[std::size_t((rank + ranks - 1) % ranks)]);
    if (isend) run.wait(sent[std::size_t(rank)]);
  }
  run.end_all();
  return run;
}

}  // namespace

TEST_CASE("findings: a shift that works only as long as sends are buffered", "[findings]") {
  const Finding found = only(shift(3, false));
  CHECK(found.kind == Kind::needs_buffering);
  CHECK(found.severity == Severity::warning);
  CHECK(cycle_text(found) == "0 → 1 → 2 → 0");
  CHECK(found.site == "worker.py:30");
  CHECK_THAT(found.what, ContainsSubstring("rank 0 sends to rank 1 at worker.py:30"));
  CHECK(told(shift(3, true)).empty());
  CHECK(told(shift(8, true)).empty());
  auto unknown = shift(3, false);
  unknown.meta.job = JobSpec();  // these may be isends whose waits are not in the trace
  CHECK(told(unknown).empty());
}

TEST_CASE("findings: what a blocking send blocks is known from the text of the code, too",
          "[findings]") {
  auto run = shift(2, false);
  run.meta.job = JobSpec();
  const std::string above(29, '\n');
  const auto verb = GENERATE(std::string("send(peer, data)"), std::string("isend(peer, data)"),
                             std::string("send(a, b); isend(c, d)"));
  run.meta.sources = {{"course/worker.py", above + "  comm." + verb + ";\n"}};
  CHECK(told(run).size() == (verb == "send(peer, data)" ? 1 : 0));
}

TEST_CASE("findings: orders of sends and receives that need no buffers", "[findings]") {
  SECTION("even ranks send first") {
    ScriptedRun run(2);
    const OpId first = run.send(0, 1);
    run.recv(1, first);
    run.recv(0, run.send(1, 0));
    run.end_all();
    CHECK(told(run).empty());
  }
  SECTION("a chain whose first rank only sends") {
    ScriptedRun run(4);
    std::vector<OpId> sent;
    for (Rank rank = 0; rank < 3; ++rank) sent.push_back(run.send(rank, rank + 1));
    for (Rank rank = 1; rank < 4; ++rank) run.recv(rank, sent[std::size_t(rank - 1)]);
    run.end_all();
    CHECK(told(run).empty());
  }
  SECTION("inside of a built-in, which knows what it does") {
    ScriptedRun run(2);
    std::vector<OpId> sent;
    for (Rank rank = 0; rank < 2; ++rank) {
      run.call(rank, "allreduce");
      sent.push_back(run.send(rank, 1 - rank));
    }
    for (Rank rank = 0; rank < 2; ++rank) {
      run.phase("built-in allreduce");
      run.recv(rank, sent[std::size_t(1 - rank)]);
      run.returned(rank);
    }
    run.end_all();
    CHECK(told(run).empty());
  }
}
