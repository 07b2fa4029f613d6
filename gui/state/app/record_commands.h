// The command record: makes a lecture of scenes of what one does in the window.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/files/settings.h"
#include "lessons/slides/lecture_file.h"

namespace rankscope::gui {

/// A run that is shown becomes a scene. What the window shows before the next command is a stop of it: its moment, and what
/// changed in its look. Orders to held processes are the scene's orders, a prediction is its question, a bookmark's words are notes.
class RecordCommands : public CommandGroup {
 public:
  explicit RecordCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  /// Notes the picture that this command is about to change.
  void before(const CommandInfo& info, const Command& command);
  /// Notes a command that was carried out.
  void note(const CommandInfo& info, const Command& command);
  /// Puts what the user has chosen back into settings that the recording has changed.
  void keep_own(Settings& settings) const;

  // ---- The commands ----
  void record(const Arguments& words);

 private:
  /// The part of a picture that a scene's commands can change.
  struct Look {
    std::string view, labels, curtain, filter;
    std::array<bool, kSwitches.size()> switches{};  ///< As in kSwitches; others are off.
    bool separate_clocks = false, asks_who = false;
    Selection selection;
    std::uint64_t zoom = 0;  ///< The number of its order.
    bool operator==(const Look&) const = default;
  };
  /// The state of the window: while it stays the same, there is nothing new to record.
  struct Picture {
    std::vector<std::uint64_t> runs;  ///< Those that are shown, by run_id().
    ClockBase clock = ClockBase::rounds;
    double moment = 0;
    Look look;
    bool operator==(const Picture&) const = default;
  };

  void begin(const std::string& file);
  void end();
  void fail(const std::string& why);
  bool rests() const;
  bool has_beside() const;
  Picture picture() const;
  /// The commands that make the second look of the first.
  std::vector<std::string> changes(const Look& from, const Look& to) const;
  SceneMoment moment_now() const;
  SceneRun run_of(const Document& run) const;
  std::string title() const;
  bool goes_on(const Picture& now) const;
  void note_picture(const Picture& now);
  void begin_scene(const Picture& now);
  void add_stop(const Picture& now);
  void note_question(const Picture& now);
  void take_time();
  void write() const;

  Lecture lecture_;
  Picture last_;  ///< The one that was recorded last, or that stood before the first.
  Picture seen_;  ///< The one that is on the screen.
  double seen_since_ = 0;
  double furthest_ = 0;       ///< The moment of the scene's last stop.
  bool started_ = false;      ///< Another run was started since.
  std::string asked_;         ///< The question that was recorded last.
  std::string_view dragged_;  ///< The command of which more follows.
  double since_ = 0;          ///< When the scene began.
  Layout own_layout_;
  std::string own_curtain_;
};

}  // namespace rankscope::gui
