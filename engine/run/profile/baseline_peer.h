// A library that a user might choose instead (Gloo, Open MPI), as a program that is started once and then measures on
// request (engine/run/baselines/baseline.h has the protocol).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/collective.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope {

/// A baseline, named as users type it: "gloo" (its ring), "gloo-bcube", "openmpi" (its own choice: shared memory on one
/// host), "openmpi-tcp", "zeromq" (a ring on its bare sockets).
struct Baseline {
  std::string_view name;
  std::string_view title;
  std::string_view program;   ///< rankscope-baseline-...
  std::string_view packages;  ///< Debian packages that it needs.
  std::string_view transport;
  bool by_mpirun;                         ///< Started by mpirun, otherwise directly.
  std::vector<std::string_view> options;  ///< For mpirun, or else for the program.
};
const std::vector<Baseline>& baselines();
/// Throws UserError that lists the names.
const Baseline& require_baseline(std::string_view name);

/// Returns what a baseline lacks on this machine, and how to get it; empty if it can run.
std::string what_is_missing(const Baseline& baseline);

/// Returns the name of our collective in the baselines' protocol; empty if it has none.
std::string_view baseline_collective(Collective collective) noexcept;

struct PeerAnswer {
  std::vector<double> times_s;
  std::string error;  ///< The reason why there are no times.
  bool interrupted = false;
  bool ok() const noexcept { return error.empty() && !interrupted; }
};

/// One running baseline with a fixed number of ranks. Destroying it ends all of its processes.
class BaselinePeer {
 public:
  /// Throws UserError if it cannot be started.
  BaselinePeer(const Baseline& baseline, int ranks, int interrupt_fd = -1);
  BaselinePeer(const BaselinePeer&) = delete;
  BaselinePeer& operator=(const BaselinePeer&) = delete;
  ~BaselinePeer();

  /// Blocks until it has answered or died, the deadline, or an interrupt. After a failure it cannot be used again.
  PeerAnswer measure(std::string_view collective, std::uint64_t bytes, int warmup, int iterations,
                     Deadline deadline);
  bool usable() const noexcept { return !broken_; }

 private:
  bool write_line(const std::string& line) noexcept;
  /// Returns false at the deadline, at an interrupt, or at the end of the output.
  bool read_line(std::string& line, Deadline deadline, bool& interrupted);

  const Baseline& baseline_;
  const int interrupt_fd_;
  std::optional<Subprocess> process_;
  Fd input_, output_;
  std::string buffered_;
  bool broken_ = false;
};

}  // namespace rankscope
