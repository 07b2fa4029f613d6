// Random commands, clicks and keys.
#include <cstdlib>
#include <filesystem>
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

// With sanitizers, of memory and of undefined behaviour, where it was built.
std::string checked_program() {
  const std::filesystem::path checked = gui_program() + "-checked";
  return std::filesystem::exists(checked) ? checked.string() : gui_program();  // the preset asan
}

void play(int seconds, const std::string& seed) {
  const Screen screen;
  ProcessOptions options;
  options.environment = screen.environment();
  for (auto& [name, value] : options.environment)
    if (name == "ASAN_OPTIONS") value = "detect_leaks=1";
  options.folder = screen.folder();
  const auto done = run_process({checked_program(), "--monkey", std::to_string(seconds), "--seed",
                                 seed, "--size", "1000x700"},
                                options);
  INFO("seed " << seed << '\n' << done.out << last_lines(done.err, 60));
  CHECK_FALSE(done.timed_out);
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("commands (") != std::string::npos);
  CHECK(eventually([&] { return screen.processes().empty(); }));
  WARN(last_lines(done.out, 2));
}

}  // namespace

TEST_CASE("half a minute of a monkey", "[gui]") {
  if (can_see()) play(30, "1");
}

TEST_CASE("a monkey presses Escape while one menu replaces another", "[gui]") {
  if (can_see()) play(15, "442112848");
}

// $RANKSCOPE_MONKEY_SEED: what is to be seen again.
TEST_CASE("five minutes of another monkey each time, with sanitizers", "[gui][full]") {
  if (!can_see()) return;
  const char* seed = std::getenv("RANKSCOPE_MONKEY_SEED");
  play(300, seed != nullptr ? seed : std::to_string(std::random_device()()));
}
