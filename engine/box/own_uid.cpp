// Reserves an unused user id for one submission.
#include "engine/box/own_uid.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

// systemd's "Users, Groups, UIDs and GIDs" leaves 1879048192 to 2147483647 to nobody; in a container that
// maps fewer users, the last below "nobody" (65534).
constexpr std::uint64_t kFirst = 1'900'000'000, kCount = 60'000;
constexpr std::uint64_t kNobody = 65534, kFewCount = 1000;

std::pair<std::uint64_t, std::uint64_t> range() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0, outside = 0, count = 0, few = 0;
  while (map >> inside >> outside >> count) {
    if (inside <= kFirst && kFirst + kCount <= inside + count) return {kFirst, kCount};
    if (inside <= kNobody - kFewCount && kNobody <= inside + count) few = kNobody - kFewCount;
  }
  if (few == 0)
    throw UserError(
        "as root, each submission runs as a user of its own, but this container has too few users: "
        "start "
        "it with more (the usual 65536), or run rankscope as an ordinary user");
  return {few, kFewCount};
}

bool has_processes(uid_t uid) {
  DIR* const folder = ::opendir("/proc");
  if (folder == nullptr) return false;
  bool found = false;
  while (const dirent* entry = ::readdir(folder)) {
    struct stat status {};
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (::fstatat(::dirfd(folder), entry->d_name, &status, 0) == 0 && status.st_uid == uid)
      found = true;
  }
  ::closedir(folder);
  return found;
}

}  // namespace

OwnUid::OwnUid(bool wanted) : uid_(::geteuid()), gid_(::getegid()) {
  if (!wanted || uid_ != 0) return;
  const auto [first, count] = range();
  std::random_device random;
  const std::uint64_t start = random() % count;
  for (std::uint64_t i = 0; i < count; ++i)
    if (reserve(static_cast<uid_t>(first + (start + i) % count))) return;
  throw UserError(
      "all users for submissions are taken: let other graders on this machine end first");
}

// A name without a file: it is gone when this process is. Programs in boxes are in other networks, where
// they cannot take such names.
bool OwnUid::reserve(uid_t uid) {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto name = fmt::format("rankscope-user-{}", uid);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return false;
  if (has_processes(uid)) return false;
  reservation_ = std::move(socket);
  uid_ = uid;
  gid_ = uid;
  return true;
}

}  // namespace rankscope
