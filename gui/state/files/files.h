// Reads and copies files that users name, without waiting for pipes; copies pictures for other programs.
#pragma once

#include <string>

namespace rankscope::gui {

/// Returns the path from the root, since the working folder may be gone when the path is used.
std::string absolute_path(const std::string& path);
/// Throws UserError for a pipe or a folder: opening a pipe waits for its other end.
void refuse_pipe(const std::string& path);
/// Reads a script. Throws UserError unless it is a regular file of at most 4 MiB.
std::string read_script(const std::string& path);
/// Copies a file, whole or not at all. Throws UserError.
void copy_file(const std::string& from, const std::string& to);

/// A picture for other programs: on the clipboard where the system has a tool for that, else in a file.
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
