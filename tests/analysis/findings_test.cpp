// Mistakes of messages, calls and memory are named, and what only looks like one is not.
#include "engine/analysis/findings/findings.h"

#include <random>

#include <fmt/format.h>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/core/run/job_json.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using test::ScriptedRun;
using Kind = Finding::Kind;
using Severity = Finding::Severity;

namespace {

Finding the_finding(const ScriptedRun& run) {
  const auto found = findings(run.trace());
  for (const Finding& one : found) UNSCOPED_INFO(to_string(one.kind) << ": " << one.what);
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].why.empty());
  CHECK_FALSE(found[0].advice.empty());
  return found[0];
}

void none(const ScriptedRun& run) {
  const auto found = findings(run.trace());
  for (const Finding& one : found) UNSCOPED_INFO(to_string(one.kind) << ": " << one.what);
  CHECK(found.empty());
}

}  // namespace

TEST_CASE("findings: a message that is longer than its receive", "[findings]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::failed);
  run.line(7);
  const OpId sent = run.send(0, 1, 64);
  run.line(9);
  run.arrive(run.irecv(1, 0, 32), sent, false);
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::truncated);
  CHECK(found.severity == Severity::error);
  CHECK(found.ranks == std::vector<Rank>{0, 1});
  CHECK(found.site == "worker.py:9");
  CHECK(found.what ==
        "the message from rank 0 to rank 1 (sent at worker.py:7, received at "
        "worker.py:9) has 64 bytes, but the receive has room for 32 only");
}

TEST_CASE("findings: a shorter message is a fault where the platform knows none", "[findings]") {
  const auto run_of = [](const char* job, Verb verb = Verb::recv) {
    ScriptedRun run(2);
    read_job_text(job, run.meta);
    const OpId sent = run.send(0, 1, 16);
    run.arrive(run.post(verb, 1, 0, 32), sent);
    run.end_all();
    return run;
  };
  const Finding found = the_finding(run_of(R"({"every_wait":true,"platform":"torch"})"));
  CHECK(found.kind == Kind::size_mismatch);
  CHECK(found.severity == Severity::warning);
  none(run_of(R"({"every_wait":true,"platform":"mpi4py"})"));
  none(run_of(R"({"every_wait":true,"platform":"native"})"));
  none(run_of("{}"));  // our own algorithms count on it
  CHECK(the_finding(run_of("{}", Verb::recv_reduce)).severity == Severity::error);
}

TEST_CASE("findings: a receive that takes a message of any length", "[findings]") {
  ScriptedRun run(2);  // as mpi4py's objects are received
  const OpId sent = run.send(0, 1, 79);
  const OpId got = run.irecv(1, 0, 0);
  run.last().dtype = DType::uint8;
  run.arrive(got, sent);
  run.end_all();
  none(run);
}

TEST_CASE("findings: mpi4py's objects and buffers do not mix", "[findings]") {
  const auto [receive, mixed] =
      GENERATE(table<std::string, bool>({{"Recv(x, 0)", true}, {"recv()", false}}));
  ScriptedRun run(2);
  run.meta.job->call.platform = "mpi";
  run.meta.sources = {{"worker.py", "comm.send(x, dest=1)\ny = comm." + receive + "\n"}};
  run.line(1);
  const OpId sent = run.send(0, 1, 158);
  run.line(2);
  run.arrive(run.irecv(1, 0, mixed ? 32 : 0), sent, !mixed);
  run.end_all();
  if (!mixed) return none(run);
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::mixed_kinds);
  CHECK(found.site == "worker.py:2");
  CHECK_THAT(found.what, ContainsSubstring("send meets Recv"));
  CHECK_THAT(found.advice, ContainsSubstring("Send with Recv"));
}

TEST_CASE("findings: types that differ, once for a pair of lines", "[findings]") {
  for (const auto type : {DType::int32, DType::uint8, DType::float32}) {
    ScriptedRun run(2);
    for (int i = 0; i < 3; ++i) {
      run.line(4);
      const OpId sent = run.send(0, 1);
      run.line(5);
      const OpId got = run.irecv(1, 0);
      run.last().dtype = type;
      run.arrive(got, sent);
      run.wait(got);
    }
    run.end_all();
    if (type == DType::float32) {
      none(run);
      continue;
    }
    const Finding found = the_finding(run);
    CHECK(found.kind == Kind::dtype_mismatch);
    // Raw bytes may be meant.
    CHECK(found.severity == (type == DType::uint8 ? Severity::hint : Severity::warning));
    CHECK_THAT(found.what, ContainsSubstring("is sent as float32 and received as"));
    CHECK_THAT(found.what, ContainsSubstring("(and 2 more times at the same place)"));
    CHECK(any_fault(findings(run.trace())) == (type == DType::int32));
  }
}

TEST_CASE("findings: calls of new_group that some ranks do not make", "[findings]") {
  ScriptedRun run(3);
  for (const int line : {10, 12}) {
    run.line(line);
    for (Rank rank = 0; rank < (line == 12 ? 1 : 3); ++rank) run.note(Note::group_made, rank, 0);
  }
  run.end_all();
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::mismatched_call);
  CHECK(found.severity == Severity::warning);
  CHECK(found.site == "worker.py:12");
  CHECK(found.what ==
        "rank 0 makes 2 calls of new_group, rank 1 1: one at worker.py:12 is missing there");
}

TEST_CASE("findings: notes of the machinery", "[findings]") {
  ScriptedRun run(2);
  run.line(12);
  const auto note =
      GENERATE(Note::self_send, Note::not_contiguous, Note::buffer_changed, Note::request_dropped);
  OpId about = 0;
  if (note == Note::buffer_changed || note == Note::request_dropped) {
    about = run.isend(0, 1);
    run.recv(1, about);
  }
  run.note(note, 0, about).bytes = 8;
  run.end_all();
  const Finding found = the_finding(run);
  CHECK(found.site == "worker.py:12");
  CHECK(found.ranks[0] == 0);
  switch (note) {
    case Note::self_send:
      CHECK(found.kind == Kind::self_send);
      CHECK(found.what == "rank 0 sends to itself at worker.py:12");
      break;
    case Note::not_contiguous:
      CHECK(found.kind == Kind::not_contiguous);
      CHECK_THAT(found.advice, ContainsSubstring(".contiguous()"));
      break;
    case Note::buffer_changed:
      CHECK(found.kind == Kind::buffer_in_use);
      CHECK(found.what ==
            "the memory of rank 0's send to rank 1 at worker.py:12 changed (8 bytes) "
            "before the request was waited for");
      break;
    case Note::group_made: break;
    case Note::request_dropped:
      CHECK(found.kind == Kind::request_dropped);
      CHECK(found.severity == Severity::warning);
      // A program that failed had no time for it.
      run.status(JobResult::Status::failed);
      none(run);
      break;
  }
}

TEST_CASE("findings: a receive that nothing matches and nobody waits for is one warning",
          "[findings]") {
  ScriptedRun run(2);
  run.line(12);
  const bool other_tag = GENERATE(false, true);
  const OpId about = other_tag ? run.irecv(0, 1, 8, 3) : run.irecv(0, kAnyRank);
  if (other_tag) run.send(1, 0, 8, 4);
  run.note(Note::request_dropped, 0, about);
  run.end_all();
  const auto found = findings(run.trace());
  REQUIRE(!found.empty());
  CHECK(found.front().kind == Kind::unmatched);
  CHECK(found.front().site == "worker.py:12");
  if (other_tag) {  // a message that was meant for it has come
    CHECK(found.front().severity == Severity::error);
    return;
  }
  CHECK(found.size() == 1);
  CHECK(found.front().severity == Severity::warning);
  CHECK_THAT(found.front().what, ContainsSubstring("from any rank (tag 0) at worker.py:12, and "
                                                   "nobody waits for it"));
}

TEST_CASE("findings: messages that nobody receives are one finding for each place", "[findings]") {
  ScriptedRun run(2);
  run.line(12);
  for (int i = 0; i < 9; ++i) run.send(0, 1);
  run.end_all();
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::unreceived);
  CHECK_THAT(found.what, ContainsSubstring("(and 8 more times at the same place)"));
}

TEST_CASE("findings: a receive of any size that was stopped has no size and no type",
          "[findings]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::failed);
  const OpId message = run.send(0, 1, 15);
  run.arrive(run.irecv(1, 0, 0), message, false);
  none(run);
}

TEST_CASE("findings: a rank that leaves a call out is told where", "[findings]") {
  ScriptedRun run(3);
  for (const int line : {10, 12})
    for (const Rank rank : {0, 1, 2}) {
      if (rank == 2 && line == 10) continue;
      run.line(line);
      run.call(rank, "barrier", 0);
      if (line == 10 || rank == 2) run.returned(rank);
    }
  run.end(2);
  run.status(JobResult::Status::deadlock);
  const auto found = findings(run.trace());
  REQUIRE(!found.empty());
  CHECK(found[0].kind == Kind::mismatched_call);
  CHECK(found[0].site == "worker.py:10");
  CHECK_THAT(found[0].what, ContainsSubstring("rank 2 leaves out the barrier at worker.py:10"));
}

TEST_CASE("findings: a collective that nobody waits for is reported as its call", "[findings]") {
  ScriptedRun run(2);
  const bool stuck = GENERATE(false, true);
  for (const Rank rank : {0, 1}) {
    run.line(7);
    run.call(rank, "allreduce");
    run.line(0);
    run.irecv(rank, 1 - rank);  // its inside has not ended
    run.line(7);
    if (rank == 1 || !stuck) run.note(Note::request_dropped, rank);
    run.phase("");
    if (rank == 1 || !stuck) run.end(rank);
  }
  if (stuck) run.status(JobResult::Status::deadlock);
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::request_dropped);
  CHECK(found.severity == (stuck ? Severity::error : Severity::warning));
  CHECK(found.site == "worker.py:7");
  CHECK_THAT(found.what, ContainsSubstring("'s allreduce at worker.py:7"));
}

TEST_CASE("findings: memory of a request that is still open", "[findings]") {
  ScriptedRun run(2);
  run.memory("data", 0);
  run.line(3);
  const OpId out = run.isend(0, 1);
  SECTION("a receive into it") {
    run.memory("data", 8);
    run.line(4);
    const OpId in = run.irecv(0, 1);
    run.arrive(in, run.send(1, 0));
    run.wait(in);
    run.wait(out);
    run.recv(1, out);
    run.end_all();
    const Finding found = the_finding(run);
    CHECK(found.kind == Kind::buffer_in_use);
    CHECK(found.severity == Severity::warning);
    CHECK(found.site == "worker.py:4");
    CHECK(found.what ==
          "on rank 0, the receive from rank 1 at worker.py:4 writes memory of \"data\" "
          "that the send to rank 1 at worker.py:3 still uses");
  }
  SECTION("a receive beside it, and one after the wait") {
    run.memory("data", 16);
    const OpId in = run.irecv(0, 1);
    run.arrive(in, run.send(1, 0));
    run.wait(in);
    run.wait(out);
    run.memory("other");
    run.recv(1, out);
    const OpId next = run.send(1, 0);
    run.memory("data", 0);
    run.recv(0, next);
    run.end_all();
    none(run);
  }
  SECTION("sent twice") {  // both only read
    const OpId again = run.isend(0, 1);
    run.wait(out);
    run.wait(again);
    run.memory("other");
    run.recv(1, out);
    run.recv(1, again);
    run.end_all();
    none(run);
  }
  SECTION("work on it") {
    const std::uint32_t data = run.buffer(0);
    StepEvent& scaled = run.work(Verb::scale, 0);
    scaled.out_buffer = data;
    scaled.bytes = 16;
    run.wait(out);
    run.memory("other");
    run.recv(1, out);
    run.end_all();
    CHECK_THAT(the_finding(run).what, ContainsSubstring("the scale at worker.py:3 writes memory"));
  }
}

TEST_CASE("findings: memory of a receive that has not ended", "[findings]") {
  ScriptedRun run(3);
  run.memory("data");
  run.line(3);
  const OpId in = run.irecv(0, 1);
  run.line(4);
  const bool twice = GENERATE(false, true);
  run.memory("theirs");
  const OpId first = run.send(1, 0), second = run.isend(2, 0);
  run.memory("data");
  const OpId other = twice ? run.irecv(0, 2) : run.send(0, 2);
  run.arrive(in, first);
  run.wait(in);
  run.memory("more");
  if (twice) run.arrive(other, second);
  else {
    run.recv(0, second);
    run.recv(2, other);
  }
  run.wait(second);
  run.end_all();
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::buffer_in_use);
  CHECK_THAT(found.what, ContainsSubstring(twice ? "the receive from rank 2 at worker.py:4 writes"
                                                 : "the send to rank 2 at worker.py:4 reads"));
}

TEST_CASE("findings: a rank that ended while another one waits for it", "[findings]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.end(0);
  run.line(20);
  run.irecv(1, 0);
  run.end(1);
  run.last().tag = 1;  // it was stopped
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::early_exit);
  CHECK(found.ranks == std::vector<Rank>{0, 1});
  CHECK(found.what ==
        "rank 0 ended while rank 1 still waits for its message (tag 0) at "
        "worker.py:20");
}

TEST_CASE("findings: a message to itself that nothing takes", "[findings]") {
  ScriptedRun run(2);
  const bool blocked = GENERATE(false, true);
  run.line(8);
  if (blocked) {
    run.status(JobResult::Status::deadlock);
    run.irecv(1, 1);
  } else {
    run.wait(run.isend(1, 1));
    run.end_all();
  }
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::self_send);
  CHECK(found.ranks == std::vector<Rank>{1, 1});
  CHECK_THAT(found.what, ContainsSubstring("itself (tag 0) at worker.py:8"));
}

TEST_CASE("findings: what a rank failed of", "[findings]") {
  ScriptedRun run(2);
  // That rank 0 was slow to stop follows from it.
  read_result_text(
      R"({"status":"failed","failed_rank":1,"failures":[{"rank":0,"what":"did not stop when asked"}],)"
      R"("ranks":[{"rank":0,"error":"rank 0 at a.cpp:3: rank 1 failed"},{"rank":1,"error":"KeyError: 3"}]})",
      run.meta);
  run.line(5);
  run.send(1, 0);
  const Finding found = the_finding(run);
  CHECK(found.kind == Kind::lost_rank);
  CHECK(found.what == "rank 1 failed: KeyError: 3");
  CHECK(found.site == "worker.py:5");

  // What repairs an error is read from its words, and from its line where that is known.
  const auto failure = [](const std::vector<std::string>& errors) {
    ScriptedRun failed(2);
    failed.meta.sources = {
        {"a.cpp", "int share(int all, int n) {\n  return all / n + 1;  // n % 2\n}\n"}};
    std::string ranks;
    for (const std::string& error : errors)
      ranks += fmt::format(R"({}{{"rank":{},"error":"{}"}})", ranks.empty() ? "" : ",",
                           ranks.empty() ? 0 : 1, error);
    read_result_text(R"({"status":"failed","failed_rank":0,"ranks":[)" + ranks + "]}", failed.meta);
    failed.send(1, 0);
    return the_finding(failed);
  };
  CHECK_THAT(failure({"SIGFPE: it divided by zero (/x/a.cpp:2 in share)"}).advice,
             ContainsSubstring("n is 0 there."));
  CHECK_THAT(failure({"SIGFPE: it divided by zero (/x/b.cpp:2 in share)"}).advice,
             ContainsSubstring("A divisor of this line is 0 there."));
  const std::string index =
      "std::out_of_range: __n (which is {}) >= this->size() (which is 4) (/x/a.cpp:2)";
  const Finding both =
      failure({fmt::format(fmt::runtime(index), 7), fmt::format(fmt::runtime(index), 8)});
  CHECK(both.ranks == std::vector<Rank>{0, 1});
  CHECK_THAT(both.advice,
             ContainsSubstring("The index 7 is beyond the end: the last element is 3."));
}

TEST_CASE("findings: events that no run makes are survived", "[findings]") {
  std::mt19937_64 random(6);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int i = 0; i < 300; ++i) {
    const int ranks = int(1 + below(4));
    std::vector<EventBatch> batches(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
      auto& batch = batches[static_cast<std::size_t>(rank)];
      batch.rank = rank;
      for (std::uint64_t k = below(60); k-- > 0;) {
        StepEvent event;
        event.rank = rank;
        event.seq = static_cast<std::uint32_t>(batch.events.size());
        event.kind = static_cast<EventKind>(below(kEventKindCount));
        event.verb = static_cast<Verb>(below(kVerbCount));
        event.op = make_op(Rank(below(std::uint64_t(ranks) + 1)), below(9));
        event.cause = below(3) == 0 ? 0 : make_op(Rank(below(std::uint64_t(ranks) + 1)), below(9));
        event.peer = Rank(below(std::uint64_t(ranks) + 3)) - 2;
        event.tag = std::int32_t(below(4));
        event.bytes = below(5) == 0 ? ~std::uint64_t{0} - below(9) : below(64);
        event.in_offset = event.out_offset =
            below(5) == 0 ? ~std::uint64_t{0} - below(9) : below(64);
        event.in_buffer = event.out_buffer = std::uint32_t(below(3));
        event.site = event.phase = event.comm = std::uint32_t(below(3));
        event.strand = std::uint16_t(below(3));
        event.time_ns = event.begin_ns = std::int64_t(below(1000));
        batch.events.push_back(event);
      }
    }
    TraceMeta meta;
    meta.world_size = ranks;
    meta.complete = true;
    read_job_text(below(2) == 0 ? R"({"every_wait":true,"platform":7})" : "[1]", meta);
    const char* statuses[] = {"", "ok", "failed", "deadlock", "timeout", "wrong_result"};
    read_result_text(fmt::format(R"({{"status":"{}","ranks":7,"failures":[{{"rank":"x"}}]}})",
                                 statuses[below(6)]),
                     meta);
    const Trace trace = make_trace(batches, meta);
    for (const Finding& one : findings(trace)) {
      CHECK_FALSE(one.what.empty());
      for (const std::uint64_t event : one.events)
        CHECK((event == kNoEvent || event < trace.size()));
    }
    for (const Delegation& one : delegations(trace)) CHECK_FALSE(one.text().empty());
  }
}
