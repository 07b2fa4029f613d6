// What a program under `rankscope exec` finds in its environment.
#pragma once

#include <string>
#include <vector>

namespace rankscope::cli {

struct ExecProgram {
  std::string host;  ///< "NAME=value": where its ranks meet.
  std::vector<std::string> command;
  std::string output;  ///< Of the traces: a file or folder; may be empty.
  std::string source;  ///< Of one that was compiled; may be empty.
  int copies = 0;      ///< 0: one, which makes its ranks itself.
};
std::vector<std::string> exec_environment(const ExecProgram& program, int copy);

}  // namespace rankscope::cli
