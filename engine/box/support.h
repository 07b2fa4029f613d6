// Finds out whether untrusted programs can be boxed on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope {

/// The means to make boxes on this machine, found once for a batch of submissions.
struct BoxSupport {
  bool sandbox = true;  ///< Off with --no-sandbox.
  bool other_user =
      false;  ///< Without a sandbox, programs run as users that no other program has (as_other_user()).
  std::string problem;          ///< Why no boxes can be made, and what to do; empty if they can.
  std::filesystem::path bwrap;  ///< Bubblewrap.
  std::string filter;           ///< The system calls that are refused: a compiled program.
  std::filesystem::path
      cgroup;  ///< The cgroup in which the kernel limits memory, too; empty for supervision alone.
  std::vector<std::string> system;  ///< Bubblewrap's options that make the read-only system.

  bool works() const noexcept { return !sandbox || problem.empty(); }
};

struct BoxSupportOptions {
  bool no_sandbox = false;      ///< The user has chosen to do without (--no-sandbox).
  std::filesystem::path bwrap;  ///< Instead of the system's own.
  std::vector<std::filesystem::path> hidden =
      {};  ///< Never seen in a box, even in a folder of the system.
};

/// Looks for bubblewrap, and starts a box to see that this machine allows it. Does not throw for what is
/// missing: see `problem`.
BoxSupport box_support(const BoxSupportOptions& options = {});

/// Returns the support for running without a sandbox, where `failed` says that there can be none: each rank runs as a
/// user that no other program has. Their time, memory, processes, output and system calls are limited as in boxes, and no
/// file of another user is written or, where it is not open to everybody, read. Only root can do this; else `problem`
/// says so.
BoxSupport as_other_user(const BoxSupport& failed);
/// Returns what programs of as_other_user() can still do, for a report.
std::string other_user_warning(const BoxSupport& support);

/// This machine allows no boxes.
class NoBoxes : public UserError {
 public:
  using UserError::UserError;
};

/// Throws NoBoxes, which says what is missing, what to do, and names --no-sandbox.
void require_boxes(const BoxSupport& support);

/// Returns the warning for a user who asks to run without boxes.
std::string box_warning();

}  // namespace rankscope
