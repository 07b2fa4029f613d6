// Draws each student's numbers from the course's secret, and writes the copies.
#include "lessons/handout/personal_copies.h"

#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/handout/answer_sheet.h"
#include "lessons/submissions/submission_heads.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSecretBytes = 32;
constexpr std::uintmax_t kMostSecretFile = 4096;

/// Returns the copies' folders. Throws UserError if two students would share one.
std::vector<fs::path> folders_of(const ClassPack& pack, const fs::path& folder) {
  std::vector<fs::path> out;
  std::set<std::string> seen;
  for (const std::string& student : pack.students) {
    const std::string name = safe_name(student);
    if (!seen.insert(ascii_lower(name)).second)
      throw UserError(fmt::format("two students of the roster would have the copy '{}'", name));
    out.push_back(folder / name);
  }
  return out;
}

/// Throws UserError if the folder has files other than those of a copy, which may be overwritten.
void check_only_copy(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error))
    throw UserError(fmt::format("'{}' is a symbolic link: remove it first", folder.string()));
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name != "content" && name != "courses" && name != "answers.toml" && name != "README.txt")
      throw UserError(fmt::format("'{}' is in the way: only a student's copy is overwritten",
                                  entry.path().string()));
  }
  if (error)
    throw UserError(
        fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()));
}

void check_free(const std::vector<fs::path>& folders, bool replace) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (!fs::exists(fs::symlink_status(folder, error))) continue;
    if (!replace)
      throw UserError(fmt::format(
          "'{}' is there already: choose another folder, or overwrite the copies with --force",
          folder.string()));
    check_only_copy(folder);
  }
}

}  // namespace

std::uint64_t seed_of_student(std::string_view secret, std::string_view student) {
  const std::string hash = keyed_hash(secret, "numbers of " + std::string(student));
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i) out = out << 8 | static_cast<unsigned char>(hash[i]);
  out >>= 1;  // TOML has signed numbers
  return out == 0 ? 1 : out;
}

fs::path secret_beside(const fs::path& course_file) {
  fs::path out = course_file;
  return out.replace_extension(".secret");
}

std::string read_secret(const fs::path& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostSecretFile, fault);
  if (!fault.empty()) throw UserError(fmt::format("the secret {} {}", file.string(), fault));
  const auto bytes = bytes_of_hex(trimmed(text));
  if (!bytes || bytes->size() != kSecretBytes)
    throw UserError(
        fmt::format("{} is not a course's secret, which is a line of {} hexadecimal digits",
                    file.string(), 2 * kSecretBytes));
  return *bytes;
}

std::string make_secret(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return read_secret(file);
  std::string out = random_bytes(kSecretBytes);
  const std::string line = hex_of(out) + "\n";
  const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const bool written =
      to >= 0 && ::write(to, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (to >= 0) ::close(to);
  if (to < 0 && fs::exists(file, error)) return read_secret(file);  // made at the same time
  if (!written) {
    if (to >= 0) fs::remove(file, error);  // read_secret() would refuse a part of the line
    throw UserError(
        fmt::format("cannot write the course's secret to {}: name a place for it with --secret",
                    file.string()));
  }
  return out;
}

void remove_copy(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  check_only_copy(folder);
  // A folder of somebody's own lessons may look like a copy.
  for (const auto& lesson : lesson_folders(folder / "content")) {
    Complaints ignored;
    if (!read_lesson(lesson, ignored).student_copy)
      throw UserError(
          fmt::format("'{}' is not in a student's copy: it is not overwritten", lesson.string()));
  }
  fs::remove_all(folder, error);
  if (error)
    throw UserError(fmt::format("cannot remove '{}': {}", folder.string(), error.message()));
}

void pack_for_class(const ClassPack& pack, const fs::path& folder, LessonRuns& runs,
                    const PackProgress& progress) {
  const auto tell = [&](std::string_view what, std::size_t done, std::size_t all) {
    return !progress || progress(what, done, all);
  };
  const std::vector<fs::path> folders = folders_of(pack, folder);
  check_free(folders, pack.replace);
  const std::vector<CourseEntry> entries = entries_of(pack.course, pack.library);
  std::vector<const Lesson*> lessons;
  for (const CourseEntry& entry : entries)
    if (ranges::find(lessons, entry.lesson) == lessons.end()) lessons.push_back(entry.lesson);
  SealedKeys keys;
  if (pack.settings.feedback)
    keys = seal_keys(lessons, pack.settings.cost, [&](std::size_t done, std::size_t all) {
      return tell("formulas sealed", done, all);
    });
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (!tell("copies written", i, folders.size()))
      throw UserError(fmt::format("stopped: {} of {} copies are written", i, folders.size()));
    const std::string& student = pack.students[i];
    CopySettings settings = pack.settings;
    settings.student = student;
    settings.seed = seed_of_student(pack.secret, student);
    settings.own = keyed_hash(pack.secret, "salt of " + student);
    settings.answers = answer_sheet(entries, {pack.course.slug, student, settings.seed}, runs);
    if (pack.replace) remove_copy(folders[i]);
    pack_for_students(lessons, {pack.course_file}, folders[i], runs, settings, keys);
  }
  tell("copies written", folders.size(), folders.size());
}

}  // namespace rankscope
