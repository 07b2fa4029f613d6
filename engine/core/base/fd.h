// A file descriptor that closes itself, and pairs of them: one end for this process, one for a child.
#pragma once

#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace rankscope {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

/// Both are closed by exec. For a pipe, `ours` is the read end.
struct FdPair {
  Fd ours, theirs;
};

/// Throw a UserError that names `whom` ("a box") if the pair cannot be made.
FdPair socket_pair(std::string_view whom, int type = SOCK_STREAM);
FdPair pipe_pair(std::string_view whom);

}  // namespace rankscope
