// A lecture of scenes: opened, gone through by the clicker, left and come back to, and gone on with after the window was closed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/command_group.h"
#include "gui/state/app/edit_commands.h"
#include "gui/state/app/run_commands.h"
#include "gui/state/run/child_command.h"

namespace rankscope::gui {

/// Returns whether the command brings another run to the stage.
bool starts_run(const CommandInfo& info);
/// Sets the switches that a scene's commands can turn.
void copy_scene_switches(const Settings& from, Settings& to);

class SceneCommands : public CommandGroup {
 public:
  explicit SceneCommands(App& app);
  void update(double seconds, bool& news);
  bool busy() const { return state_.lecture.scenes.arriving || state_.lecture.scenes.moving; }
  bool open() const noexcept { return state_.lecture.scenes.open(); }
  /// Returns whether the scene's own run is shown, and one can see the answer to its question.
  bool answered() const;
  /// Returns whether another run is shown than the scene's.
  bool is_aside() const noexcept { return foreign_; }

  /// A clicker's press: the next step, order or stop of the scene, behind its last one the next scene.
  void forward();
  /// The stop before; at the scene's start the scene before, where it was left.
  void back();
  /// Takes note of a command that was carried out: of what moves held processes, and of runs that are not the scene's.
  void note(const CommandInfo& info, const Command& command);
  /// Returns whether the trace is one of a scene's program.
  bool has_made(const std::string& trace) const;
  /// Puts what the user has chosen back into settings that a lecture has changed.
  void keep_own(Settings& settings) const;

  // ---- The commands ----
  void scenes(const Arguments& words);
  void scene(const Arguments& words);
  void skip(const Arguments& words);
  void move(const Arguments& words);
  void resume();

 private:
  /// A place in a scene, from which the scene can be run again to the same place.
  struct Place {
    std::vector<std::string> orders;  ///< What has moved its held processes.
    std::size_t clicks = 0;           ///< How many of its own orders the clicker has given.
    std::size_t stop = 0;             ///< The last of its stops that was reached.
    std::optional<double> moment;     ///< Empty at its beginning.
    bool present = true;              ///< The moment is the end of what has happened.
  };
  /// A scene that is not shown, as it was left.
  struct Left {
    Place place;
    DocumentPtr document, other;  ///< Null: it is to be run again.
    Playback playback;
    Selection selection;
    std::optional<JobResult> result;
    std::vector<Problem> problems;
    std::vector<Bookmark> bookmarks;
    RaceState race;
    WhatIfRun asked;
    std::string view;
    EditCommands::History edits;  ///< Undo in a scene takes back what was done in it.
    std::optional<RunCommands::Parked> held;
    std::uint64_t order = 0;  ///< Of the scenes with held processes, the greatest was left last.
    bool ended = false;       ///< Its processes were ended, since others were kept.
  };
  enum class Arrival : std::uint8_t { none, beside, run, reading, orders };

  void open_file(const std::string& file, bool begins = true);
  void close();
  void enter(std::size_t scene);
  void leave();
  void end_oldest();
  void restore(Left& left);
  void begin(bool again);
  void start(const SceneRun& run, bool beside);
  void start_program(const SceneRun& run);
  void cancel();
  void follow_arrival(bool& news);
  void begin_order();
  void follow_order();
  bool has_arrived();
  void take_program();
  void arrived();
  void replay();
  void settle();
  void dress(std::size_t stop);
  void reset_look();
  void forward_held();
  void give_order();
  void next_scene();
  void follow_question();
  void keep_place();
  std::vector<double> stops() const;
  double moment_of(const SceneMoment& moment) const;
  double start_moment() const;
  std::size_t stop_now(const std::vector<double>& stops) const;
  void find_cards();
  void read_stopped();
  void take_order(const nlohmann::json& kept);
  void remember();
  const LectureScene& shown() const { return *state_.lecture.scenes.scene(); }
  Left& left_now() { return lefts_[state_.lecture.scenes.now]; }

  std::vector<Left> lefts_;  ///< By scene.
  Place place_;              ///< Of the scene that is shown.
  Arrival arrival_ = Arrival::none;
  DocumentPtr beside_,
      before_;  ///< The run beside, once it is there; what was shown when the run began.
  /// When the last order was given, and since when nothing new was shown; how much was shown before.
  std::chrono::steady_clock::time_point ordered_{}, quiet_since_{};
  std::size_t shown_before_ = 0;
  std::uint64_t last_document_ = 0;
  std::size_t replayed_ = 0;     ///< Orders that were carried out again.
  bool replays_ = false;         ///< An order of the scene's past is carried out.
  bool reading_beside_ = false;  ///< The trace that is read is that of the run beside.
  bool foreign_ = false;         ///< Another run is shown than the scene's.
  std::uint64_t errors_ = 0, order_ = 0;
  std::optional<ScratchFolder> traces_;
  std::string trace_;  ///< The file that is being written or read.
  int number_ = 0;
  Settings own_;          ///< As they were before the lecture.
  std::string written_;   ///< The last text of the file that resume() reads.
  bool moved_ = false;    ///< Somebody has gone forward: there is something to go on with.
  ChildCommand program_;  ///< The last member: its thread uses the others.
};

}  // namespace rankscope::gui
