// A training in the window: its curves are drawn while it runs, and it ends with the window.
#include "tests/gui/picture.h"
#include "tests/gui/screen.h"
#include "tests/support/catch.h"
#include "tests/support/idx_pictures.h"

using namespace rankscope::test;

namespace {

/// Settings for pictures that nobody can learn: each run makes all of its iterations.
std::vector<std::string> settings(const Screen& screen, const std::string& iterations) {
  write_random_pictures(screen / "pictures", 64, 32);
  return {"welcome off",        "panel right off",
          "view main training", "training data " + screen / "pictures",
          "training np 1,2",    "training batch 4",
          "training every 5",   "training most " + iterations,
          "training goal 1"};
}

Finished played(const Screen& screen, std::vector<std::string> lines) {
  lines.emplace_back("quit");
  return screen.gui({"--script", screen.write_script(lines)});
}

// Of the line of the second number of workers; nothing else in the empty window has it.
constexpr std::uint32_t kSecondLine = 0xEE6677;

}  // namespace

TEST_CASE("a training is started in the window, and its curves are drawn", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  auto lines = settings(screen, "40");
  for (const char* line : {"wait 0.3", "screenshot before.png", "train", "expect training running",
                           "wait training done", "wait training.done 2", "expect training.looks 16",
                           "wait 0.5", "screenshot after.png"})
    lines.emplace_back(line);
  const Finished done = played(screen, lines);
  INFO(done.err << done.out);
  REQUIRE(done.exit_code == 0);
  const Picture before(screen / "before.png"), after(screen / "after.png");
  CHECK(before.count(kSecondLine) == 0);
  CHECK(after.count(kSecondLine) > 50);
}

TEST_CASE("pictures that are missing are said in the window", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const Finished failed = played(screen, {"welcome off", "training data /no/such/folder", "train"});
  CHECK(failed.exit_code != 0);
  CHECK_THAT(failed.err, ContainsSubstring("there is no folder"));
}

TEST_CASE("the window closes in the middle of a training and leaves nothing", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  auto lines = settings(screen, "1000000");
  lines.insert(lines.end(), {"train", "wait training running", "wait 2"});
  const Finished done = played(screen, lines);
  INFO(done.err << done.out);
  CHECK(done.exit_code == 0);
  CHECK(eventually([&] { return screen.processes().empty(); }));
}
