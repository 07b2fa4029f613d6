// Which line of a program's text writes to an array.
#include "engine/analysis/findings/source_lines.h"

#include "engine/analysis/findings/findings.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using finder::writes_to;
using test::ScriptedRun;

TEST_CASE("source lines: what writes to an array, and what only reads it", "[findings]") {
  for (const char* line : {"  x = y", "x += 1", "x[0] = 3", "x[a[1]][2] -= 1", "x.add_(y)",
                           "x.fill(0)", "x[1:3].mul_(2)", "x //= 2", "x[i]*=2;"}) {
    INFO(line);
    CHECK(writes_to(line, "x"));
  }
  for (const char* line : {"y = x", "x == y", "xs = 1", "print(x)", "x.sum()", "x[0",
                           "dist.send(x, 1)", "x.__len__()", "", "x"}) {
    INFO(line);
    CHECK_FALSE(writes_to(line, "x"));
  }
  CHECK(writes_to("self.grad[2] = 1", "self.grad"));
  CHECK_FALSE(writes_to("anything = 1", ""));
}

TEST_CASE("findings: memory that is written too early is blamed on the write's line",
          "[findings]") {
  ScriptedRun run(2);
  run.meta.sources = {{"course/worker.py",
                       "a\nb\nrequest = isend(data[0])\nprint(data)\n"
                       "data[1] = 4\nrecv(other)\nrequest.wait()\n"}};
  run.memory("data", 0);
  run.line(3);
  const OpId out = run.isend(0, 1);
  run.line(6);
  const std::uint32_t data = run.buffer(0);
  const bool beside = GENERATE(false, true);
  StepEvent& write = run.work(Verb::touch, 0);
  write.kind = EventKind::watch;
  write.out_buffer = data;
  write.out_offset = beside ? 16 : 0;
  write.bytes = 16;
  run.line(7);
  run.wait(out);
  run.memory("");
  run.recv(1, out);
  run.end_all();
  const auto found = findings(run.trace());
  if (beside) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Finding::Kind::buffer_in_use);
  CHECK(found[0].site == "worker.py:5");
  CHECK_THAT(found[0].what, ContainsSubstring("the code at worker.py:5 writes memory of \"data\""));
}
