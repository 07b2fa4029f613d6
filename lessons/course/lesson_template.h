// A template of a lesson.
#pragma once

#include <filesystem>
#include <vector>

namespace rankscope {

/// Writes a small lesson that checks clean, with questions of several kinds and a comment at each
/// part. Returns the files. Throws UserError when the folder is there and not empty.
std::vector<std::filesystem::path> write_lesson_template(const std::filesystem::path& folder);

}  // namespace rankscope
