// Another program, started without a shell.
#pragma once

#include <string>
#include <vector>

namespace rankscope::gui {

struct ProgramOutput {
  int status = -1;    ///< Its exit code; -1: it could not be started.
  bool found = true;  ///< False: there is no such program.
};

/// Waits for its end. Its standard input is a file, and nobody reads what it writes: for programs that leave a part of
/// themselves running, which would keep a pipe open.
ProgramOutput feed_program(std::vector<std::string> words, const std::string& file);

}  // namespace rankscope::gui
