// The private directory (mode 0700) that holds the sockets of one world.
#pragma once

#include <filesystem>
#include <string>

#include "engine/run/conductor/launcher.h"

namespace rankscope {

class RunDirectory {
 public:
  /// Makes "rankscope-<pid>-<random>" under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removes such
  /// directories of conductors that are gone. A conductor holds a lock on its own, so that this is
  /// right also for another container's processes that share the folder. Throws UserError.
  RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();
  const std::filesystem::path& path() const noexcept { return path_; }
  std::string endpoint(const std::string& name) const { return "ipc://" + (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  Fd lock_;
};

/// What the conductor would have removed, had it not died: its directory, given one of its sockets'
/// endpoints. Nothing happens for other endpoints.
void remove_run_directory_of(const std::string& endpoint) noexcept;

/// 16 random hex digits from the system's generator.
std::string random_hex();

}  // namespace rankscope
