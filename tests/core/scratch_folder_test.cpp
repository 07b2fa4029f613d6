// Folders of our own, and who may get into them.
#include "engine/core/base/scratch_folder.h"

#include <filesystem>

#include "tests/support/catch.h"

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
