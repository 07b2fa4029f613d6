// A user id for one submission that no other process has.
#pragma once

#include <sys/types.h>

#include "engine/core/base/fd.h"

namespace rankscope {

/// Started as root: a user and group that no process has, reserved as long as this lives. So the kernel's
/// limit of processes counts this submission alone, and it cannot read another one's files. Else: this
/// process's own. Throws UserError when none is free.
class OwnUid {
 public:
  explicit OwnUid(bool wanted);
  uid_t uid() const noexcept { return uid_; }
  gid_t gid() const noexcept { return gid_; }
  /// Another one than this process's: to be changed to.
  bool other() const noexcept { return static_cast<bool>(reservation_); }

 private:
  bool reserve(uid_t uid);

  uid_t uid_;
  gid_t gid_;
  Fd reservation_;
};

}  // namespace rankscope
