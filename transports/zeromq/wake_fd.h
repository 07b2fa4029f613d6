// A file descriptor that wake() makes readable.
#pragma once

#include "engine/core/base/fd.h"

namespace rankscope {

class WakeFd {
 public:
  /// Throws UserError if the program may open no more files.
  WakeFd();

  /// May be called from any thread and from signal handlers.
  void wake() noexcept;
  void drain() noexcept;
  int fd() const noexcept { return event_.get(); }

 private:
  const Fd event_;
};

}  // namespace rankscope
