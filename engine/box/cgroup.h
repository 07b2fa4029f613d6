// The kernel's own limits over all processes of a submission, where this process may set them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <sys/types.h>

#include "engine/box/box_spec.h"
#include "engine/core/base/fd.h"

namespace rankscope {

/// A cgroup (version 2) in which this process may make others with limits of memory and processes: its own, or
/// one above it, as systemd delegates them. Empty when there is none. `mount` and `own` (the text of
/// /proc/self/cgroup) are given by tests.
std::filesystem::path delegated_cgroup(const std::filesystem::path& mount, const std::string& own);
std::filesystem::path delegated_cgroup();

/// One cgroup, for one group of boxes. The supervisor names the reason of an end, so the kernel's limits lie a
/// little above its own: they count what it cannot see, and hold between two looks.
class Cgroup {
 public:
  /// Throws UserError when it cannot be made.
  Cgroup(const std::filesystem::path& parent, const BoxLimits& limits, std::size_t boxes);
  /// Ends what is left in it, and removes it.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  int fd() const noexcept { return folder_.get(); }  ///< For clone3.
  bool out_of_memory() const;
  /// Moves a process into it.
  bool take(pid_t process) const;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  bool write(const char* file, const std::string& text) const;

  std::filesystem::path path_;
  Fd folder_;
};

}  // namespace rankscope
