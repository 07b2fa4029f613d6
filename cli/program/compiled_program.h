// A program in C++ that `rankscope exec` compiles for the time of its run.
#pragma once

#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"

namespace rankscope::cli {

class CompiledProgram {
 public:
  /// Compiles the file with $CXX (else g++) and $CXXFLAGS; a program to be debugged without optimisation. What the
  /// compiler says goes to standard error, as it is. Throws UserError when it cannot be compiled.
  explicit CompiledProgram(const std::string& source, const std::string& sanitizers = {},
                           bool debugged = false);
  std::string binary() const { return (folder_.path() / "program").string(); }

 private:
  ScratchFolder folder_{"program"};
};

/// Returns the settings of sanitizers for a program's environment, as "NAME=value", but those that the user has set.
std::vector<std::string> sanitizer_environment();

/// The MPI library that a program (looked up in PATH) needs: "libmpi.so.40"; empty: none, or no ELF file.
std::string mpi_library_of(const std::string& program);

/// Throws UserError with what to do when the program needs one.
void refuse_mpi_binary(const std::string& program);

}  // namespace rankscope::cli
