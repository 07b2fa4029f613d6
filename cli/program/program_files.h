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
/// The first process of a rank's box. Throws UserError.
std::filesystem::path first_process();
/// All but the submission. With `or_other_user`, where no boxes can be made: as another user, if that keeps the keys from it.
CodeBoxesOptions code_boxes_options(bool no_sandbox, bool or_other_user = false);
/// Has many programs share what each of them needs: libraries are loaded and headers compiled once for all.
void share_for_class(CodeBoxesOptions& options);

}  // namespace rankscope::cli
