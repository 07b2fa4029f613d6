// Reads a lesson's folder, and finds the folders of lessons.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

/// Reads a lesson's folder as far as possible; mistakes go into `complaints`.
Lesson read_lesson(const std::filesystem::path& folder, Complaints& complaints);

/// Splits Markdown into blocks: lines "@run ID", "@figure ID" (each may go on with "after QUESTION …"),
/// "@question ID", "@coding ID", and "::: note", "::: reveal TITLE" up to ":::".
std::vector<Block> split_blocks(std::string_view markdown, const std::string& file,
                                Complaints& complaints);

/// Returns the folder of content/ (lessons) and courses/: $RANKSCOPE_LESSONS, or beside the program
/// (share/rankscope/lessons;
/// build/lesson-files). Throws UserError if there is none.
std::filesystem::path lessons_folder();
/// Returns the folders with a lesson.toml, ordered by name.
std::vector<std::filesystem::path> lesson_folders(const std::filesystem::path& root);

inline constexpr std::uintmax_t kMostOfLessonFile = std::uintmax_t{4} << 20;
/// Returns whether `name` leads to a place in `folder`, links followed.
bool stays_inside(const std::filesystem::path& folder, const std::string& name);
/// Reads a file that a lesson names. Throws UserError when it is missing, too large or outside of the folder.
std::string read_lesson_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace rankscope
