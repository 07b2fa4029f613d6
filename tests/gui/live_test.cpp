// A held run in the real window: the ghost arrow of an offered message is clicked, and the message goes.
#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

TEST_CASE("a ghost arrow is clicked, and its message is released", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off", "layout stage", "live p2p.ping ranks=2 count=4", "wait still",
                      "wait offers 0>1", "wait 0.5", "print ranks", "wait offers 1>0",
                      "print status", "stop", "wait still", "quit"});
  user.says("ranks=2");
  user.look();
  // Two ranks stand at the left and at the right of the stage, and the arrow between them.
  user.click(440, 311);
  user.says("status=running");
  user.ends_well();
}
