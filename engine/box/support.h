// Can untrusted programs be boxed on this machine?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope {

/// What the boxes of a batch of submissions are made with. Found once, used for all of them.
struct BoxSupport {
  bool sandbox = true;           ///< False: --no-sandbox.
  std::string problem;           ///< What is missing, and what to do. Empty: boxes can be made.
  std::filesystem::path bwrap;   ///< Bubblewrap.
  std::string filter;            ///< The system calls that are refused: a compiled program.
  std::filesystem::path cgroup;  ///< Where the kernel limits memory, too; empty: supervision alone.
  std::vector<std::string> system;  ///< Bubblewrap's options that make the read-only system.

  bool works() const noexcept { return !sandbox || problem.empty(); }
};

struct BoxSupportOptions {
  bool no_sandbox = false;      ///< The user wants to do without, and knows what it means.
  std::filesystem::path bwrap;  ///< Instead of the system's own.
};

/// Looks for bubblewrap, and starts a box to see that this machine allows it. Does not throw for what is
/// missing: see `problem`.
BoxSupport box_support(const BoxSupportOptions& options = {});

/// This machine allows no boxes.
class NoBoxes : public UserError {
 public:
  using UserError::UserError;
};

/// Throws NoBoxes, which says what is missing, what to do, and names --no-sandbox.
void require_boxes(const BoxSupport& support);

/// What running without boxes means; for the user who asks for it.
std::string box_warning();

}  // namespace rankscope
