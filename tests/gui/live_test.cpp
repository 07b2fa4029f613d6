// A held run in the real window: what moves its processes, and what only looks at them.
#include <algorithm>
#include <random>

#include <fmt/format.h>

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

namespace {

/// Where a held ring of 4 stands: 4 messages go in each of its 6 rounds.
struct HeldRing {
  int released = 0, shown = 0;  // rounds
  bool over() const { return released == 6; }

  void press(const std::string& key) {
    if (key == "Home") shown = 0;
    else if (key == "End") shown = released;
    else if (key == "Prior" || key == "Left") shown = std::max(0, shown - 1);
    else if (shown < released) ++shown;
    else if (!over()) shown = ++released;
  }
  /// Holds once the window has taken the key in; says so in one line.
  std::vector<std::string> lines() const {
    return {fmt::format("wait messages {}", released * 4),
            fmt::format("wait moment {}.000", shown),
            "wait still",
            fmt::format("expect messages {}", released * 4),
            fmt::format("expect moment {}.000", shown),
            "print moment"};
  }
};

void walk(std::uint32_t seed, std::size_t presses, const std::string& before) {
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::vector<std::string> kKeys = {"Next",  "Next", "Next", "Right", "Prior",
                                          "Prior", "Left", "Home", "End"};
  HeldRing ring;
  std::vector<std::string> lines{"welcome off",
                                 "motion off",
                                 "live allreduce.ring ranks=4 count=16",
                                 "wait still",
                                 "wait offers 0>1 1>2 2>3 3>0",
                                 before,
                                 "print moment"};
  std::vector<std::string> keys;
  while (keys.size() < presses) {
    // The last round ends the run, and with it what could be moved unseen: it comes near the end.
    const bool early = ring.released == 5 && ring.shown == 5 && keys.size() + 20 < presses;
    std::string key = kKeys[random() % kKeys.size()];
    if (early && (key == "Next" || key == "Right")) key = "Prior";
    ring.press(key);
    keys.push_back(key);
    for (auto& line : ring.lines()) lines.push_back(std::move(line));
  }
  lines.emplace_back("stop");
  lines.emplace_back("wait still");
  lines.emplace_back("quit");
  const SimulatedUser user(lines);
  const auto printed = [&](std::size_t count) {
    const bool said = eventually([&] {
      const std::string out = user.gui->out();
      return static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n')) >= count ||
             !user.gui->err().empty();
    });
    INFO(count << " of " << keys.size() << '\n' << user.gui->out() << '\n' << user.gui->err());
    REQUIRE(said);
    REQUIRE(user.gui->err().empty());
  };
  printed(1);
  user.look();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    user.keys({keys[i]});
    printed(i + 2);
  }
  user.ends_well();
  CHECK(ring.released >= 5);
}

}  // namespace

TEST_CASE("in a held run keys only look, until one goes forwards from the present", "[gui]") {
  if (!can_see(true)) return;
  walk(43, 200, "present on");
}

TEST_CASE("outside of a presentation keys move held processes no otherwise", "[gui]") {
  if (!can_see(true)) return;
  walk(7, 60, "present off");
}
