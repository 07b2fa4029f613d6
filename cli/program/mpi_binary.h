// Recognises programs that are linked against an MPI library: their ranks would not meet here.
#pragma once

#include <string>

namespace rankscope::cli {

/// The MPI library that a program (looked up in PATH) needs: "libmpi.so.40"; empty: none, or no ELF file.
std::string mpi_library_of(const std::string& program);

/// Throws UserError with what to do when the program needs one.
void refuse_mpi_binary(const std::string& program);

}  // namespace rankscope::cli
