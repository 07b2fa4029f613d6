// The command that starts a user's program, from what the user has named.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/program/exec_options.h"

namespace rankscope::cli {

/// A program as it is started.
struct ProgramCommand {
  std::vector<std::string> words;
  std::string script;              ///< In Python; empty: it is none.
  std::vector<std::string> loads;  ///< What one process can load for all its copies.
};

/// Throws UserError. Says which Python a script runs with.
ProgramCommand command_of(const Console& console, const ExecOptions& options);

/// ".cpp" of "ring.cpp".
std::string extension(const std::string& word);

}  // namespace rankscope::cli
