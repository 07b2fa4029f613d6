// Commands of a lecture: the presenter's window, a clicker's stops, the black screen, timer and countdown, spotlight and pen, and
// `record last`: the window's last minute as a GIF or a video. They change nothing of the run.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/lecture/frame_ring.h"

namespace rankscope::gui {

class LectureCommands : public CommandGroup {
 public:
  explicit LectureCommands(App& app);
  ~LectureCommands();
  void update(double seconds, bool& news);
  /// Returns whether a clip is being written.
  bool busy() const { return saving_.valid(); }
  /// Starts the lecture's timer unless it runs.
  void begin();
  /// Lets the timer go on from so many seconds.
  void set_timer(int seconds);
  /// Seconds on a steady clock; tests replace it.
  std::function<double()> clock;

  // ---- The commands ----
  void presenter(const Arguments& words);
  void next_stop();
  void previous_stop();
  void blank(const Arguments& words);
  void timer(const Arguments& words);
  void countdown(const Arguments& words);
  void spotlight(const Arguments& words);
  void pen(const Arguments& words);
  /// `record last [SECONDS] FILE`.
  void save_last(const Arguments& words);
  /// `record on`, and its end.
  void keep(bool on);

  // ---- For the window, which has the pictures ----
  bool keeps_frames() const noexcept { return state_.lecturing() || state_.lecture.keeps_frames; }
  /// Returns the seconds until the next picture is due.
  double wants_frame_in() const;
  /// Returns false if the picture was not taken, and may be offered again.
  bool take_frame(Pixels picture);

 private:
  void start_countdown(int seconds);
  void pause_countdown(bool pause);

  bool show_again();
  bool step_run();
  bool next_of_lesson();
  /// Returns the first run on the lesson's page behind the one that was shown last, or empty.
  std::string run_to_come() const;
  void carry_out(const Command& command);
  void take_timer(double now);
  void take_countdown(double now);
  void take_time_of_day();
  void due_in(double seconds);
  void line(const Arguments& words);
  void take_clip(bool& news);

  double kept_s_ = 0;              ///< The timer's seconds until it was last started.
  std::optional<double> started_;  ///< When the timer was started; empty while it stands still.
  double ends_ = 0, left_ = 0;  ///< The countdown's end, and the seconds left while it is paused.
  FrameRing ring_;
  std::future<std::string> saving_;  ///< The error, or empty.
  std::string saving_file_;
  std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<ScriptLine> asked_by_;
};

}  // namespace rankscope::gui
