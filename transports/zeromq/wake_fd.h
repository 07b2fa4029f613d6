// A file descriptor that wake() makes readable: an eventfd, or a pipe where there is none.
#pragma once

namespace rankscope {

class WakeFd {
 public:
  WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;
  ~WakeFd();

  /// May be called from any thread and from signal handlers.
  void wake() noexcept;
  void drain() noexcept;
  int fd() const noexcept { return read_; }

 private:
  int read_ = -1;
  int write_ = -1;  ///< The same as read_ for an eventfd.
};

}  // namespace rankscope
