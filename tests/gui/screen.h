// A screen of its own (Xvfb), the real rankscope-gui on it, and hands (xdotool).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/subprocess.h"
#include "tests/support/process.h"

namespace rankscope::test {

/// A program in a process group of its own; killed with the group at the end of the scope. What it
/// writes goes to files of the folder.
class Background {
 public:
  Background(const std::vector<std::string>& command, const EnvironmentChanges& environment,
             const std::string& output);

  void signal(int number) const { program_.signal(number); }
  /// Whether none of its threads runs, or waits for a processor.
  bool rests() const;
  std::string out() const;
  std::string err() const;
  /// Waits for this text in its output.
  bool says(const std::string& text) const;
  /// Its exit code (128 + signal); -1: it has not ended within the limit.
  int end(std::chrono::milliseconds limit = kWaitLimit);

 private:
  std::string output_;
  Subprocess program_;
};

/// Xvfb on a free display, and folders for settings and caches that are not the user's.
class Screen {
 public:
  explicit Screen(const std::string& size = "1600x1000");

  EnvironmentChanges environment() const;
  /// The display's name, ":7".
  const std::string& display() const noexcept { return display_; }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  const std::string& folder() const noexcept { return folder_.path(); }

  /// Runs the application to its end.
  Finished gui(std::vector<std::string> arguments) const;
  /// Runs a script of these lines and `quit` in a window of the screen's size that is not shown.
  Finished script(const std::vector<std::string>& lines,
                  std::vector<std::string> arguments = {}) const;
  std::string write_script(const std::vector<std::string>& lines,
                           const std::string& name = "test.rankscript") const;

  /// xdotool: keys, clicks, moves.
  void run_xdotool(std::vector<std::string> arguments) const;
  /// The same for a window: after each part up to a "sleep", the window first takes what came, however slow its
  /// frames are. `limit` is for a window that never rests, as it plays a run.
  void run_xdotool(const Background& window, const std::vector<std::string>& arguments,
                   std::chrono::milliseconds limit = std::chrono::seconds(1)) const;
  /// What the screen shows of the window, as in Picture; empty if there is no window.
  std::vector<std::uint32_t> pixels(const std::string& title = "rankscope") const;
  /// The window's close button, as a window manager presses it. False: there is no window.
  bool close_window(const std::string& title = "rankscope") const;
  /// Living processes that have this screen's folder in their environment: the application and all
  /// that it started.
  std::vector<pid_t> processes() const;

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Background> server_;
  std::string size_, display_;
};

/// The built rankscope-gui.
std::string gui_program();
/// True when this machine has what such tests need; else says what is missing, and the test is to
/// end: CTest counts it as skipped. In CI it fails.
bool can_see(bool hands = false);

}  // namespace rankscope::test
