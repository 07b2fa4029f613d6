// Commands of a lecture: the presenter's window, a clicker's stops, the black screen, timer and countdown.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class LectureCommands : public CommandGroup {
 public:
  explicit LectureCommands(App& app);
  void update(double seconds, bool& news);
  /// A lecture begins: its time runs, unless it does already.
  void begin();
  /// Seconds on a clock that never goes back; tests put another one in its place.
  std::function<double()> clock;

  // ---- The commands ----
  void presenter(const Arguments& words);
  void next_stop();
  void previous_stop();
  void blank(const Arguments& words);
  void timer(const Arguments& words);
  void countdown(const Arguments& words);

 private:
  void start_countdown(int seconds);
  void pause_countdown(bool pause);

  bool show_again();
  bool step_run();
  bool next_of_lesson();
  /// The first run on the lesson's page behind the one that was shown last; empty: there is none.
  std::string run_to_come() const;
  void carry_out(const Command& command);
  void take_timer(double now);
  void take_countdown(double now);
  void take_time_of_day();
  void due_in(double seconds);

  double kept_s_ = 0;              ///< Of the timer, until it was started last.
  std::optional<double> started_;  ///< When the timer was; empty: it stands still.
  double ends_ = 0, left_ = 0;     ///< Of the countdown: when, and while it is paused, how much.
};

}  // namespace rankscope::gui
