// Chooses the Python that runs a user's script or notebook.
#pragma once

#include <string>
#include <vector>

namespace rankscope::cli {

struct Interpreter {
  std::string program;
  std::string version;  ///< "Python 3.11.2, torch 2.15.0"; empty if it cannot be asked.
  std::vector<std::string> loads =
      {};  ///< What a stem can load for all copies of the script (ProgramStem).
};

/// Returns the named Python (`--python`, else $RANKSCOPE_PYTHON), else that of the active environment, else the first python3 on
/// the PATH that has all modules that the script imports at its top, or just the first. Throws UserError if a named or active one
/// lacks a module, and another Python here has all.
Interpreter interpreter_for(const std::string& script, const std::string& named);

/// Returns what a stem can load for all copies of a script, run by this Python; empty if it cannot be asked.
std::vector<std::string> loads_of(const std::string& script, const std::string& python);

}  // namespace rankscope::cli
