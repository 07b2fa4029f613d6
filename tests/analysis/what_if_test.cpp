// Which ranks a deadlock blocks, and what becomes of it when its program is written otherwise.
#include "engine/analysis/findings/what_if.h"

#include <algorithm>

#include "engine/analysis/events/rounds.h"
#include "engine/analysis/findings/findings.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using test::ScriptedRun;

namespace {

constexpr const char* kSendFirst =
    "def exchange(tensor):\n"
    "    dist.send(tensor, right)\n"
    "    dist.recv(received, left)\n"
    "    return received\n";

/// Each rank of a ring sends to the next one in line 2, and none has come to its receive in line 3.
ScriptedRun ring_of_sends(int ranks, const char* source = kSendFirst) {
  ScriptedRun run(ranks);
  run.status(JobResult::Status::deadlock);
  run.meta.sources = {{"worker.py", source}};
  run.line(2);
  for (Rank rank = 0; rank < ranks; ++rank) run.post(Verb::send, rank, (rank + 1) % ranks, 32);
  return run;
}

const WhatIf& named(const std::vector<WhatIf>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &WhatIf::name);
  REQUIRE(found != all.end());
  return *found;
}

std::vector<std::string> names_of(const std::vector<WhatIf>& all) {
  std::vector<std::string> names;
  for (const WhatIf& one : all) names.emplace_back(one.name);
  return names;
}

}  // namespace

TEST_CASE("blocked ranks: a ring of sends, with the line that nobody reached", "[analysis]") {
  const BlockedRanks blocked = blocked_ranks(ring_of_sends(4).trace());
  REQUIRE(blocked.groups.size() == 1);
  const BlockedGroup& group = blocked.groups[0];
  CHECK(group.circle);
  CHECK(group.by_order);
  CHECK(group.brief == "each waits for the next");
  REQUIRE(group.roots.size() == 4);
  CHECK(group.roots[3].on == 0);
  CHECK(group.roots[0].line == 2);
  CHECK(group.roots[0].code == "dist.send(tensor, right)");
  CHECK(group.roots[0].next_line == 3);
  CHECK(blocked_ranks(ScriptedRun(2).trace()).groups.empty());
}

TEST_CASE("blocked ranks: two circles are two, and who only follows is no root", "[analysis]") {
  ScriptedRun run(5);
  run.status(JobResult::Status::deadlock);
  run.line(7);
  for (Rank rank = 0; rank < 4; ++rank) run.irecv(rank, rank ^ 1);
  run.irecv(4, 2);
  const BlockedRanks blocked = blocked_ranks(run.trace());
  REQUIRE(blocked.groups.size() == 2);
  CHECK(blocked.groups[0].followers.empty());
  REQUIRE(blocked.groups[1].followers.size() == 1);
  CHECK(blocked.groups[1].followers[0].rank == 4);
}

TEST_CASE("blocked ranks: a tag that differs is the cause, and the same tag ends it",
          "[analysis]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(3);
  run.post(Verb::send, 0, 1, 16, 1);
  run.line(5);
  run.irecv(1, 0, 16, 2);
  const Trace trace = run.trace();
  const BlockedRanks blocked = blocked_ranks(trace);
  REQUIRE(blocked.groups.size() == 1);
  CHECK(blocked.groups[0].brief == "the tags differ");
  const auto all = what_ifs(trace);
  CHECK(names_of(all) == std::vector<std::string>{"same-tags", "buffered", "as-written"});
  CHECK(named(all, "same-tags").ends);
  CHECK_FALSE(named(all, "buffered").ends);
  CHECK(named(all, "buffered").outcome == "still a deadlock: rank 1 waits for rank 0");
}

TEST_CASE("what if: of a ring of sends each change is gone through", "[analysis]") {
  const int ranks = GENERATE(2, 4, 5, 16);
  const auto all = what_ifs(ring_of_sends(ranks).trace());
  CHECK(names_of(all) ==
        std::vector<std::string>{"receive-first", "isend", "buffered", "as-written"});
  CHECK(all[0].label == "rank 0 receives first");
  for (const char* name : {"receive-first", "isend", "buffered"}) {
    const WhatIf& one = named(all, name);
    CAPTURE(ranks, name, one.outcome);
    CHECK(one.ends);
    // Every message arrives, in the rounds that are said.
    const Rounds found = rounds(one.run);
    REQUIRE(found.messages.size() == static_cast<std::size_t>(ranks));
    for (const MessageRecord& message : found.messages) CHECK(message.received != kNoEvent);
    CHECK(one.outcome ==
          fmt::format("ends after {} step{}", found.count, found.count == 1 ? "" : "s"));
    CHECK_FALSE(any_error(findings(one.run)));
    CHECK(one.proviso.find("line 3") != std::string::npos);
  }
  CHECK(rounds(named(all, "isend").run).count == 1);
  CHECK(rounds(named(all, "receive-first").run).count == 2);
  const WhatIf& real = named(all, "as-written");
  CHECK_FALSE(real.ends);
  CHECK(real.outcome.starts_with("deadlock: 0 → 1"));
  CHECK(any_error(findings(real.run)));
}

TEST_CASE("what if: a receive that names another rank stays a deadlock", "[analysis]") {
  // The receive is from the rank that is sent to: no order helps, for it sends to another one.
  const auto all = what_ifs(ring_of_sends(4,
                                          "def exchange(tensor):\n"
                                          "    dist.send(tensor, right)\n"
                                          "    dist.recv(received, right)\n")
                                .trace());
  CHECK_FALSE(named(all, "receive-first").ends);
  CHECK_FALSE(named(all, "isend").ends);
  CHECK(named(all, "isend").outcome.starts_with("still a deadlock: 0 → 1"));
}

TEST_CASE("what if: buffered sends to a rank that has ended are left over", "[analysis]") {
  ScriptedRun run(2);
  run.status(JobResult::Status::deadlock);
  run.line(4);
  run.post(Verb::send, 0, 1);
  run.end(1);
  const auto all = what_ifs(run.trace());
  CHECK_FALSE(named(all, "buffered").ends);
  CHECK(named(all, "buffered").outcome == "goes on, but 1 message is never received");
  CHECK(named(all, "as-written").outcome == "deadlock: rank 0 waits for rank 1");
}

TEST_CASE("what if: without the program's text nobody knows what comes next", "[analysis]") {
  ScriptedRun run = ring_of_sends(4);
  run.meta.sources.clear();
  const auto all = what_ifs(run.trace());
  CHECK(names_of(all) == std::vector<std::string>{"buffered", "as-written"});
  CHECK(named(all, "buffered").outcome.starts_with("goes on"));
  CHECK(named(all, "buffered").proviso == "What each of 4 ranks calls next is not known.");
  CHECK(what_ifs(ScriptedRun(2).trace()).empty());
}
