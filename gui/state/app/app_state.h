// All that views may show. They read it, and ask for changes by commands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/run/conductor/rank_view.h"
#include "engine/run/job/job.h"
#include "gui/state/lecture/lecture_state.h"
#include "gui/state/lesson/lesson_state.h"
#include "gui/state/network/network_state.h"
#include "gui/state/run/document.h"
#include "gui/state/schedule/schedule_state.h"
#include "gui/state/training/overlap_state.h"
#include "gui/state/training/training_state.h"

namespace rankscope::gui {

enum class ThemeKind : std::uint8_t { dark, light, contrast };
inline constexpr std::array kThemes = {ThemeKind::dark, ThemeKind::light, ThemeKind::contrast};
std::string_view to_string(ThemeKind theme) noexcept;

/// A run of more ranks is seen in no view, and is more than a desktop bears.
inline constexpr int kMostShownRanks = 64;

/// Chosen in any view, shown in all.
struct Selection {
  std::int64_t message = -1;  ///< Index into Document::rounds().messages.
  Rank rank = -1;
  std::int64_t event = -1;  ///< Position in the trace.
  int chunk = -1;           ///< Of the data, wherever it is.
  bool operator==(const Selection&) const = default;
};

struct Bookmark {
  double moment = 0;
  ClockBase clock = ClockBase::rounds;
  std::string note;
  bool operator==(const Bookmark&) const = default;
};

struct Playback {
  ClockBase clock = ClockBase::rounds;
  double moment = 0;
  bool playing = false;
  /// 1: a round a second; measured time: the whole run in ten seconds.
  double speed = 1;
  std::optional<std::pair<double, double>> loop;
  std::optional<double> until;  ///< It plays to there; empty: to the end.
  static constexpr double kSlowest = 0.1, kFastest = 100;
};

/// What is wrong, and what to do.
struct Problem {
  enum class Severity : std::uint8_t { note, warning, error };
  Severity severity = Severity::error;
  std::string what;   ///< "rank 2 was killed by signal 9"
  std::string where;  ///< "blocked in recv from rank 1 at allreduce_ring.cpp:27"
  std::string advice;
  Rank rank = -1;
  /// Of a deadlock: who waits for whom, and the event at which each stands.
  std::vector<std::pair<Rank, std::uint64_t>> circle = {};
  /// Of other findings: the events that they are about.
  std::vector<std::pair<Rank, std::uint64_t>> places = {};
  std::string why = {};  ///< Why it is wrong; stands before the advice.
  /// A few lines of a source, one of them meant.
  struct Excerpt {
    std::string title;  ///< "ranks 0 and 1 · ring.py:9"
    std::vector<std::pair<unsigned, std::string>> lines;
    unsigned marked = 0;
    std::int64_t event = -1;  ///< That stands there; -1: nothing has come to it.
    bool operator==(const Excerpt&) const = default;
  };
  std::vector<Excerpt> stands = {};  ///< Where blocked ranks stand.
  std::string frees_title = {};      ///< "The receive that would free rank 0"
  std::vector<Excerpt> frees = {};
  bool consequence = false;  ///< It follows from another one, if there is one.
  std::vector<Problem> follows =
      {};  ///< What follows from this one: shown folded, and not counted.
  bool operator==(const Problem&) const = default;
};

/// Live processes.
struct LiveState {
  bool running = false;
  bool stepping = false;  ///< The ranks are held at the step gate.
  bool ordered = false;   ///< While stepping: an order to the gates is not carried out yet.
  bool resumed = false;   ///< While stepping: let go until a breakpoint, a pause or the end.
  double elapsed_s = 0;
  std::uint64_t events = 0;
  int ranks_done = 0;
  std::vector<int> pids;       ///< By rank; 0: not known yet.
  std::vector<int> last_pids;  ///< Of the run that has ended: to be shown, never to be signalled.
  std::vector<std::string> ranks;  ///< What each is doing, in words.
  /// While stepping, and after a run that failed so: where every strand stands.
  std::vector<RankView> places;
  std::string answer;  ///< To the last order: "released: rank 0 → rank 1".
};

/// The last order to show a part of the time, on the playback's clock: each view carries a new one out.
struct ZoomOrder {
  enum class What : std::uint8_t { fit, span };
  std::uint64_t number = 0;
  What what = What::fit;
  double begin = 0, end = 0;  ///< Of a span.
};

/// The places of views in the window. Each shows one view at a time.
enum class Slot : std::uint8_t { main, lower, side, side_lower };
inline constexpr std::array kSlots = {Slot::main, Slot::lower, Slot::side, Slot::side_lower};
std::string_view to_string(Slot slot) noexcept;

/// What may stand beside messages.
inline constexpr std::array<std::string_view, 4> kLabels = {"all", "chunks", "bytes", "none"};

/// Whether what is to come is covered: in lessons until their page's questions are answered and in lectures, always, or
/// never.
inline constexpr std::array<std::string_view, 3> kCurtains = {"auto", "on", "off"};

struct Layout {
  std::array<std::string, kSlots.size()> view{"spacetime", "buffers", "code", "graph"};
  std::string& at(Slot slot) noexcept { return view[static_cast<std::size_t>(slot)]; }
  const std::string& at(Slot slot) const noexcept { return view[static_cast<std::size_t>(slot)]; }
  double left = 0.22;   ///< No longer used: kept in settings for older builds.
  double lesson = 0.3;  ///< Width of the lesson at the left, as a share of the window's.
  double right = 0.27;  ///< Of the side.
  double lower = 0.42;  ///< Height of the lower row, as a share of the height between the bars.
  bool left_open = true, right_open = true, lower_open = true;
  bool drawer = false;  ///< The side is one pane, and the lower row the score.
  /// Of a saved one that shows a race: what `race` is to be told.
  std::string race;
  std::optional<Slot> maximized;
  bool operator==(const Layout&) const = default;
  /// There is a pane with it, unless another one has the whole window.
  bool shows(std::string_view name) const {
    return at(Slot::main) == name || (lower_open && at(Slot::lower) == name) ||
           (right_open && at(Slot::side) == name) ||
           (right_open && lower_open && !drawer && at(Slot::side_lower) == name);
  }
};

/// Parts of the window that can be closed.
struct Panel {
  std::string_view name;
  bool Layout::*open;
};
inline constexpr std::array kPanels = {Panel{"left", &Layout::left_open},
                                       Panel{"right", &Layout::right_open},
                                       Panel{"lower", &Layout::lower_open}};
/// Sizes that a border sets.
struct Share {
  std::string_view name;
  double Layout::*of;
};
inline constexpr std::array kShares = {
    Share{"left", &Layout::left}, Share{"lesson", &Layout::lesson}, Share{"right", &Layout::right},
    Share{"lower", &Layout::lower}};

struct NamedLayout {
  std::string name;
  Layout layout;
  bool operator==(const NamedLayout&) const = default;
};

/// Nearer to a picture, or away from it.
struct Zoom {
  double notches = 0;        ///< As if the wheel had been turned so far; negative: away.
  bool fit = false;          ///< All of the picture, as large as it fits.
  std::optional<Slot> slot;  ///< Empty: where the mouse is, or the main pane.
};

/// Every element of rank r is r + 1: sums that one can check in one's head.
JobSpec first_job();

/// Remembered from one start to the next.
struct Settings {
  ThemeKind theme = ThemeKind::dark;
  double ui_scale = 1;  ///< On top of the screen's own.
  static constexpr double kLeastScale = 0.75, kMostScale = 3;
  bool motion = true;
  bool values = false;  ///< Buffers show elements, not contributions.
  std::string labels = "chunks";
  std::string curtain = "auto";
  bool portrait = false;
  bool critical_path = false;
  bool narration = true;    ///< A sentence a step.
  bool fold_code = true;    ///< Imports and the like are one line.
  bool pseudocode = false;  ///< Of algorithms of ours, in place of their source.
  std::string editor;       ///< "code -g {file}:{line}"; empty: the first that is there.
  bool open_faults = true;  ///< A graded program's failing run opens by itself.
  Layout layout;
  std::vector<NamedLayout> layouts;  ///< Saved by the user.
  static constexpr std::size_t kMostLayouts = 32;
  JobSpec job = first_job();
  std::vector<std::string> recent;
  bool welcomed = false;
  std::string student;  ///< Of lessons; empty: who sits here.
  /// Of the presenter's window, on the desktop: x, y, width, height. Empty: it was never open.
  std::optional<std::array<int, 4>> presenter_place;
};

/// What is on or off in all views.
struct SettingSwitch {
  std::string_view command;
  std::string_view key;  ///< In the settings file.
  bool Settings::*on;
};
inline constexpr std::array kSwitches = {
    SettingSwitch{"values", "values", &Settings::values},
    SettingSwitch{"portrait", "portrait", &Settings::portrait},
    SettingSwitch{"critical-path", "critical_path", &Settings::critical_path},
    SettingSwitch{"narration", "narration", &Settings::narration},
    SettingSwitch{"fold-code", "fold_code", &Settings::fold_code},
    SettingSwitch{"pseudocode", "pseudocode", &Settings::pseudocode},
    SettingSwitch{"open-faults", "open_faults", &Settings::open_faults},
    SettingSwitch{"motion", "motion", &Settings::motion}};

/// Of a deadlock: its program written otherwise, as ghost runs. Empty of other runs.
struct WhatIfState {
  struct Choice {
    std::string name, label, outcome, proviso;
    bool ends = false;
    bool runs = false;  ///< The same change can be made to a run on processes.
    DocumentPtr document;
  };
  std::vector<Choice> choices;  ///< "as-written", the real run, is the last one.
  std::string now;              ///< Which of them is shown.
  std::uint64_t shown_id = 0;   ///< Of its document.
  const Choice* shown() const {
    for (const Choice& one : choices)
      if (one.name == now) return &one;
    return nullptr;
  }
  bool ghost() const { return !now.empty() && now != "as-written"; }
};

/// Runs of one collective on one clock; empty: there is no race.
struct RaceState {
  std::vector<DocumentPtr> runs;  ///< In the order in which they were named.
  bool running = false;
  std::string verdict, difference;
};

/// Of a held run: which ranks can move? Somebody says so before it is shown.
struct MovesQuestion {
  bool asked = false, checked = false;
  std::vector<Rank> chosen, right;  ///< Ascending.
  std::string says;                 ///< Of the answer, once it is checked.
};

struct AppState {
  Settings settings;
  Playback playback;
  Selection selection;
  std::vector<Bookmark> bookmarks;
  DocumentPtr document;  ///< Null: nothing is open.
  DocumentPtr other;     ///< Beside it, for comparison.
  LiveState live;
  LessonState lesson;
  LectureState lecture;
  TrainingState training;
  OverlapState overlap;
  NetworkState network;
  ScheduleState schedule;
  std::optional<JobResult> result;  ///< Of the last run in this window.
  std::vector<Problem> problems;
  WhatIfState what_if;
  RaceState race;
  MovesQuestion moves;
  std::vector<std::pair<std::string, unsigned>> breakpoints;  ///< File name and line.
  std::string loading;      ///< What is being read; empty: nothing.
  int loaded_percent = -1;  ///< Of it, where that takes long; -1: not known.
  /// Of a run that is held in parts, with better sums than the document's: see best_counted(). Null: none.
  std::shared_ptr<const StreamedTrace> counted;
  int counted_percent =
      -1;  ///< How many of its events have been counted; -1: that is over, or not done.
  std::string exporting;  ///< What is being written, and how far it is; empty: nothing.
  std::string message;    ///< A line for the status bar.
  bool message_is_error = false;
  bool presenting = false;
  bool recording = false;  ///< Commands are being written to a script.
  bool show_palette = false, show_shortcuts = false, show_welcome = false, show_settings = false;
  int tour_step = -1;              ///< -1: no tour.
  std::string event_filter;        ///< Of the event list: see EventQuery.
  bool typing = false;             ///< Keys go into a field.
  std::uint64_t filter_asked = 0;  ///< Grows when somebody wants to type one.
  bool separate_clocks = false;    ///< Of two runs that are compared.
  ZoomOrder zoom;
  Slot zoom_pane = Slot::main;  ///< Where a zoom that names no pane would be.
  std::size_t undoable = 0;     ///< Changes that can be taken back.
  std::size_t redoable = 0;     ///< Those that were, and can be made again.
  bool quit = false;
  std::uint64_t quit_asked = 0;  ///< What was not saved when somebody wanted to quit.
  bool focused = true;           ///< The window has the keyboard: what moves by itself may move.

  /// What comes after the step at the cursor is covered.
  bool curtain() const {
    if (lesson.horizon) return true;  // the answer comes first, whatever is wanted otherwise
    if (settings.curtain != "auto") return settings.curtain == "on";
    return lesson.lesson && (lesson.lecture || lesson.asks());
  }
  /// Keys are those of a presenter's clicker, and the last minute is kept.
  bool lecturing() const noexcept { return presenting || lesson.lecture || lecture.presenter; }
  bool has_trace() const noexcept { return document && !document->empty(); }
  /// Six small runs stand where the picture would: nothing is open, or somebody asks for them.
  bool first_page() const;
};

/// As much of a message as a single line has room for.
inline std::string first_line(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

}  // namespace rankscope::gui
