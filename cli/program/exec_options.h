// The options of `rankscope exec`.
#pragma once

#include <string>
#include <vector>

#include "cli/job_options.h"
#include "cli/program/explore_program.h"
#include "cli/program/program_notes.h"

namespace rankscope::cli {

constexpr double kOrderTimeout = 30;  ///< Seconds for each of many runs.

struct ExecOptions {
  ExecOptions() {
    job.texts["send_mode"].clear();  // the program's library has its own
    job.texts["eager_limit"].clear();
    job.texts["timeout_s"] = "600";
  }

  std::string ranks, output, python;
  std::string sanitize;  ///< "address,undefined"
  std::string debug;     ///< The rank to start under gdb; may be empty.
  std::vector<std::string> command;
  JobOptions job;
  bool no_findings = false;
  bool for_parent = false;  ///< The application started this command, which ends with it.
  MeantOptions meant;
  ExploreOptions orders;
  std::string sim, compute;
  OptionList app;

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

/// Throws UserError for a transport that the ranks of this run cannot have.
void check_transport(const ExecOptions& options);
/// Throws UserError for options of virtual time without --sim, and --sim with --explore.
void check_virtual_time(const ExecOptions& options);

void add_exec_options(OptionList app, ExecOptions& options);

}  // namespace rankscope::cli
