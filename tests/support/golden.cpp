// Compares texts with approved files, and accepts new ones on request.
#include "tests/support/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope::test {
namespace {

bool accepting() {
  const char* value = std::getenv("RANKSCOPE_ACCEPT");
  return value != nullptr && std::string_view(value) == "1";
}

/// Returns "line 7:\n  approved: ...\n  now:      ..."
std::string first_difference(const std::string& approved, const std::string& now) {
  std::istringstream left(approved), right(now);
  for (int line = 1;; ++line) {
    std::string a, b;
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    if (!more_left && !more_right) return "only the end of the last line differs";
    if (more_left != more_right || a != b)
      return fmt::format("line {}:\n  approved: {}\n  now:      {}", line,
                         more_left ? a : "(the end)", more_right ? b : "(the end)");
  }
}

}  // namespace

void check_golden(std::string_view name, const std::string& text) {
  const auto path = source_root() / "tests/golden" / fmt::format("{}.txt", name);
  if (accepting()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    INFO("cannot write " << path.string());
    REQUIRE(out.good());
    return;
  }
  std::ifstream in(path, std::ios::binary);
  INFO("golden text " << name << ": if the change is meant, run tests/support/accept_golden.sh and "
                      << "read the difference");
  INFO("file: " << path.string());
  REQUIRE(in.good());
  const std::string approved((std::istreambuf_iterator<char>(in)),
                             std::istreambuf_iterator<char>());
  if (approved == text) SUCCEED();
  else FAIL_CHECK(first_difference(approved, text));
}

}  // namespace rankscope::test
