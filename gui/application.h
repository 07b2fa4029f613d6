// The window program's options, and its start.
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
  bool scale_given = false;  ///< Otherwise the scale is the remembered one.
  bool hidden = false, fresh = false, list_commands = false;
  int bench_frames = 0;
  double bench_live_s = 0;  ///< Seconds to watch a made-up run of a million events per second.
  double monkey_s = 0;      ///< Seconds of random commands, clicks and keys (for tests).
  std::uint64_t seed = 1;
};

/// Returns the exit code: 0, or 1 if a script, command or screenshot failed. Throws UserError if no window
/// can be opened.
int run_application(const StartOptions& options);

}  // namespace rankscope::gui
