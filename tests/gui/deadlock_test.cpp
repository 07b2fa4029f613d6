// A deadlock in the real window: one problem, its lines, and the ghost runs below its stage.
#include "engine/core/trace/trace_file.h"
#include "tests/gui/picture.h"
#include "tests/gui/screen.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

void write_deadlock(const std::string& file) {
  ScriptedRun run(4);
  run.status(JobResult::Status::deadlock);
  run.meta.sources = {{"worker.py",
                       "def exchange(tensor):\n"
                       "    dist.send(tensor, right)\n"
                       "    dist.recv(received, left)\n"}};
  run.line(2);
  for (Rank rank = 0; rank < 4; ++rank) run.post(Verb::send, rank, (rank + 1) % 4, 32);
  TraceWriter writer(file, run.meta);
  for (EventBatch batch : run.batches()) writer.deliver(std::move(batch));
  writer.close(run.meta);
}

}  // namespace

TEST_CASE("a deadlock is one problem, and its ghost runs come to their end", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  write_deadlock(screen / "ring.rankscope");
  const Finished done = screen.script({"layout stage",
                                       "view side problems",
                                       "open ring.rankscope",
                                       "wait run",
                                       "expect problems 1",
                                       "expect state deadlock",
                                       "expect what-if as-written",
                                       "wait 0.5",
                                       "screenshot deadlock.png",
                                       "what-if receive-first",
                                       "expect rounds 2",
                                       "expect what-if.outcome ends after 2 steps",
                                       "wait moment 2.000",
                                       "wait 0.3",
                                       "screenshot ghost.png",
                                       "expect problems 1",
                                       "what-if as-written",
                                       "expect state deadlock",
                                       "wait 0.5",
                                       "screenshot again.png"});
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture first(screen / "deadlock.png"), ghost(screen / "ghost.png"),
      again(screen / "again.png");
  CHECK(first.differences(ghost) > 10'000);
  CHECK(first.differences(again) < first.differences(ghost) / 3);
}
