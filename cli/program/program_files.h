// The files that users' programs need: librankscope, its headers and the Python package.
#pragma once

#include <string>

#include "lessons/coding/boxes.h"

namespace rankscope::cli {

/// Returns librankscope. Throws UserError if it is not there.
std::string library_path();
/// Returns the folder with rankscope.hpp. Throws UserError.
std::filesystem::path include_folder();
/// Returns lessons/python. Throws UserError.
std::filesystem::path python_files();
/// Returns the first process of a rank's box. Throws UserError.
std::filesystem::path first_process();
/// Returns all options but the submission. `or_other_user`: without boxes, use another user who cannot read the answers.
CodeBoxesOptions code_boxes_options(bool no_sandbox, bool or_other_user = false);
/// Lets many programs share libraries, which are loaded once, and headers, which are compiled once.
void share_for_class(CodeBoxesOptions& options);

}  // namespace rankscope::cli
