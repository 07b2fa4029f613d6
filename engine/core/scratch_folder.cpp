#include "engine/core/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "engine/core/error.h"

namespace rankscope {

ScratchFolder::ScratchFolder(std::string_view name) {
  const auto pattern =
      std::filesystem::temp_directory_path() / fmt::format("rankscope-{}-XXXXXX", name);
  std::string path = pattern.string();
  if (::mkdtemp(path.data()) == nullptr)
    throw UserError(
        fmt::format("cannot make a folder like {}: {}. Set TMPDIR to a folder that can be written.",
                    pattern.string(), std::strerror(errno)));
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rankscope
