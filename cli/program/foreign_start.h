// Refuses what starts or is a program in a way of its own, so that its ranks would not be one world.
#pragma once

#include <string>
#include <vector>

namespace rankscope::cli {

/// Throws UserError for a command that begins with mpirun or srun, for several copies (`-n`) of one that starts all ranks, for
/// a process that a launcher has started, and for source in C or Fortran.
void refuse_foreign_start(const std::vector<std::string>& command, bool copied);

}  // namespace rankscope::cli
