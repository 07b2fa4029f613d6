// The command and environment that start a user's program.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/program/exec_options.h"

namespace rankscope::cli {

/// A program as it is started.
struct ProgramCommand {
  std::vector<std::string> words;
  std::string script;              ///< In Python, or a notebook; else empty.
  std::vector<std::string> loads;  ///< What one process can load for all its copies.
};

/// Returns the command for what the user has named. Notes which Python runs a script. Throws UserError.
ProgramCommand command_of(const Console& console, const ExecOptions& options);

/// The settings with which a program is started.
struct ExecProgram {
  std::string host;  ///< "NAME=value": where its ranks meet.
  std::vector<std::string> command;
  std::string output;  ///< File or folder for its traces; may be empty.
  std::string source;  ///< The file that it was compiled from; may be empty.
  int copies = 0;      ///< 0 for one that starts its ranks itself.
};
/// Returns the variables of a copy: where its ranks meet, our Python package, and those of torchrun, from which a script learns its
/// rank.
std::vector<std::string> exec_environment(const ExecProgram& program, int copy);

/// ".cpp" of "ring.cpp".
std::string extension(const std::string& word);

}  // namespace rankscope::cli
