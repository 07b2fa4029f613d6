// Reads files of a lesson's folder and refuses those outside it or too large.
#include "lessons/lesson/lesson_files.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

namespace fs = std::filesystem;

bool stays_inside(const fs::path& folder, const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == "..") return false;
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error);
  if (error) return false;
  const fs::path real = fs::weakly_canonical(folder / path, error);
  if (error) return false;
  const fs::path below = real.lexically_relative(root);
  return !below.empty() && *below.begin() != "..";
}

std::string file_problem(const fs::path& folder, const std::string& name) {
  if (name.empty()) return "a file's name is empty";
  if (!stays_inside(folder, name)) return fmt::format("'{}' must lie in the lesson's folder", name);
  std::error_code error;
  const fs::path path = folder / name;
  if (!fs::exists(path, error))
    return fmt::format("there is no file '{}' in the lesson's folder", name);
  if (!fs::is_regular_file(path, error)) return fmt::format("'{}' is no file", name);
  const auto size = fs::file_size(path, error);
  if (error || size > kMostOfLessonFile)
    return fmt::format("'{}' has more than {} bytes: make it smaller", name, kMostOfLessonFile);
  if (!std::ifstream(path, std::ios::binary)) return fmt::format("'{}' cannot be read", name);
  return {};
}

std::string read_lesson_file(const fs::path& folder, const std::string& name) {
  if (const std::string problem = file_problem(folder, name); !problem.empty())
    throw UserError(problem);
  std::ifstream in(folder / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace rankscope
