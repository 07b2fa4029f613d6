// Reads a whole file, within a limit, and reports why it cannot.
#include "engine/core/base/whole_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace rankscope
