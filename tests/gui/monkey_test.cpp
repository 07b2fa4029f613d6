// Random commands, clicks and keys.
#include <cstdlib>
#include <random>

#include "tests/gui/screen.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

namespace {

std::string last_lines(const std::string& text, int lines) {
  std::size_t at = text.size();
  while (lines-- > 0 && at != std::string::npos && at > 0) at = text.rfind('\n', at - 1);
  return at == std::string::npos ? text : text.substr(at);
}

void play(int seconds, const std::string& seed) {
  const Screen screen;
  const auto done =
      screen.gui({"--monkey", std::to_string(seconds), "--seed", seed, "--size", "1000x700"},
                 std::chrono::seconds(seconds * 3 + 60));
  INFO("seed " << seed << '\n' << done.out << last_lines(done.err, 60));
  CHECK_FALSE(done.timed_out);
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("commands (") != std::string::npos);
  CHECK(eventually([&] { return screen.processes().empty(); }, std::chrono::seconds(5)));
  WARN(last_lines(done.out, 2));
}

}  // namespace

TEST_CASE("twenty seconds of a monkey", "[gui]") {
  if (can_see()) play(20, "1");
}

// $RANKSCOPE_MONKEY_SEED: what is to be seen again.
TEST_CASE("a minute of another monkey each time", "[gui][full]") {
  if (!can_see()) return;
  const char* seed = std::getenv("RANKSCOPE_MONKEY_SEED");
  play(60, seed != nullptr ? seed : std::to_string(std::random_device()()));
}
