// `rankscope exec --sim`: a program's ranks stay processes, and agents in this process carry their verbs out in
// virtual time. No sandbox: the program is the user's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/own_ranks.h"
#include "engine/capi/agent.h"
#include "engine/run/conductor/child_process.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {

struct SimulatedOptions {
  /// Options as for real runs; base.transport is the simulator's. `ended` is called at the end of each run.
  ProgramHostOptions host;
  /// Virtual seconds per CPU second that a rank's process computes; 0 for none.
  double compute = 0;
  int interrupt_fd = -1;
};

/// Runs the groups of ranks that a program makes, one after the other, on the calling thread.
class SimulatedProgram {
 public:
  explicit SimulatedProgram(SimulatedOptions options);
  /// Returns variables for the environment of the program's processes.
  std::vector<std::string> environment() const;
  /// Runs the simulation until all children have ended or must be ended. Throws UserError if it is impossible as requested,
  /// such as on a topology with too few ranks.
  void serve(Children& children);
  int started() const noexcept { return started_; }
  /// Returns why the program was ended outside of a run; else empty.
  const std::string& end_reason() const noexcept { return end_reason_; }

 private:
  bool give_up(Children& children);
  static void wait_for_end(Children& children);
  void simulate(const OwnRanks::Group& group, Children& children);
  void explain(ProgramRun& run, const std::vector<capi::AgentReport>& reports) const;

  const SimulatedOptions options_;
  std::optional<OwnRanks> ranks_{std::in_place};  ///< Unset when no more runs are begun.
  int started_ = 0;
  Clock::time_point last_run_ = Clock::now();
  bool failed_ = false;
  std::string end_reason_;
};

/// Parses --compute: "0", "0.1", "1". Throws UserError.
double parse_compute(const std::string& text);

}  // namespace rankscope::cli
