// Reads a file whole; writes one under a temporary name and renames it when it is complete.
#include "engine/core/base/files.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/text.h"

namespace rankscope {
namespace {

std::string why() { return std::error_code(errno, std::generic_category()).message(); }

/// Reads up to `most` bytes, because the file may have grown since its size was read.
std::string read_open(int file, std::uintmax_t size, std::uintmax_t most, std::string& fault) {
  std::string out;
  std::size_t have = 0;
  out.resize(static_cast<std::size_t>(size) + 1);
  while (have <= most) {
    const ssize_t got = ::read(file, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fault = fmt::format("cannot be read: {}", why());
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
    if (have == out.size()) out.resize(2 * have);
  }
  if (have > most) fault = fmt::format("has more than {} bytes", most);
  out.resize(fault.empty() ? have : 0);
  return out;
}

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;             // as in Linux
constexpr std::size_t kMostOfName = 100;   // so that the temporary name fits any file system
constexpr int kMostTemporaries = 100'000;  // of one process and one name; more is a fault

/// Resolves links, including those to files that do not exist yet. Returns an empty path for a circle.
fs::path behind_links(fs::path path) {
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(path, ignored); ++links) {
    if (links == kMostLinks) return {};
    const auto next = fs::read_symlink(path, ignored);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

}  // namespace

std::string read_whole(const std::filesystem::path& file, std::uintmax_t most, std::string& fault,
                       LinkRule links) {
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == LinkRule::refuse ? O_NOFOLLOW : 0);
  const int opened = ::open(file.c_str(), flags);
  struct stat status {};
  std::string out;
  fault.clear();
  if (opened < 0 || ::fstat(opened, &status) != 0) fault = fmt::format("cannot be read: {}", why());
  else if (!S_ISREG(status.st_mode)) fault = "is not a regular file";
  else if (static_cast<std::uintmax_t>(status.st_size) > most)
    fault = fmt::format("has {} bytes; at most {} are read", status.st_size, most);
  else out = read_open(opened, static_cast<std::uintmax_t>(status.st_size), most, fault);
  if (opened >= 0) ::close(opened);
  return out;
}

std::string read_or_nothing(const std::filesystem::path& file) {
  std::string fault;
  return read_whole(file, std::uintmax_t{1} << 30, fault);
}

NewFile::NewFile(std::string path, std::string advice)
    : path_(std::move(path)), advice_(std::move(advice)) {
  target_ = behind_links(path_).string();
  if (target_.empty()) fail(path_.empty() ? ENOENT : ELOOP);
  std::error_code ignored;
  const auto status = fs::status(target_, ignored);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // no temporary
  make_temporary();
}

void NewFile::make_temporary() {
  const fs::path target(target_);
  const auto name = target.filename().string();
  // Finds a final name that is too long, too: the temporary one may be shorter.
  struct stat status {};
  const bool there = ::lstat(target_.c_str(), &status) == 0;
  if (!there && errno != ENOENT) fail(errno);
  int file = -1;
  std::string made;
  for (int number = 0; file < 0; ++number) {
    made = (target.parent_path() /
            fmt::format("{}.{}-{}.part", shortened(name, kMostOfName), ::getpid(), number))
               .string();
    file = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? 0600 : 0666);
    if (file < 0 && (errno != EEXIST || number == kMostTemporaries)) fail(errno);
  }
  temporary_ = std::move(made);
  ::close(file);
  if (there) mode_ = status.st_mode & 07777U;
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      advice_(std::move(other.advice_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      mode_(other.mode_) {}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::fail(int error) const {
  const bool link = !target_.empty() && target_ != path_;
  throw UserError(fmt::format(
      "cannot write {}{}: {}. {}", escaped(path_),
      link ? fmt::format(", a link to {}", escaped(target_)) : "",
      std::error_code(error == 0 ? EIO : error, std::system_category()).message(), advice_));
}

void NewFile::write(const std::function<void(std::ostream&)>& contents) {
  errno = 0;
  std::ofstream out(temporary_.empty() ? target_ : temporary_, std::ios::binary | std::ios::trunc);
  if (!out) fail(errno);
  contents(out);
  out.close();
  if (!out) fail(errno);
}

std::uint64_t NewFile::write_by(const std::function<void(const std::string& file)>& writer) {
  const std::string& file = temporary_.empty() ? target_ : temporary_;
  writer(file);
  std::error_code ignored;
  const auto size = fs::file_size(file, ignored);
  return ignored ? 0 : size;  // a device has none
}

void NewFile::finish() {
  if (temporary_.empty()) return;
  if (mode_ && ::chmod(temporary_.c_str(), *mode_) != 0) fail(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void write_whole(const std::string& path, std::string_view bytes) {
  NewFile file(path);
  file.write([&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
  file.finish();
}

NewFolder::NewFolder(const fs::path& target) : target_(target.lexically_normal()) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  folder_ = target_;
  folder_ += fmt::format(".{}.part", ::getpid());
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void NewFolder::finish(const fs::path& ready) {
  std::error_code error;
  fs::path before = target_;
  before += fmt::format(".{}.before", ::getpid());
  if (fs::exists(target_, error)) fs::rename(target_, before, error);
  if (!error) fs::rename(ready, target_, error);
  if (error) {
    std::error_code ignored;
    if (fs::exists(before, ignored)) fs::rename(before, target_, ignored);
    throw UserError(fmt::format("cannot write {}: {}", escaped(target_.string()), error.message()));
  }
  fs::remove_all(before, error);
}

}  // namespace rankscope
