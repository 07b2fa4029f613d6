// The folders in which programs keep files for a user, as the XDG Base Directory Specification defines them.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "engine/core/base/error.h"

namespace rankscope {

/// Returns the absolute folder that an environment variable names, else the folder `at_home` below $HOME; empty without
/// a home.
inline std::filesystem::path user_folder(const char* variable, const char* at_home) {
  const char *const chosen = std::getenv(variable), *const home = std::getenv("HOME");
  if (chosen != nullptr && *chosen == '/') return chosen;
  return home == nullptr || *home != '/' ? std::filesystem::path()
                                         : std::filesystem::path(home) / at_home;
}

/// Returns $XDG_DATA_HOME, or ~/.local/share. Throws UserError if there is no home.
inline std::filesystem::path user_data_folder() {
  auto folder = user_folder("XDG_DATA_HOME", ".local/share");
  if (folder.empty())
    throw UserError("there is no home folder for your data: set HOME or XDG_DATA_HOME");
  return folder;
}

}  // namespace rankscope
