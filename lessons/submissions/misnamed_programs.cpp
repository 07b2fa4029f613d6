// Finds and renames programs whose names are not those that were asked for.
#include "lessons/submissions/misnamed_programs.h"

#include <vector>

#include "engine/box/submission_folder.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/base/whole_file.h"
#include "lessons/lesson/coding_cpp.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostLookedAt = std::uintmax_t{1} << 20;
constexpr int kMostNamesLookedAt = 1000;

/// "hello.py" of "Hello (1).PY", "hello-2.py", "copy of hello.py"
std::string plain_name(std::string name) {
  name = ascii_lower(name);
  const std::string ending = fs::path(name).extension().string();
  std::string stem = fs::path(name).stem().string();
  if (stem.starts_with("copy of ")) stem.erase(0, 8);
  const auto last = stem.find_last_not_of("0123456789()-_ .");
  stem.resize(last == std::string::npos ? 0 : last + 1);
  ranges::replace(stem, ' ', '_');
  ranges::replace(stem, '-', '_');
  return stem + ending;
}

/// Returns the exercise's name for a file of this language; empty if it has none.
std::string wanted_name(const CodingExercise& exercise, const std::string& name) {
  const std::string ending = ascii_lower(fs::path(name).extension().string());
  if (ending == ".py") return exercise.file;
  const auto cpp = cpp_contract(exercise);
  return ending == ".cpp" && cpp ? cpp->file : "";
}

bool has_function(const CodingExercise& exercise, const fs::path& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostLookedAt, fault, LinkRule::refuse);
  return fault.empty() && !exercise.call.function.empty() &&
         text.find("def " + exercise.call.function + "(") != std::string::npos;
}

bool is_program(const fs::directory_entry& entry) {
  std::error_code error;
  return !entry.is_symlink(error) && entry.is_regular_file(error);
}

}  // namespace

std::string misnamed_program(const CodingExercise& exercise, const fs::path& folder,
                             const std::set<std::string>& names) {
  std::vector<std::string> by_name, by_function;
  std::error_code error;
  int looked_at = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string wanted = wanted_name(exercise, name);
    if (++looked_at > kMostNamesLookedAt) break;
    if (wanted.empty() || names.contains(name) || !is_program(*at)) continue;
    if (plain_name(name) == plain_name(wanted)) by_name.push_back(name);
    else if (has_function(exercise, at->path())) by_function.push_back(name);
  }
  const auto& found = by_name.empty() ? by_function : by_name;
  return found.size() == 1 ? found.front() : "";
}

std::optional<ScratchFolder> renamed_program(const CodingExercise& exercise,
                                             const ProgramPlace& place) {
  if (place.folder.empty() || place.file.empty()) return std::nullopt;
  std::error_code error;
  const std::string wanted = wanted_name(exercise, place.file);
  const fs::directory_entry accepted(place.folder / place.file, error);
  if (wanted.empty() || error || !is_program(accepted)) return std::nullopt;
  // As a box takes it: without links, pipes and devices, and within its limits.
  ScratchFolder out("renamed");
  fs::remove(out.path(), error);
  const CopyReport copied = copy_submission(place.folder, out.path());
  if (!copied.refused.empty()) throw UserError("the submission " + copied.refused);
  fs::rename(out.path() / place.file, out.path() / wanted, error);
  if (error) return std::nullopt;
  return out;
}

}  // namespace rankscope
