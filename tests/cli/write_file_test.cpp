// Files that are written whole, in the ways that a file system has.
#include <filesystem>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/terminal/output.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::files_in;
using test::has;
using test::read;
using test::run_rankscope;
using test::write_ring;

namespace fs = std::filesystem;

TEST_CASE("cli: a link to a file stays a link, a device stays a device") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "file", link = folder / "link";
  cli::write_whole(file, "old");
  std::filesystem::create_symlink(file, link);
  cli::write_whole(link, "new");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read(file) == "new");
  cli::write_whole("/dev/null", "nothing");
  CHECK_FALSE(std::filesystem::is_regular_file("/dev/null"));
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("cli: a link to what is not there yet is written through") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  fs::create_symlink("deep/middle", folder / "link");
  fs::create_symlink("file", folder / "deep/middle");  // from its own folder
  cli::write_whole(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "deep/middle"));
  CHECK(read(folder / "deep/file") == "new");
  CHECK(files_in(folder / "deep") == 2);

  fs::create_symlink("nowhere/file", folder / "lost");
  CHECK_THROWS_WITH(cli::write_whole(folder / "lost", "new"),
                    ContainsSubstring("a link to") && ContainsSubstring("No such file"));
  fs::create_symlink("round", folder / "round");
  CHECK_THROWS_WITH(cli::write_whole(folder / "round", "new"), ContainsSubstring("symbolic links"));
  CHECK(fs::is_symlink(folder / "lost"));
}

TEST_CASE("cli: a file that is replaced keeps its mode") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "file";
  cli::write_whole(file, "old");
  for (const mode_t mode : {0600U, 0640U, 0755U, 0444U}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    cli::write_whole(file, "new");
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == mode);
  }
}

TEST_CASE("cli: a name may be as long as the file system has it") {
  const test::TemporaryFolder folder;
  std::string name(251, 'n');
  cli::write_whole(folder / (name + ".svg"), "whole");
  CHECK(read(folder / (name + ".svg")) == "whole");
  name.clear();
  for (int i = 0; i < 125; ++i) name += "\u00e9";  // cut between, not in, its characters
  cli::write_whole(folder / (name + ".svg"), "whole");
  CHECK(files_in(folder.path()) == 2);
  CHECK_THROWS_WITH(cli::write_whole(folder / std::string(256, 'n'), "whole"),
                    ContainsSubstring("too long"));
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("cli: nothing is left of a file that was not finished") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "file";
  cli::write_whole(file, "old");
  const auto broken = [](std::ostream& out) {
    out << "half";
    throw std::runtime_error("broken");
  };
  CHECK_THROWS_AS(cli::write_whole(file, broken), std::runtime_error);
  {
    NewFile first(folder / "two"), second(folder / "two");  // do not meet
    first.write([](std::ostream& out) { out << "1"; });
    second.write([](std::ostream& out) { out << "2"; });
    first.finish();
    CHECK(files_in(folder.path()) == 3);
  }
  CHECK(read(file) == "old");
  CHECK(read(folder / "two") == "1");
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("cli: a file's name gives no orders to the terminal") {
  const test::TemporaryFolder folder;
  const std::string odd = "a\x1b]0;title\a\x1b[31m\xc2\x9b\n\xff";
  write_ring(folder / "ring.rankscope");
  const auto shown = "a\\x1b]0;title\\x07\\x1b[31m\\xc2\\x9b\\n\\xff";
  const auto no_orders = [](const std::string& text) {
    return !has(text, "\x1b") && !has(text, "\a") && !has(text, "\xc2\x9b") && !has(text, "\xff");
  };
  const auto check = [&](const std::vector<std::string>& arguments, int code) {
    const auto run = run_rankscope(arguments);
    INFO(run.out << run.err);
    CHECK(run.exit_code == code);
    CHECK(no_orders(run.out + run.err));
    CHECK(has(run.out + run.err, shown));
  };
  check({"export", folder / "ring.rankscope", "-o", folder / (odd + ".svg")}, cli::kOk);
  check({"export", folder / "ring.rankscope", "-o", folder / (odd + ".csv")}, cli::kOk);
  check({"export", folder / "ring.rankscope", "-o", folder / ("no/" + odd + ".svg")},
        cli::kBadInput);
  check({"trace", "info", folder / odd}, cli::kBadInput);
  write_ring(folder / odd);
  check({"trace", "info", folder / odd}, cli::kOk);
  fs::resize_file(folder / odd, fs::file_size(folder / odd) - 100);
  check({"trace", "stats", folder / odd}, cli::kBadInput);
  // With colours too, which are orders of our own.
  const auto colored = run_rankscope({"trace", "info", folder / odd, "--color", "always"});
  CHECK_FALSE(has(colored.out + colored.err, "\x1b]"));
  const auto json =
      run_rankscope({"export", folder / "ring.rankscope", "-o", folder / (odd + ".svg"), "--json"});
  CHECK(json.exit_code == cli::kOk);
  CHECK_FALSE(has(json.out, "\x1b"));
  CHECK(nlohmann::json::accept(json.out));  // though the name is no UTF-8
}
