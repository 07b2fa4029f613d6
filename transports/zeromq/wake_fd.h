// A file descriptor that becomes readable when somebody calls wake(): eventfd, elsewhere a pipe.
#pragma once

namespace rankscope {

class WakeFd {
 public:
  WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;
  ~WakeFd();

  /// Any thread; safe in a signal handler.
  void wake() noexcept;
  void drain() noexcept;
  int fd() const noexcept { return read_; }

 private:
  int read_ = -1;
  int write_ = -1;  ///< The same as read_ for an eventfd.
};

}  // namespace rankscope
