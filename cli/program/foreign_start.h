// Refuses what starts or is a program in a way of its own, so that its ranks would not be one world.
#pragma once

#include <string>
#include <vector>

namespace rankscope::cli {

/// Throws UserError for a command that begins with mpirun or srun, for a process that one of them has started, and for
/// source in C or Fortran.
void refuse_foreign_start(const std::vector<std::string>& command);

}  // namespace rankscope::cli
