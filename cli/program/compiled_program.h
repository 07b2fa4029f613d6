// A program in C++ that `rankscope exec` compiles for the time of its run.
#pragma once

#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"

namespace rankscope::cli {

class CompiledProgram {
 public:
  /// Compiles the file with $CXX (else g++) and $CXXFLAGS; without optimisation if it is to be debugged. The compiler's messages
  /// go to standard error. Throws UserError if it cannot be compiled.
  explicit CompiledProgram(const std::string& source, const std::string& sanitizers = {},
                           bool debugged = false);
  std::string binary() const { return (folder_.path() / "program").string(); }

 private:
  ScratchFolder folder_{"program"};
};

/// Returns settings of sanitizers for a program's environment, as "NAME=value", except those that the user has set.
std::vector<std::string> sanitizer_environment();

/// Returns the MPI library that a program (looked up in PATH) needs, "libmpi.so.40", or empty.
std::string mpi_library_of(const std::string& program);

/// Throws UserError if the program needs an MPI library.
void refuse_mpi_binary(const std::string& program);

}  // namespace rankscope::cli
