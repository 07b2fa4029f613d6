// A run too large to be held, in the real program: all of it is seen, and what is held around the cursor.
#include <cstdlib>

#include "engine/core/trace/trace_file.h"
#include "tests/gui/picture.h"
#include "tests/gui/screen.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_ring.h"

using namespace rankscope;
using namespace rankscope::test;

TEST_CASE("a run held in parts is seen whole, and near the cursor in all views", "[gui]") {
  if (!can_see()) return;
  const Screen screen("1280x720");
  const std::string file = screen / "large.rankscope";
  std::uint64_t made = 0;
  {
    TraceWriter writer(file, MadeUpRing::meta(4), 1);
    MadeUpRing ring(4);
    for (std::uint64_t next = 3000; ring.made() < 60'000; next += 3000) {
      ring.run(writer, next);
      writer.flush();
    }
    made = ring.made();
    writer.close(MadeUpRing::meta(4));
  }
  ::setenv("RANKSCOPE_STREAM_EVENTS", "8000", 1);
  const auto done = screen.script({"open \"" + file + "\"",
                                   "wait run",
                                   "expect events " + std::to_string(made),
                                   "expect clock measured",
                                   "layout standard",
                                   "view lower events",
                                   "wait 0.3",
                                   "screenshot whole.png",
                                   "seek 5000",
                                   "wait 0.2",
                                   "wait run",
                                   "wait 0.3",
                                   "screenshot moved.png",
                                   "zoom held",
                                   "wait 0.5",
                                   "screenshot near.png",
                                   "view lower stage",
                                   "view side statistics",
                                   "wait 0.3",
                                   "view side problems",
                                   "expect problems 1",
                                   "zoom fit",
                                   "first",
                                   "wait 0.2",
                                   "wait run",
                                   "last",
                                   "step-back",
                                   "play",
                                   "wait 0.5"});
  ::unsetenv("RANKSCOPE_STREAM_EVENTS");
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture whole(screen / "whole.png"), moved(screen / "moved.png"), near(screen / "near.png");
  CHECK(whole.colors() > 50);
  CHECK(moved.differences(whole) > 500);  // other events, and the cursor
  CHECK(near.differences(moved) > 5000);  // arrows in place of cells
}
