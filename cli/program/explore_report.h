// The output of `--explore` and `--replay`, for exercises and for programs.
#pragma once

#include <functional>
#include <string>

#include "cli/terminal/console.h"
#include "engine/explore/explore.h"

namespace rankscope::cli {

/// The options of the command line.
struct ExploreOptions {
  std::string explore, replay, seed;
  bool asked() const noexcept { return !explore.empty() || !replay.empty(); }
};

struct Explored {
  /// Returns the whole command again, with other options in place of --explore.
  std::function<std::string(const std::string& options)> again;
  std::string file;  ///< Where the failing run's trace goes; empty if nowhere.
  std::function<std::string(std::uint32_t which)> name_of;  ///< Null if there is only one case.
  /// The verdict when no order fails; if null, "Right", as each run's result is judged.
  std::function<std::string()> praise;
};

/// Explores or replays, and prints the report. Throws UserError for wrong options. Returns the exit code.
int run_exploration(const Console& console, const ExploreOptions& options, const Explored& explored,
                    explore::ExploreSettings settings, const explore::RunInOrder& run);

}  // namespace rankscope::cli
