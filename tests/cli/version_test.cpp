#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

TEST_CASE("the built command tells its version") {
  const std::string command = "'" + rankscope::test::rankscope_binary().string() + "' --version";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{popen(command.c_str(), "r"), pclose};
  REQUIRE(pipe != nullptr);
  std::array<char, 256> line{};
  REQUIRE(std::fgets(line.data(), line.size(), pipe.get()) != nullptr);
  CHECK(std::string(line.data()).find(RANKSCOPE_VERSION) != std::string::npos);
}
