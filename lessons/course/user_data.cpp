// Finds the user's folder by the environment.
#include "lessons/course/user_data.h"

#include <cstdlib>

#include "engine/core/base/error.h"

namespace rankscope {

std::filesystem::path user_data_folder() {
  const char* chosen = std::getenv("XDG_DATA_HOME");  // the standard forbids relative paths
  if (chosen != nullptr && *chosen == '/') return chosen;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw UserError("there is no home folder for your data: set HOME or XDG_DATA_HOME");
  return std::filesystem::path(home) / ".local" / "share";
}

}  // namespace rankscope
