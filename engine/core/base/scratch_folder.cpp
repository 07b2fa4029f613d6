// Creates a private temporary folder and removes it with its contents.
#include "engine/core/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"

namespace rankscope {

bool is_world_accessible(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at;
  const fs::path whole = fs::canonical(path, error);
  if (error) return false;
  for (const auto& part : whole) {
    at /= part;
    const auto status = fs::status(at, error);
    const auto wanted = fs::is_directory(status) ? fs::perms::others_exec : fs::perms::others_read;
    if (error || (status.permissions() & wanted) == fs::perms::none) return false;
  }
  return true;
}

bool is_own_folder(const std::filesystem::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

Fd locked(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
  return fd;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "rankscope.tmp-";

void remove_with_files(const fs::path& folder, ScratchFolder::Locked locked_files) {
  std::error_code ignored;
  if (locked_files == ScratchFolder::Locked::removed) {
    fs::remove_all(folder, ignored);
    return;
  }
  std::error_code ended;  // of the iterator: a destructor must not throw
  for (fs::directory_iterator at(folder, ended), end; !ended && at != end; at.increment(ended))
    if (const Fd lock = locked(at->path())) fs::remove(at->path(), ignored);
  fs::remove(folder, ignored);  // fails, and so stays, if a file did
}

void remove_left_folders(const fs::path& parent, std::string_view prefix,
                         ScratchFolder::Locked locked_files) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix) || !is_own_folder(entry.path()))
      continue;
    if (const Fd lock = locked(entry.path())) remove_with_files(entry.path(), locked_files);
  }
}

/// Returns whether this process makes its first folder in `parent`: it looks only once for folders that others left.
bool is_first_look(const fs::path& parent) {
  static std::mutex mutex;
  static std::set<fs::path> looked;
  const std::lock_guard lock(mutex);
  return looked.insert(parent).second;
}

fs::path temporary_folder() {
  // std::filesystem would take an empty value for a name.
  const char* const named = std::getenv("TMPDIR");
  std::error_code error;
  fs::path out = named != nullptr && *named == '\0' ? "/tmp" : fs::temp_directory_path(error);
  if (!error) return out;
  throw UserError(fmt::format("there is no folder for temporary files: {}. {}", error.message(),
                              ScratchFolder::kSetTmpdir));
}

}  // namespace

ScratchFolder::ScratchFolder(std::string_view name, For whom) {
  fs::path parent = temporary_folder();
  if (whom == For::everybody && !is_world_accessible(parent)) parent = "/tmp";
  if (is_first_look(parent)) remove_left_folders(parent, kPrefix, locked_);
  make(parent, fmt::format("{}{}-", kPrefix, name), kSetTmpdir);
  if (whom == For::everybody)
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
}

ScratchFolder::ScratchFolder(const fs::path& parent, std::string_view prefix, Locked locked,
                             std::string_view advice)
    : locked_(locked) {
  remove_left_folders(parent, prefix, locked);
  make(parent, fmt::format("{}{}-", prefix, ::getpid()), advice);
}

// The folder gets its name only when it is locked, so that no process takes it for a left one.
void ScratchFolder::make(const fs::path& parent, std::string_view prefix, std::string_view advice) {
  const auto pattern = parent / fmt::format(".{}XXXXXX", prefix);
  std::string path = pattern.string();
  if (::mkdtemp(path.data()) != nullptr) {
    lock_ = locked(path);
    path_ = parent / fs::path(path).filename().string().substr(1);
  }
  if (lock_ && ::rename(path.c_str(), path_.c_str()) == 0) return;
  const int error = errno;
  ::rmdir(path.c_str());
  path_.clear();
  throw UserError(fmt::format("cannot make a folder like {}: {}. {}", pattern.string(),
                              std::strerror(error), advice));
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_with_files(path_, locked_);
}

}  // namespace rankscope
