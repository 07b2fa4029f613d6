// `rankscope exec --explore`: runs a program's ranks as processes whose messages go through agents in this process,
// which choose their order. No sandbox: the program is the user's own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/explore_report.h"
#include "cli/program/program_notes.h"
#include "engine/core/run/platform.h"
#include "engine/explore/explore.h"
#include "engine/run/conductor/program_host.h"
#include "engine/run/job/job.h"

namespace rankscope::cli {

struct ExploredProgram {
  std::vector<std::string> command;
  std::string shown;  ///< The command as the user gave it.
  std::function<std::vector<std::string>(const std::string& host, int copy)> environment;
  /// Starts the process from which copies are forked; may return null.
  std::function<std::unique_ptr<ProgramStem>(const std::string& host)> stem;
  /// A run's number of ranks and time limit. With 0 ranks the program starts them itself.
  JobSpec base;
  /// Sends end as in the program's library, in MPI eagerly up to `mpi_eager_limit`; else as `base` says.
  bool platform_chooses_mode = true;
  std::uint64_t mpi_eager_limit = kEagerLimit;
  int interrupt_fd = -1;
  MeantOptions meant;
};

class ProgramExplorer {
 public:
  /// Runs the program twice, to learn its library and usual output. Throws UserError if it cannot be explored.
  explicit ProgramExplorer(ExploredProgram program);
  explore::OrderSettings order() const;
  int ranks() const noexcept { return spec_.world.size; }
  explore::Outcome run(explore::InterleavingOrder& order);
  /// Returns the verdict when no order fails: "Right", or that it ends well.
  std::string praise() const;

 private:
  struct OneRun;
  struct Started;
  OneRun run_once(RunOrder& order);
  void start_copies(Started& started, ProgramNotes& notes) const;
  void start_itself(Started& started, ProgramNotes& notes, OneRun& out);
  void run_ranks(Started& started, RunOrder& order, OneRun& out) const;
  JobSpec spec_for(const std::string& platform, int ranks) const;
  bool starts_its_ranks() const noexcept { return program_.base.world.size == 0; }
  void judge(const OneRun& one, explore::Outcome& out) const;

  const ExploredProgram program_;
  const std::unique_ptr<ProgramStem> stem_;  ///< May be null.
  JobSpec spec_;
  /// By process: the lines that it prints in the usual order, sorted; nothing where two such runs differ.
  std::vector<std::optional<std::string>> usual_output_;
  /// All results so far could be compared with the collective that was meant.
  mutable bool judged_ = true;
};

/// Explores and prints the report. `file`: for the failing run's trace; may be empty. Returns the exit code.
int explore_program(const Console& console, const ExploreOptions& orders, ExploredProgram program,
                    const std::string& file);

}  // namespace rankscope::cli
