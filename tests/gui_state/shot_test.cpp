// A step is a shot: it is played to the next stop, and over at once when it is asked for again.
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

struct Watched : Driven {
  std::string after(double seconds) {
    app.update(seconds);
    return value("moment");
  }
  /// Seconds until it stands, in frames of a hundredth.
  double lasts() {
    int frames = 0;
    for (; value("playing") == "yes" && frames < 1000; ++frames) app.update(0.01);
    return frames * 0.01;
  }
};

}  // namespace

TEST_CASE("shot: a step is played, backwards faster, and ends at once when asked again",
          "[gui_state]") {
  Watched one;
  one.ring();
  REQUIRE(one.does("first"));
  REQUIRE(one.does("play-step"));
  CHECK(one.after(0.5) == "0.500");
  REQUIRE(one.does("play-step"));
  CHECK(one.value("moment") == "1.000");
  CHECK(one.value("playing") == "no");
  REQUIRE(one.does("play-step"));
  const double on = one.lasts();
  CHECK(one.value("moment") == "2.000");
  REQUIRE(one.does("play-step-back"));
  CHECK(one.value("playing") == "yes");
  const double back = one.lasts();
  CHECK(one.value("moment") == "1.000");
  CHECK(back < on / 2);
  // In the middle it turns round.
  REQUIRE(one.does("play-step"));
  CHECK(one.after(0.5) == "1.500");
  REQUIRE(one.does("play-step-back"));
  one.lasts();
  CHECK(one.value("moment") == "1.000");
  // A step that is clicked plays from its beginning.
  REQUIRE(one.does("play-step 5"));
  CHECK(one.after(0.25) == "4.250");
  one.lasts();
  CHECK(one.value("moment") == "5.000");
  CHECK_FALSE(one.does("play-step 7"));
  CHECK_THAT(one.message(), ContainsSubstring("the last one is 6"));
  // While all of it plays, the step at the cursor is the last one.
  REQUIRE(one.does("first"));
  REQUIRE(one.does("play"));
  one.app.update(0.25);
  REQUIRE(one.does("play-step"));
  CHECK(one.value("moment") == "1.000");
  CHECK(one.value("playing") == "no");
}

TEST_CASE("shot: scripts, and who wants no motion, are at the stop at once", "[gui_state]") {
  Watched one;
  one.ring();
  REQUIRE(one.does("first"));
  REQUIRE(one.does("step"));
  CHECK(one.value("moment") == "1.000");
  REQUIRE(one.does("step-back"));
  CHECK(one.value("moment") == "0.000");
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("play-step"));
  CHECK(one.value("moment") == "1.000");
  CHECK(one.value("playing") == "no");
}

TEST_CASE("shot: one of measured time is neither missed nor endless", "[gui_state]") {
  Watched one;
  one.ring();
  REQUIRE(one.does("clock measured"));
  REQUIRE(one.does("first"));
  for (int i = 0; i < 4; ++i) {
    REQUIRE(one.does("play-step"));
    const double lasts = one.lasts();
    CHECK(lasts > 0.35);
    CHECK(lasts < 1.7);
  }
}

TEST_CASE("shot: a round that is released is seen on its way", "[gui_state]") {
  Watched one;
  CHECK(one.script({"live allreduce.ring ranks=4 count=16", "wait still"}).empty());
  REQUIRE(one.until([&] { return one.value("offers") == "0>1 1>2 2>3 3>0"; }));
  REQUIRE(one.does("next-stop"));
  REQUIRE(one.until([&] { return one.value("playing") == "yes"; }));
  REQUIRE(one.until([&] { return one.value("playing") == "no"; }));
  CHECK(one.value("moment") == "1.000");
  // A script does not wait for what nobody watches.
  CHECK(one.script({"release-round", "wait still", "expect moment 2.000"}).empty());
  CHECK(one.does("stop"));
}
