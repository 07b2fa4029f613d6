// Folders of students, with traps in them.
#include "engine/box/submission_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "tests/box/boxes.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(fs::relative(entry.path(), folder).string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("files are copied, links and pipes are not, and it says so") {
  const TemporaryFolder folder;
  const auto from = folder / "alice", to = folder / "copy";
  fs::create_directories(from + "/src/__pycache__");
  fs::create_directories(from + "/.git/objects");
  write_text(from + "/ring.py", "def ring(): ...");
  write_text(from + "/src/tree.py", "def tree(): ...");
  write_text(from + "/src/__pycache__/tree.pyc", "x");
  write_text(folder / "key.toml", "the answers");
  fs::permissions(from + "/ring.py", fs::perms(0755));
  fs::create_symlink(folder / "key.toml", from + "/answers.py");
  fs::create_symlink("/", from + "/src/root");
  REQUIRE(::mkfifo((from + "/pipe").c_str(), 0600) == 0);
  write_text(from + "/line\nbreak", "");

  const auto report = copy_submission(from, to);
  CHECK(report.refused.empty());
  CHECK(names_in(to) == std::vector<std::string>{"line\nbreak", "ring.py", "src", "src/tree.py"});
  CHECK(report.files == 3);
  CHECK(report.bytes == 30);
  auto left_out = report.left_out;
  std::ranges::sort(left_out);
  CHECK(left_out == std::vector<std::string>{".git: not part of a submission",
                                             "answers.py: a symbolic link", "pipe: a named pipe",
                                             "src/__pycache__: not part of a submission",
                                             "src/root: a symbolic link"});
  CHECK((fs::status(to + "/ring.py").permissions() & fs::perms::mask) == fs::perms(0700));
  CHECK((fs::status(to + "/src/tree.py").permissions() & fs::perms::mask) == fs::perms(0600));
}

TEST_CASE("a submission that is a link, or goes where something is, is an error") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "bob");
  fs::create_symlink(folder / "bob", folder / "alice");
  for (const char* name : {"alice", "alice/"})
    CHECK_THROWS_WITH(copy_submission(folder / name, folder / "copy"),
                      ContainsSubstring("name the folder itself"));
  CHECK_THROWS_AS(copy_submission(folder / "nobody", folder / "copy"), UserError);
  fs::create_directories(folder / "copy");
  CHECK_THROWS_AS(copy_submission(folder / "bob", folder / "copy"), UserError);
  fs::create_symlink(folder / "bob", folder / "planted");
  CHECK_THROWS_AS(copy_submission(folder / "bob", folder / "planted"), UserError);
}

TEST_CASE("submissions that are too large are refused whole") {
  const TemporaryFolder folder;
  const auto from = folder / "alice", to = folder / "copy";
  fs::create_directories(from + "/a/b/c");
  for (int i = 0; i < 20; ++i)
    write_text(from + "/file" + std::to_string(i), std::string(1000, 'x'));
  const auto refused = [&](const CopyLimits& limits) {
    const auto why = copy_submission(from, to, limits).refused;
    CHECK_FALSE(fs::exists(to));
    return why;
  };
  CHECK_THAT(refused({.files = 10}), ContainsSubstring("more than 10 files and folders"));
  CHECK_THAT(refused({.bytes = 5000}), ContainsSubstring("has more than 4.9 KiB"));
  CHECK_THAT(refused({.depth = 2}), ContainsSubstring("folders more than 2 deep"));
  // A file that is large, but takes no room.
  write_text(from + "/sparse", "");
  REQUIRE(::truncate((from + "/sparse").c_str(), off_t{1} << 40) == 0);
  CHECK_THAT(refused({}), ContainsSubstring("has more than 64 MiB"));
}

TEST_CASE("a copy is readable to its box, and to no other submission's") {
  if (boxes_are_missing()) return;
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0711));
  fs::create_directories(folder / "handed_in");
  write_text(folder / "handed_in/data", "some data");

  BoxGroup group(boxes(), small_limits()), other(boxes(), small_limits());
  const auto to = folder / "copy";
  CHECK(copy_submission(folder / "handed_in", to, {}, CopyOwner{group.uid(), group.gid()})
            .refused.empty());
  auto spec = attack("good", {"0"});
  spec.binds.push_back({to, "/work"});
  spec.argv = {"/bin/sh", "-c", "cat /work/data; touch /work/new"};
  group.start({spec});
  REQUIRE(group.wait(test::kWaitLimit));
  CHECK(group.outcome().boxes[0].out == "some data");
  CHECK_THAT(group.outcome().boxes[0].err, ContainsSubstring("Read-only"));
  CHECK_FALSE(fs::exists(to + "/new"));
  if (::geteuid() != 0) return;  // an ordinary user's boxes are all that user's
  REQUIRE(group.uid() != other.uid());
  other.start({spec});  // even bound by mistake
  REQUIRE(other.wait(test::kWaitLimit));
  CHECK(other.outcome().boxes[0].out.empty());
}

}  // namespace rankscope::test
