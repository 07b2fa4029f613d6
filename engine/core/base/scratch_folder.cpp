// Creates a private temporary folder and removes it with its contents.
#include "engine/core/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

bool is_world_accessible(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at;
  const fs::path whole = fs::canonical(path, error);
  if (error) return false;
  for (const auto& part : whole) {
    at /= part;
    const auto status = fs::status(at, error);
    const auto wanted = fs::is_directory(status) ? fs::perms::others_exec : fs::perms::others_read;
    if (error || (status.permissions() & wanted) == fs::perms::none) return false;
  }
  return true;
}

ScratchFolder::ScratchFolder(std::string_view name, For whom) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error)
    throw UserError(fmt::format(
        "there is no folder for temporary files: {}. Set TMPDIR to one that can be written.",
        error.message()));
  if (whom == For::everybody && !is_world_accessible(parent)) parent = "/tmp";
  const auto pattern = parent / fmt::format("rankscope-{}-XXXXXX", name);
  std::string path = pattern.string();
  if (::mkdtemp(path.data()) == nullptr)
    throw UserError(
        fmt::format("cannot make a folder like {}: {}. Set TMPDIR to a folder that can be written.",
                    pattern.string(), std::strerror(errno)));
  path_ = path;
  if (whom == For::everybody)
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rankscope
