// The private directory (mode 0700) that holds the sockets of one world.
#pragma once

#include <filesystem>
#include <string>

#include "engine/run/conductor/launcher.h"

namespace rankscope {

class RunDirectory {
 public:
  /// Makes "rankscope-<pid>-<random>" under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removes such directories of dead
  /// conductors. A living conductor holds a lock on its own, so this is also correct for processes of another container
  /// that share the folder. Throws UserError.
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

/// Removes the directory that a dead conductor left behind, given one of its sockets' endpoints. Has no effect for
/// other endpoints.
void remove_run_directory_of(const std::string& endpoint) noexcept;

/// Returns 16 random hex digits from the system's generator.
std::string random_hex();

}  // namespace rankscope
