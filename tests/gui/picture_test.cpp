// What stands on the screen, as pixels.
#include "tests/gui/picture.h"

#include "tests/gui/screen.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

namespace {

const std::vector<std::string> kStart = {"run allreduce.ring ranks=4 count=16", "wait run",
                                         "seek 2.5"};
constexpr std::uint32_t kDarkAccent = 0x4DA3FF, kLightAccent = 0x0B63CE;

Finished pictures(const Screen& screen, const std::vector<std::string>& lines,
                  const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> all = kStart;
  all.insert(all.end(), lines.begin(), lines.end());
  return screen.script(all, arguments);
}

}  // namespace

TEST_CASE("pictures are full of things, in the theme's colours", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const auto done =
      pictures(screen,
               {"wait 0.3", "screenshot dark.png", "theme light", "wait 0.3",
                "screenshot light.png", "theme contrast", "wait 0.3", "screenshot contrast.png",
                "theme dark", "wait 0.3", "screenshot again.png"},
               {"--size", "1280x800"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const Picture dark(screen / "dark.png"), light(screen / "light.png"),
      contrast(screen / "contrast.png");
  CHECK(dark.width == 1280);
  CHECK(dark.height == 800);
  CHECK(dark.colors() > 200);
  CHECK(light.colors() > 200);
  CHECK(dark.count(kDarkAccent) > 1000);  // cursor line, Run button, scrubber
  CHECK(light.count(kLightAccent) > 1000);
  CHECK(dark.brightness() < 80);
  CHECK(light.brightness() > 180);
  CHECK(contrast.differences(dark) > 100'000);
  CHECK(Picture(screen / "again.png").differences(dark) == 0);
}

TEST_CASE("the scale changes the picture, and every view draws something", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  std::vector<std::string> lines = {"wait 0.3", "screenshot one.png",  "scale 2",
                                    "wait 0.3", "screenshot two.png",  "scale 1",
                                    "wait 0.3", "screenshot back.png", "maximize main"};
  const std::vector<std::string> views = {"stage", "spacetime", "buffers",    "matrix", "table",
                                          "code",  "events",    "statistics", "inspect"};
  for (const auto& view : views)
    lines.insert(lines.end(), {"view main " + view, "wait 0.3", "screenshot " + view + ".png"});
  const auto done = pictures(screen, lines);
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const Picture one(screen / "one.png");
  CHECK(one.differences(Picture(screen / "two.png")) > 50'000);
  CHECK(one.differences(Picture(screen / "back.png")) == 0);
  for (std::size_t i = 0; i < views.size(); ++i) {
    INFO(views[i]);
    const Picture picture(screen / (views[i] + ".png"));
    CHECK(picture.colors() > 50);
    if (i > 0) CHECK(picture.differences(Picture(screen / (views[i - 1] + ".png"))) > 1000);
  }
}

TEST_CASE("small windows and large letters are drawn", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  for (const auto* size : {"320x240", "800x600", "1600x1000"}) {
    INFO(size);
    const auto done = pictures(screen,
                               {"scale 3", "wait 0.2", "screenshot small.png", "present on",
                                "wait 0.3", "scale 0.75", "wait 0.3", "present off",
                                "panel left off", "panel lower off", "panel right off", "wait 0.2"},
                               {"--size", size, "--fresh"});
    INFO(done.err);
    CHECK(done.exit_code == 0);
  }
}
