// AppState: all that views show. They read it, and ask for changes by commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/files/settings.h"
#include "gui/state/lecture/lecture_state.h"
#include "gui/state/lesson/lesson_state.h"
#include "gui/state/network/network_traffic.h"
#include "gui/state/run/document.h"
#include "gui/state/run/job_changes.h"
#include "gui/state/run/problems.h"
#include "gui/state/run/run_state.h"
#include "gui/state/schedule/schedule_facts.h"
#include "gui/state/training/overlap_forecast.h"
#include "gui/state/training/training_results.h"

namespace rankscope::gui {

/// The last order to show a part of the time, on the playback's clock: each view carries a new one out.
struct ZoomOrder {
  enum class What : std::uint8_t { fit, span };
  std::uint64_t number = 0;
  What what = What::fit;
  double begin = 0, end = 0;  ///< The part, for `span`.
};

/// Nearer to a picture, or away from it.
struct Zoom {
  double notches = 0;        ///< Turns of the mouse wheel; negative to zoom out.
  bool fit = false;          ///< All of the picture, as large as it fits.
  std::optional<Slot> slot;  ///< Empty for the pane under the mouse, else the main one.
};

/// The ghost runs of a deadlock: its program written differently. Without a deadlock there are none.
struct WhatIfState {
  struct Choice {
    std::string name, label, outcome, proviso;
    bool ends = false;
    bool runs = false;  ///< The same change can be made to a run on processes.
    DocumentPtr document;
  };
  std::vector<Choice> choices;  ///< "as-written", the real run, is the last one.
  std::string now;              ///< The name of the choice that is shown.
  std::uint64_t shown_id = 0;   ///< The id of its document.
  const Choice* shown() const {
    for (const Choice& one : choices)
      if (one.name == now) return &one;
    return nullptr;
  }
  bool ghost() const { return !now.empty() && now != "as-written"; }
};

/// Runs of one collective on one clock; without a race there are none.
struct RaceState {
  std::vector<DocumentPtr> runs;  ///< In the order in which they were named.
  bool running = false;
  std::string verdict, difference;
};

/// The question which ranks of a held run can move, asked before it is shown.
struct MovesQuestion {
  bool asked = false, checked = false;
  std::vector<Rank> chosen, right;  ///< Ascending.
  std::string says;                 ///< The verdict, once the answer is checked.
};

struct AppState {
  Settings settings;
  Playback playback;
  Selection selection;
  std::vector<Bookmark> bookmarks;
  DocumentPtr document;  ///< Null while nothing is open.
  DocumentPtr other;     ///< Shown beside it, for comparison.
  LiveState live;
  LessonState lesson;
  LectureState lecture;
  TrainingState training;
  OverlapState overlap;
  NetworkState network;
  ScheduleState schedule;
  std::optional<JobResult> result;  ///< The result of the last run in this window.
  std::vector<Problem> problems;
  WhatIfState what_if;
  WhatIfRun asked;  ///< The run that answers a question, and what it is compared with.
  RaceState race;
  MovesQuestion moves;
  std::vector<std::pair<std::string, unsigned>> breakpoints;  ///< File name and line.
  std::string loading;      ///< The file that is being read, if any.
  int loaded_percent = -1;  ///< How much of it, where that takes long; -1 if unknown.
  /// The run that is held in parts, with better sums than the document's: see best_counted(). May be null.
  std::shared_ptr<const StreamedTrace> counted;
  int counted_percent = -1;  ///< How many of its events have been counted; -1 outside of counting.
  std::string exporting;     ///< The file that is being written, and its progress; empty if none.
  std::string message;       ///< A line for the status bar.
  bool message_is_error = false;
  std::string
      error;  ///< What could not be done, shown on the picture until the next command; else empty.
  std::uint64_t errors = 0;  ///< Grows with each of them.
  bool presenting = false;
  bool recording = false;  ///< Commands are being written to a script.
  bool show_palette = false, show_shortcuts = false, show_welcome = false, show_settings = false;
  int tour_step = -1;        ///< -1 without a tour.
  std::string event_filter;  ///< The query of the event list: see EventQuery.
  bool typing = false;       ///< Keys go into a field.
  std::uint64_t filter_asked =
      0;  ///< Grows each time that the event list's field is to be typed into.
  bool separate_clocks = false;  ///< Each of two runs that are compared has its own clock.
  ZoomOrder zoom;
  Slot zoom_pane = Slot::main;             ///< The pane of a zoom that names none.
  std::size_t undoable = 0, redoable = 0;  ///< Numbers of changes.
  bool quit = false;
  std::string
      quit_question;    ///< What quitting would lose, while it is asked whether to; else empty.
  bool focused = true;  ///< The window has the keyboard: what moves by itself may move.

  /// Returns whether what comes after the step at the cursor is covered.
  bool curtain() const {
    if (lesson.horizon) return true;  // the answer comes first, whatever the setting says
    if (settings.curtain != "auto") return settings.curtain == "on";
    return lesson.lesson && (lesson.lecture || lesson.asks());
  }
  /// Returns whether a run that opens stands at its start until somebody asks for its first step: what it shows is
  /// predicted first.
  bool opens_still() const { return lecturing() || curtain() || (lesson.lesson && lesson.asks()); }
  /// Returns whether keys are those of a presenter's clicker, and the window's last minute is kept.
  bool lecturing() const noexcept {
    return presenting || lesson.lecture || lecture.presenter || lecture.scenes.open();
  }
  bool has_trace() const noexcept { return document && !document->empty(); }
  /// Returns whether real processes stand at their gates: what comes after the present has not happened.
  bool holds() const noexcept { return live.running && live.stepping && !live.resumed; }
  /// Returns whether the cursor is at the end of what has happened; before it, one only looks.
  bool at_present() const noexcept {
    return !has_trace() || playback.moment >= document->end(playback.clock) - kSameMoment;
  }
  /// Returns whether six small runs stand where the picture would: nothing is open, or the welcome page is.
  bool first_page() const;
  /// Returns whether the lesson in the drawer may have the picture's place, too: no run stands there, nor is one coming.
  bool stage_is_free() const;
};

/// As much of a message as a single line has room for.
inline std::string first_line(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

struct AppState;
struct Command;

/// Returns why the command may not be carried out now; empty if it may.
std::string closed_rest_problem(const AppState& state, const Command& command);
/// Returns whether the view shows all of a run, a part of which is closed.
bool is_closed_view(const AppState& state, std::string_view view);

}  // namespace rankscope::gui
