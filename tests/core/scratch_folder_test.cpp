// Folders of our own, and who may get into them.
#include "engine/core/base/scratch_folder.h"

#include <filesystem>

#include "tests/support/catch.h"

using namespace rankscope;

TEST_CASE("a folder for everybody is where everybody can get to") {
  namespace fs = std::filesystem;
  const ScratchFolder own("test"), open("test", ScratchFolder::For::everybody);
  CHECK_FALSE(within_everybodys_reach(own.path()));
  CHECK(within_everybodys_reach(open.path()));
  fs::create_directory(open.path() / "closed");
  fs::permissions(open.path() / "closed", fs::perms::owner_all);
  CHECK_FALSE(within_everybodys_reach(open.path() / "closed"));
  CHECK_FALSE(within_everybodys_reach(open.path() / "missing"));
}
