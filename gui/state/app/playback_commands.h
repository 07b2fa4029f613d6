// Commands that move the cursor, select and mark.
#pragma once

#include <cstdint>
#include <numbers>
#include <optional>
#include <vector>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class PlaybackCommands : public CommandGroup {
 public:
  explicit PlaybackCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);

  void move_to(double moment);
  void select(const Arguments& words);
  /// Throws UserError for a number that does not exist.
  void select_thing(Thing thing, std::int64_t number);
  /// Places the cursor in a new document. The same run keeps the cursor; another run opens at its start and plays its first step,
  /// unless opens_still(); a run that is held, or watched from elsewhere, is followed at its end.
  void arrive(bool same_run);
  /// Sets whether the next run is followed at its end.
  void follow_end(bool follows) { follows_next_ = follows; }
  /// Goes to the end of a step that plays by itself: a run's first step, or a released one.
  void finish_motion();
  /// Goes to a moment and plays from there, or stays there, instead of playing the run's first step.
  void begin_from(double moment, bool plays);
  /// Keeps the next run's cursor at this moment until it is moved.
  void begin_at(double moment) { start_at_ = moment; }
  void moved() {
    start_at_.reset();
    opening_ = Opening::none;
  }
  /// Shows the end of a run with a wrong result, and selects the first wrong rank and chunk. Returns words on it, or "".
  std::string lead_to_wrong_result();

  // ---- The commands ----
  void play();
  void pause() { state_.playback.playing = false; }
  void first() { jump(0); }
  void faster() { set_speed(state_.playback.speed * std::numbers::sqrt2); }
  void slower() { set_speed(state_.playback.speed / std::numbers::sqrt2); }
  void toggle_play();
  void play_step(const Arguments& words);
  /// Plays to the next stop in this direction; goes there at once if it is already playing to it, or if motion is off.
  void play_to_stop(int direction);
  /// The same to any moment.
  void play_towards(double target);
  void step(int direction);
  void step_event(int direction);
  void step_bookmark(int direction);
  void seek(const Arguments& words);
  void last();
  void speed(const Arguments& words);
  void loop(const Arguments& words);
  void bookmark(const Arguments& words);
  void remove_bookmark(const Arguments& words);
  void clock(const Arguments& words);

 private:
  /// Returns the moments per second at speed 1.
  double a_second(double end) const;
  void play_to(double target);
  /// Follows the end of a watched run: plays a released step.
  void follow_to(double end);
  void follow_shot(double seconds, bool& news);
  double next_of(const std::vector<double>& stops, int direction) const;
  void step_by(const std::vector<double>& stops, int direction);
  void jump(double moment);
  void set_speed(double speed);
  void select_event(std::uint64_t event, Selection& selection);
  void play_opening();

  /// The first step of a run that opens: to be played as soon as the run has it, or being played.
  enum class Opening : std::uint8_t { none, due, plays };
  Opening opening_ = Opening::none;
  bool follows_next_ = false;
  double pace_ = 1;  ///< Moments per second at speed 1, up to the next stop.
  std::optional<double> start_at_;
  bool following_ = true;  ///< The cursor stays at the end of a growing run.
};

}  // namespace rankscope::gui
