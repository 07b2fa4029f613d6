// The files that users' programs need: librankscope, its headers and the Python package.
#pragma once

#include <string>

#include "lessons/coding/boxes.h"

namespace rankscope::cli {

/// Throws UserError when it is not there.
std::string library_path();
/// The folder with rankscope.hpp. Throws UserError.
std::filesystem::path include_folder();
/// lessons/python. Throws UserError.
std::filesystem::path python_files();
/// All but the submission.
CodeBoxesOptions code_boxes_options(bool no_sandbox);
/// Has many programs share what each of them needs: libraries are loaded and headers compiled once for all.
void share_for_class(CodeBoxesOptions& options);

}  // namespace rankscope::cli
