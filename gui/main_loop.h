// The main loop: handles input, updates the application, and draws when there is something new.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <time.h>

#include "gui/presenter_window.h"
#include "gui/shell.h"
#include "gui/window.h"

namespace rankscope::gui {

/// The options of the command line.
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

double seconds_of(clockid_t clock);
/// CPU time of this thread, in seconds.
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

class MainLoop {
 public:
  /// Throws UserError if no window can be opened.
  explicit MainLoop(const StartOptions& options);

  /// Runs until somebody ends the program; returns the exit code.
  int run();
  /// Returns whether a signal has asked the program to end.
  static bool stop_requested();

  // ---- For measurements and the monkey, which drive the loop themselves ----
  App& app() noexcept { return app_; }
  Shell& shell() noexcept { return shell_; }
  Window& window() noexcept { return window_; }
  /// Builds and paints a frame, and carries out the commands given in it.
  void frame();
  /// Builds a frame without painting it.
  void build();
  /// Draws frames until all views have finished, nothing runs or moves, or a limit of time has passed.
  void settle();
  /// CPU seconds of each frame, update and load of fonts.
  struct Costs {
    std::vector<double> built, updated, fonts;
  };
  Costs* costs = nullptr;  ///< Filled if set.
  /// Called between the backend's new frame and ImGui's.
  std::function<void(ImGuiIO&)> on_frame = [](ImGuiIO&) {};
  /// Returns whether to paint a frame. Without a graphics card, painting takes ten times as long as everything else.
  std::function<bool()> paints = [] { return true; };
  /// Called before the commands of a frame are carried out.
  std::function<void()> on_orders = [] {};
  /// Returns the seconds since construction of the loop began.
  double age() const;
  /// Returns this thread's CPU seconds for the application and its first letters, after the window was opened.
  double start_cost() const noexcept { return start_cost_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool scripted() const;
  void queue_work();
  double wanted_scale() const;
  void build_look();
  /// Loads the letters that the first frame did without.
  void load_letters();
  void build_frame();
  void take_screenshots();
  void write_file(const std::string& file, const std::function<std::string()>& content);
  /// Remembers the windows' places; opens, closes and draws the presenter's window.
  void keep_windows();
  void open_presenter();
  void draw_presenter();
  /// Adds a picture to the recording of the last minute if one is due; returns the seconds until the next one is.
  double keep_minute();
  double longest_wait() const;
  /// On a projector, hides a mouse that does not move, and makes it point at nothing.
  void rest_mouse();

  const StartOptions& options_;
  Clock::time_point zero_ = Clock::now();
  Window window_;
  double start_cost_ = -thread_seconds();
  App app_;
  Shell shell_;
  Look look_;
  std::unique_ptr<PresenterWindow> presenter_;  ///< Null while it is closed.
  CommandQueue presenter_commands_;
  int presenter_pictures_ = 0;  ///< Frames since a screenshot was asked for.
  Clock::time_point presenter_drawn_{};
  int countdown_shown_ = -1;
  bool drawn_ = false, all_letters_ = false;
  bool fresh_ = false;     ///< The last minute's recording lacks the last frame.
  double minute_due_ = 0;  ///< Seconds until it takes one.
  double built_scale_ = 0;
  int unsettled_, picture_frames_ = 0;
  bool screenshot_failed_ = false;
  Clock::time_point last_update_ = Clock::now(), last_input_ = Clock::now();
  Clock::time_point mouse_moved_{};
  std::pair<float, float> mouse_{-1, -1};
  bool mouse_rests_ = true;
};

}  // namespace rankscope::gui
