// The private directory (mode 0700) that holds the sockets of one world.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/base/scratch_folder.h"

namespace rankscope {

class RunDirectory {
 public:
  /// Makes "rankscope.run-<pid>-<random>" under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removes such directories of dead
  /// conductors, also of those in another container that share the folder. Throws UserError.
  RunDirectory();
  const std::filesystem::path& path() const noexcept { return folder_.path(); }
  std::string endpoint(const std::string& name) const {
    return "ipc://" + (path() / name).string();
  }

 private:
  ScratchFolder folder_;
};

/// Removes the directory that a dead conductor left behind, given one of its sockets' endpoints. Has no effect for
/// other endpoints.
void remove_run_directory_of(const std::string& endpoint) noexcept;

/// Returns 16 random hex digits from the system's generator.
std::string random_hex();

}  // namespace rankscope
