// The table of the "Ray AllReduce task": of our algorithms, or of a student's class Worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/console.h"

namespace rankscope::cli {

struct AssignmentOptions {
  int ranks = 8;
  std::uint64_t bytes = std::uint64_t{4} << 23;  ///< On each rank, of float32.
  int trials = 10;
  std::vector<std::string> transports;
  double timeout_s = 60;
  std::string csv, records;  ///< Files; empty: none.
  std::string worker;        ///< The file with the class; empty: our algorithms are measured.
  bool no_sandbox = false;
};

/// The process's exit code. Throws UserError for numbers that make no table, and for a file that is none.
int run_assignment(const Console& console, const AssignmentOptions& options);

}  // namespace rankscope::cli
