// Pictures for other programs: on the clipboard where the system has a tool for that, else in a file.
#pragma once

#include <string>

namespace rankscope::gui {

struct CopiedPicture {
  bool ok = false;
  std::string
      message;       ///< What was done, and what to install where the clipboard takes no picture.
  std::string text;  ///< For the clipboard in place of the picture: the file's path. Empty: none.
};

/// Takes a moment: call it from a thread of its own.
CopiedPicture copy_picture(const std::string& png);

/// Where people look for pictures: what the desktop says, else ~/Pictures, else the home folder.
std::string pictures_folder();

}  // namespace rankscope::gui
