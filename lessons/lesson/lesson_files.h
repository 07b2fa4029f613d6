// The files beside a lesson.toml: only those of the lesson's own folder, and none of unreasonable size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope {

inline constexpr std::uintmax_t kMostOfLessonFile = std::uintmax_t{4} << 20;

/// Does `name` lead to a place in `folder`, links followed?
bool stays_inside(const std::filesystem::path& folder, const std::string& name);
/// What is wrong with a file that a lesson names; empty: it can be read and given away.
std::string file_problem(const std::filesystem::path& folder, const std::string& name);
/// Throws UserError when there is such a problem.
std::string read_lesson_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace rankscope
