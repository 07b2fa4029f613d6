// Starts a program as another user, with limits and with exactly these descriptors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "engine/box/box_spec.h"
#include "engine/core/base/fd.h"

namespace rankscope {

/// The user and group for a submission. If `wanted` and this process is root's: ones that no process has, reserved while
/// this object lives, so that the kernel's limit of processes counts this submission alone, and it cannot read another
/// one's files. Else this process's own. Throws UserError when none is free.
class OwnUid {
 public:
  explicit OwnUid(bool wanted);
  uid_t uid() const noexcept { return uid_; }
  gid_t gid() const noexcept { return gid_; }
  /// Returns whether the user is not this process's, so that programs have to change to it.
  bool other() const noexcept { return static_cast<bool>(reservation_); }

 private:
  bool reserve(uid_t uid);

  uid_t uid_;
  gid_t gid_;
  Fd reservation_;
};

struct SpawnPlan {
  std::vector<std::string> argv;  ///< The first is a path.
  std::vector<std::string> environment;
  std::string directory = "/";
  std::vector<BoxDescriptor> descriptors;  ///< All that it gets; 0, 1 and 2 among them.
  std::vector<std::pair<int, rlim_t>> limits;
  bool confined = false;
  int cgroup = -1;  ///< The cgroup in which it starts; -1 for this process's.
  bool change_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
  /// With `change_user` and not `confined`: the program keeps the right to become other users (for a program of ours).
  bool keep_changing = false;
  /// Not `confined`: the system calls refused to the program (BoxSupport::filter).
  std::string filter = {};
};

struct Spawned {
  pid_t pid = -1;
  Fd pidfd;  ///< For poll(): readable when it has ended.
};

/// Starts it in a process group of its own. It is killed when the calling *thread* ends (the kernel counts
/// threads as parents). posix_spawn can neither change the user nor set limits.
///
/// With `confined`, in a PID namespace whose first process waits for the program, and ends as it does or
/// when the caller dies: whatever the program had started, at whatever moment, ends with it, and only then
/// `pidfd` becomes readable. (Bubblewrap alone would leave processes behind that stand still in the middle of
/// their start.)
///
/// Throws UserError when the program cannot be started.
Spawned spawn(const SpawnPlan& plan);

/// If this process is root's, kills all processes of a user at once, so that none escapes by starting another one. The
/// signal comes from a process of `by`, which processes of `user` cannot kill first if it is another user. Processes of
/// `by` are killed, too.
void end_processes_of(uid_t user, uid_t by);

/// Does nothing to a process that has ended.
void kill_pidfd(const Fd& pidfd, int signal) noexcept;

/// A file in memory that holds this, read from its beginning.
Fd file_of(const std::string& text);

}  // namespace rankscope
