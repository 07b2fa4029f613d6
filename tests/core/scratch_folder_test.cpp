// Folders of our own, and who may get into them.
#include "engine/core/base/scratch_folder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;

TEST_CASE("a folder for everybody is where everybody can get to") {
  namespace fs = std::filesystem;
  const ScratchFolder own("test"), open("test", ScratchFolder::For::everybody);
  CHECK_FALSE(is_world_accessible(own.path()));
  CHECK(is_world_accessible(open.path()));
  fs::create_directory(open.path() / "closed");
  fs::permissions(open.path() / "closed", fs::perms::owner_all);
  CHECK_FALSE(is_world_accessible(open.path() / "closed"));
  CHECK_FALSE(is_world_accessible(open.path() / "missing"));
}

// In processes of their own, as each looks once.
TEST_CASE("the folder of a process that was killed goes with the next one's") {
  namespace fs = std::filesystem;
  const test::TemporaryFolder parent;
  const auto make = [&](bool is_killed) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", parent.path().c_str(), 1);
      const ScratchFolder folder("killed");
      if (is_killed) ::raise(SIGKILL);
      ::_exit(fs::exists(folder.path()) &&
                      std::distance(fs::directory_iterator(parent.path()), {}) == 1
                  ? 0
                  : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
  };
  CHECK(WIFSIGNALED(make(true)));
  CHECK(std::distance(fs::directory_iterator(parent.path()), {}) == 1);
  const int status = make(false);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
