// The program behind its options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::gui {

struct StartOptions {
  std::string trace, script, screenshot, theme;
  std::vector<std::string> commands, plugins;
  int width = 0, height = 0;  ///< 0: as the window was last, or the default, within the screen.
  bool has_size() const noexcept { return width > 0 && height > 0; }
  double scale = 0;
  bool scale_given = false;  ///< Else it is as remembered.
  bool hidden = false, fresh = false, list_commands = false;
  int bench_frames = 0;
  double bench_live_s = 0;  ///< So long a made-up run of a million events a second is watched.
  double monkey_s = 0;      ///< So long random commands, clicks and keys come (tests).
  std::uint64_t seed = 1;
};

/// Returns the exit code: 0; 1 when a script or command failed. Throws UserError when there is no
/// window to be had.
int run_application(const StartOptions& options);

}  // namespace rankscope::gui
