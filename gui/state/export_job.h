// Pictures and files of a trace, written by the `rankscope` command in a process of its own.
#pragma once

#include <string>
#include <utility>

namespace rankscope::gui {

struct ExportJob {
  std::string program, trace, output;
  std::string diagram;  ///< A view's name; what is no diagram is exported as spacetime.
  std::string theme;
  bool measured = false;
};

/// Blocks until it is written. Whether it was, and what to say.
std::pair<bool, std::string> carry_out(const ExportJob& job);

}  // namespace rankscope::gui
