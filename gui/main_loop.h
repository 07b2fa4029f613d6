// Takes input in, lets the application go on, draws: as often as there is something new.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <imgui.h>
#include <time.h>

#include "gui/application.h"
#include "gui/presenter_window.h"
#include "gui/shell.h"
#include "gui/window.h"

namespace rankscope::gui {

double seconds_of(clockid_t clock);
/// CPU time of this thread, in seconds.
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

class MainLoop {
 public:
  /// Throws UserError when there is no window to be had.
  explicit MainLoop(const StartOptions& options);

  /// Until somebody ends the program; the exit code.
  int run();
  /// A signal has asked for the end.
  static bool stop_requested();

  // ---- For measurements and the monkey, which drive the loop themselves ----
  App& app() noexcept { return app_; }
  Shell& shell() noexcept { return shell_; }
  Window& window() noexcept { return window_; }
  /// Builds and paints a frame, and carries out what was asked for in it.
  void frame();
  /// Builds a frame that nobody sees.
  void build();
  /// Until all views have made what they show.
  void settle();
  /// When measured: what each frame and each look for news costs.
  struct Costs {
    std::vector<double> built, updated, fonts;
  };
  Costs* costs = nullptr;
  /// Between the backend's new frame and ImGui's.
  std::function<void(ImGuiIO&)> on_frame = [](ImGuiIO&) {};
  /// Painting takes ten times as long as all the rest, without a graphics card.
  std::function<bool()> paints = [] { return true; };
  /// Before what was asked for is carried out.
  std::function<void()> on_orders = [] {};
  /// Seconds since the loop began to be made.
  double age() const;
  /// Processor time of this thread for the application and its first letters, once the window was there.
  double start_cost() const noexcept { return start_cost_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool scripted() const;
  void queue_work();
  void build_look();
  /// Loads what the first picture did without.
  void load_letters();
  void build_frame();
  void take_screenshots();
  void write_picture(const std::string& file, const Pixels& picture);
  /// Opens, closes and draws the presenter's window.
  void keep_presenter();
  void open_presenter();
  void draw_presenter();
  /// Hands a picture to those who keep the last minute, when one is due. Seconds until the next one is.
  double keep_minute();
  double longest_wait() const;

  const StartOptions& options_;
  Clock::time_point zero_ = Clock::now();
  Window window_;
  double start_cost_ = -thread_seconds();
  App app_;
  Shell shell_;
  Look look_;
  std::unique_ptr<PresenterWindow> presenter_;  ///< Null: it is closed.
  CommandQueue presenter_commands_;
  int presenter_pictures_ = 0;  ///< Frames since one was asked for.
  Clock::time_point presenter_drawn_{};
  int countdown_shown_ = -1;
  bool drawn_ = false, all_letters_ = false;
  bool fresh_ = false;     ///< The last frame is not kept yet.
  double minute_due_ = 0;  ///< In so many seconds it may be.
  double built_scale_ = 0;
  int unsettled_, picture_frames_ = 0;
  bool screenshot_failed_ = false;
  Clock::time_point last_update_ = Clock::now(), last_input_ = Clock::now();
};

}  // namespace rankscope::gui
