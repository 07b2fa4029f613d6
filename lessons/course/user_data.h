// The folder for what programs keep for a user.
#pragma once

#include <filesystem>

namespace rankscope {

/// $XDG_DATA_HOME, else ~/.local/share. Throws UserError when there is no home.
std::filesystem::path user_data_folder();

}  // namespace rankscope
