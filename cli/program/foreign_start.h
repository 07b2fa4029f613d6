// Refuses commands whose ranks would not be one world, and programs in C or Fortran.
#pragma once

#include <string>
#include <vector>

namespace rankscope::cli {

/// Throws UserError for a command that begins with a launcher such as mpirun, for several copies (`copied`: -n) of one that starts
/// all ranks, if a launcher has started this process, and for source in C or Fortran.
void refuse_foreign_start(const std::vector<std::string>& command, bool copied);

}  // namespace rankscope::cli
