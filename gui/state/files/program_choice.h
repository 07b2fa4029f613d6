// How a student's program is run in the window; remembered for each file.
#pragma once

#include <cstddef>
#include <string>

namespace rankscope::gui {

struct ProgramChoice {
  std::string file;      ///< Whole; empty: no program.
  int ranks = 4;         ///< 0: it makes its ranks itself.
  std::string as, data;  ///< As `rankscope exec --as --data`; may be empty.
  std::string python;    ///< Empty: the one that `rankscope exec` chooses.
  static constexpr std::size_t kMostKept = 64;
  bool operator==(const ProgramChoice&) const = default;
};

}  // namespace rankscope::gui
