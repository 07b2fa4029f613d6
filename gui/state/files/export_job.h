// Pictures and files of a trace, written by the `rankscope` command in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

struct ExportJob {
  std::string program, trace, output;
  std::string diagram;  ///< A view's name, or what the command calls a diagram.
  std::string with;     ///< Of a comparison: the second trace.
  std::string theme;
  std::optional<int> round;  ///< Of the buffers and the graph; none: the end, and all rounds.
  bool measured = false, portrait = false, critical_path = false, values = false;
};

/// The command line. Throws UserError for a view that shows no diagram.
std::vector<std::string> words_of(const ExportJob& job);

/// Blocks until it is written. Whether it was, and what to say.
std::pair<bool, std::string> carry_out(const ExportJob& job);

}  // namespace rankscope::gui
