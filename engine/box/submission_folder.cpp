// Copies a submitted folder within limits, following no links and refusing special files.
#include "engine/box/submission_folder.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

struct Refused {
  std::string why;
};

std::string error_text() { return std::strerror(errno); }

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class Copier {
 public:
  Copier(const CopyLimits& limits, const std::optional<CopyOwner>& owner, uid_t owner_of_source)
      : limits_(limits), owner_(owner), owner_of_source_(owner_of_source) {}

  void copy_folder(int from, int to, const std::string& path, int depth);
  void hand_over(int fd, mode_t mode) const;
  CopyReport take_report() { return std::move(report_); }

 private:
  void copy_entry(int from, int to, const char* name, const std::string& path, int depth);
  void enter(int from, int to, const char* name, const std::string& path, int depth);
  void copy_file(int from, int to, const char* name, const std::string& path);
  void copy_bytes(const Fd& source, const Fd& copy, const std::string& path);
  void leave_out(const std::string& path, std::string_view why);
  void count_one();

  const CopyLimits& limits_;
  const std::optional<CopyOwner>& owner_;
  const uid_t owner_of_source_;
  std::uint64_t entries_ = 0;
  CopyReport report_;
};

void Copier::leave_out(const std::string& path, std::string_view why) {
  constexpr std::size_t kShown = 50;
  if (report_.left_out.size() < kShown)
    report_.left_out.push_back(fmt::format("{}: {}", escaped(path), why));
}

// Counts an entry of any kind, so that a folder of a million links is refused, too.
void Copier::count_one() {
  if (++entries_ > limits_.files)
    throw Refused{fmt::format("has more than {} files and folders", grouped(limits_.files))};
}

void Copier::hand_over(int fd, mode_t mode) const {
  constexpr mode_t kReads = S_IRUSR | S_IXUSR;
  if (owner_ && owner_->group_reads) mode |= (mode & kReads) >> 3;
  if ((owner_ && ::fchown(fd, owner_->uid, owner_->gid) != 0) || ::fchmod(fd, mode) != 0)
    throw UserError("cannot give the copy of a submission to its user: " + error_text());
}

void Copier::copy_folder(int from, int to, const std::string& path, int depth) {
  const int listed = ::openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(listed < 0 ? nullptr : ::fdopendir(listed),
                                                    &::closedir);
  if (entries == nullptr) {
    if (listed >= 0) ::close(listed);
    return leave_out(path, error_text());
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    count_one();
    const auto below = path.empty() ? std::string(name) : fmt::format("{}/{}", path, name);
    copy_entry(from, to, entry->d_name, below, depth);
  }
}

void Copier::copy_entry(int from, int to, const char* name, const std::string& path, int depth) {
  struct stat status {};
  if (::fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return leave_out(path, error_text());
  if (S_ISDIR(status.st_mode)) return enter(from, to, name, path, depth + 1);
  if (S_ISREG(status.st_mode)) return copy_file(from, to, name, path);
  leave_out(path, kind_of(status.st_mode));
}

void Copier::enter(int from, int to, const char* name, const std::string& path, int depth) {
  if (std::string_view(name) == ".git" || std::string_view(name) == "__pycache__")
    return leave_out(path, "not part of a submission");
  if (depth > limits_.depth)
    throw Refused{fmt::format("has folders more than {} deep", limits_.depth)};
  const Fd source(::openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!source) return leave_out(path, error_text());
  if (::mkdirat(to, name, 0700) != 0)
    throw UserError(fmt::format("cannot make the folder {}: {}", path, error_text()));
  const Fd copy(::openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!copy) throw UserError(fmt::format("cannot open the folder {}: {}", path, error_text()));
  copy_folder(source.get(), copy.get(), path, depth);
  hand_over(copy.get(), 0700);
}

void Copier::copy_file(int from, int to, const char* name, const std::string& path) {
  // It may be something else by now: a link is not followed, a pipe does not block.
  const Fd source(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!source || ::fstat(source.get(), &status) != 0) return leave_out(path, error_text());
  if (!S_ISREG(status.st_mode)) return leave_out(path, kind_of(status.st_mode));
  // It may be another name of a file that we can read, but the student cannot.
  if (status.st_nlink > 1 && status.st_uid != owner_of_source_)
    return leave_out(path, "a hard link to somebody else's file");
  // Before it is read: a sparse file may claim anything.
  if (report_.bytes + static_cast<std::uint64_t>(status.st_size) > limits_.bytes)
    throw Refused{fmt::format("has more than {}", amount_text(limits_.bytes))};
  const mode_t mode = (status.st_mode & 0100) != 0 ? 0700 : 0600;
  const Fd copy(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!copy) throw UserError(fmt::format("cannot write {}: {}", path, error_text()));
  copy_bytes(source, copy, path);
  hand_over(copy.get(), mode);
  ++report_.files;
}

void Copier::copy_bytes(const Fd& source, const Fd& copy, const std::string& path) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t count = ::read(source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return leave_out(path, error_text());
    if (count == 0) return;
    report_.bytes += static_cast<std::uint64_t>(count);
    if (report_.bytes > limits_.bytes)
      throw Refused{fmt::format("has more than {}", amount_text(limits_.bytes))};
    for (ssize_t done = 0; done < count;) {
      const auto written =
          ::write(copy.get(), buffer.data() + done, static_cast<std::size_t>(count - done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw UserError(fmt::format("cannot write {}: {}", path, error_text()));
      done += written;
    }
  }
}

}  // namespace

void make_folder_of(const fs::path& folder, const CopyOwner& owner, mode_t mode) {
  if (::mkdir(folder.c_str(), 0700) != 0 || ::chown(folder.c_str(), owner.uid, owner.gid) != 0 ||
      ::chmod(folder.c_str(), mode) != 0)
    throw UserError(fmt::format("cannot make the folder {}: {}", folder.string(), error_text()));
}

Fd open_folder_itself(const fs::path& folder) {
  // A slash at the end would follow a link.
  const auto path = folder.has_filename() ? folder : folder.parent_path();
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd) return fd;
  std::error_code error;
  const int why = errno;
  if (fs::is_symlink(path, error))
    throw UserError(fmt::format("{} is a symbolic link: name the folder itself", path.string()));
  throw UserError(fmt::format("cannot open the folder {}: {}", path.string(), std::strerror(why)));
}

CopyReport copy_submission(const fs::path& folder, const fs::path& to, const CopyLimits& limits,
                           const std::optional<CopyOwner>& owner) {
  const Fd source = open_folder_itself(folder);
  struct stat status {};
  if (::fstat(source.get(), &status) != 0)
    throw UserError(fmt::format("cannot look into {}: {}", folder.string(), error_text()));
  if (::mkdir(to.c_str(), 0700) != 0)
    throw UserError(fmt::format("cannot make the folder {}: {}", to.string(), error_text()));
  const Fd copy = open_folder_itself(to);
  Copier copier(limits, owner, status.st_uid);
  CopyReport report;
  try {
    copier.copy_folder(source.get(), copy.get(), "", 0);
    copier.hand_over(copy.get(), 0700);
    report = copier.take_report();
  } catch (const Refused& refused) {
    report.refused = refused.why;
    std::error_code ignored;
    fs::remove_all(to, ignored);
  }
  return report;
}

}  // namespace rankscope
