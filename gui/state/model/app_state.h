// AppState: all that views show. They read it, and ask for changes by commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/code/program_run.h"
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

/// The last request to zoom the time axis, on the playback's clock. Each view carries out a request whose number is new.
struct ZoomOrder {
  enum class What : std::uint8_t { fit, span };
  std::uint64_t number = 0;
  What what = What::fit;
  double begin = 0, end = 0;  ///< The part, for `span`.
};

/// A request to zoom a picture in or out.
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

/// The quiz on which ranks of a held run can move, shown before the answer.
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
  ProgramState program;  ///< The student's program on the stage.
  WhatIfRun asked;  ///< The run that answers a what-if question, and the run it is compared with.
  RaceState race;
  MovesQuestion moves;
  std::vector<std::pair<std::string, unsigned>> breakpoints;  ///< File name and line.
  std::string loading;      ///< The file that is being read, if any.
  int loaded_percent = -1;  ///< How much of it is read; -1 if unknown.
  /// The run that is held in parts, with better sums than the document's: see best_counted(). May be null.
  std::shared_ptr<const StreamedTrace> counted;
  int counted_percent = -1;  ///< How many of its events have been counted; -1 outside of counting.
  std::string exporting;     ///< The file that is being written, and its progress; empty if none.
  std::string message;       ///< A line for the status bar.
  bool message_is_error = false;
  std::string
      error;  ///< What could not be done, shown on the picture until the next command; else empty.
  std::uint64_t errors = 0;  ///< Number of errors shown so far.
  bool presenting = false;
  bool recording = false;  ///< What is shown is being written as a lecture.
  bool show_palette = false, show_shortcuts = false, show_welcome = false, show_settings = false;
  int tour_step = -1;              ///< -1 without a tour.
  std::string event_filter;        ///< The query of the event list: see EventQuery.
  bool typing = false;             ///< A text field has the focus.
  std::uint64_t filter_asked = 0;  ///< Increased to request the focus for the event filter.
  bool separate_clocks = false;    ///< Each of two runs that are compared has its own clock.
  ZoomOrder zoom;
  std::size_t undoable = 0, redoable = 0;  ///< Numbers of changes.
  bool quit = false;
  std::string
      quit_question;  ///< What would be lost, while the user is asked to confirm quitting; else empty.
  bool focused = true;  ///< The window has the focus, so animations may run.

  /// Returns whether what comes after the step at the cursor is covered.
  bool curtain() const {
    if (lesson.horizon) return true;  // the answer comes first, whatever the setting says
    if (settings.curtain != "auto") return settings.curtain == "on";
    return lesson.lesson && (lesson.lecture || lesson.asks());
  }
  /// Returns whether an opened run waits at its start, so that its first step can be predicted.
  bool opens_still() const { return lecturing() || curtain() || (lesson.lesson && lesson.asks()); }
  /// Returns whether a lecture is being given: the clicker's keys apply, and the last minute is kept for `record last`.
  bool lecturing() const noexcept {
    return presenting || lesson.lecture || lecture.presenter || lecture.scenes.open() || recording;
  }
  bool has_trace() const noexcept { return document && !document->empty(); }
  /// Returns whether real processes are held at their gates, so that the rest of the run is still open.
  bool holds() const noexcept { return live.running && live.stepping && !live.resumed; }
  /// Returns whether the cursor is at the end of the recorded events. Before it, keys only move the cursor.
  bool at_present() const noexcept {
    return !has_trace() || playback.moment >= document->end(playback.clock) - kSameMoment;
  }
  /// Returns whether the first page, with its six small runs, is shown: nothing is open, or the welcome page is.
  bool first_page() const;
  /// Returns whether the lesson may also use the picture's place, as no run is shown or starting.
  bool stage_is_free() const;
};

inline std::string first_line(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

struct AppState;
struct Command;

/// Returns why the command may not be carried out now; empty if it may.
std::string closed_rest_problem(const AppState& state, const Command& command);
/// Returns whether the view would show a part of the run that is still locked.
bool is_closed_view(const AppState& state, std::string_view view);

}  // namespace rankscope::gui
