// Pictures for other programs: on the clipboard where the system has a tool for that, else in a file.
#pragma once

#include <string>

namespace rankscope::gui {

struct CopiedPicture {
  bool ok = false;
  std::string message;  ///< The outcome, and what to install where the clipboard takes no picture.
  std::string text;  ///< The file's path, for the clipboard in place of the picture; may be empty.
};

/// Takes a while: call it from a thread of its own.
CopiedPicture copy_picture(const std::string& png);

/// Returns the desktop's folder for pictures, else ~/Pictures, the home folder or the temporary folder.
std::string pictures_folder();

}  // namespace rankscope::gui
