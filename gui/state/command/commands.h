// The commands of the window as values: `cmd::maximize(Slot::main)` is that command. A value is the command's row; it is
// defined beside the function that carries it out, in app/<group>_commands.cpp. A name without a row does not link,
// words of another type do not compile.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/state/command/command.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/command/words.h"

namespace rankscope::gui {

using Text = std::string_view;
/// Any number of words.
using Texts = std::vector<std::string>;

/// A number with `digits` decimals, or with -1 as many as are needed to read the same number back.
struct Real {
  constexpr Real(double number, int digits_ = -1) : value(number), digits(digits_) {}
  double value;
  int digits;
};
/// "ring.py:12"
struct SourceLine {
  Text file;
  std::int64_t line = 1;
};
/// The name of a view: a literal is checked by the compiler.
struct ViewName {
  template <std::size_t kSize>
  consteval ViewName(const char (&literal)[kSize]) : name(literal, kSize - 1) {
    if (!is_view(name)) throw "there is no such view";
  }
  ViewName(Text view) : name(view) {}
  ViewName(const std::string& view) : name(view) {}
  Text name;
};
/// A word that changes what a command does, behind its others.
struct Keyword {
  Text word;
};
inline constexpr Keyword kReplace{"replace"}, kNoSandbox{"no-sandbox"}, kDiscard{"discard"},
    kOff{"off"};

namespace detail {
void add_word(Texts& words, Text word);
void add_word(Texts& words, std::int64_t number);
void add_word(Texts& words, const Real& number);
void add_word(Texts& words, const SourceLine& line);
inline void add_word(Texts& words, std::uint64_t number) {
  words.push_back(std::to_string(number));
}
inline void add_word(Texts& words, int number) { add_word(words, std::int64_t{number}); }
inline void add_word(Texts& words, const ViewName& view) { add_word(words, view.name); }
inline void add_word(Texts& words, Keyword keyword) { add_word(words, keyword.word); }
inline void add_word(Texts& words, const Texts& more) {
  words.insert(words.end(), more.begin(), more.end());
}
template <class Named>
  requires std::is_enum_v<Named>
void add_word(Texts& words, Named word) {
  add_word(words, to_string(word));
}
}  // namespace detail

/// One way to call a command: the words that it always begins with, and the types of the others.
template <class... Words>
struct Form {
  constexpr Form(const CommandInfo& command, Text first = {}, Text second = {})
      : row(command), begins{first, second} {}
  Command operator()(Words... words) const {
    Texts all;
    for (const Text word : begins)
      if (!word.empty()) all.emplace_back(word);
    (detail::add_word(all, words), ...);
    return Command(row, std::move(all));
  }

  const CommandInfo& row;
  std::array<Text, 2> begins;
};

/// A command's row, with the types of its words. Without words it asks for them, or is toggled.
template <class... Words>
struct Row : CommandInfo {
  using CommandInfo::CommandInfo;
  Command operator()() const { return Command(*this); }
  Command operator()(Words... words) const
    requires(sizeof...(Words) > 0)
  {
    return Form<Words...>(*this)(std::move(words)...);
  }
};

namespace cmd {

// ---- Runs ----
extern const Row<Texts> exec;       // "ring.py" "ranks=4"
extern const Row<Texts> run, live;  // "allreduce.ring ranks=4"
extern const Row<Text> say, sample, take_off, plugin;
extern const Row<Text, Text> set;
extern const Row<int> step_rank, kill, moves;
extern const Row<int, int> release;
inline constexpr Form<int> release_rank{release};
extern const Row<int, Real> delay;  // milliseconds
extern const Row<SourceLine> break_at;
extern const Row<> rerun, stop, release_round, gate_pause, gate_resume, clear_breakpoints;
extern const Row<> who_can_move;
inline constexpr Form<> who_can_move_ask{who_can_move, "ask"},
    who_can_move_check{who_can_move, "check"}, who_can_move_off{who_can_move, "off"};
extern const Row<Texts> race;
extern const Row<Text> what_if;
inline constexpr Form<> what_if_as_written{what_if, "as-written"};
extern const Row<Text> what_if_run;

// ---- The cursor, and what is selected ----
extern const Row<> play, pause, toggle_play, play_step_back, step, step_back, next_round,
    previous_round, next_event, previous_event, first, last, faster, slower, next_bookmark,
    previous_bookmark;
extern const Row<Real> seek, speed;
extern const Row<Real, Real> loop;
extern const Row<Text> bookmark;
extern const Row<int> remove_bookmark, play_step;
extern const Row<Thing, std::int64_t> select;
inline constexpr Form<> select_none{select, "none"};
extern const Row<ClockBase> clock;
inline constexpr Form<> clock_toggle{clock, "toggle"};

// ---- Panes and views ----
extern const Row<Slot, ViewName> view;
extern const Row<Slot> maximize, zoom_in, zoom_out, zoom_fit, copy_picture;
inline constexpr Form<> maximize_off{maximize, "off"};
extern const Row<Text, Turn> panel;
extern const Row<Text> layout, filter;
inline constexpr Form<> filter_off{filter, "off"};
extern const Row<Real, Real> zoom;
inline constexpr Form<> zoom_all{zoom, "fit"}, zoom_phase{zoom, "phase"},
    zoom_selection{zoom, "selection"}, zoom_held{zoom, "held"};
extern const Row<Thing, std::int64_t> copy_text;
extern const Row<> compare_clock;
inline constexpr Form<> compare_clock_toggle{compare_clock, "toggle"};

// ---- The look of the window ----
extern const Row<Turn> present, values, narration, portrait, critical_path, motion, welcome,
    pseudocode, fold_code, open_faults;
extern const Row<ThemeKind> theme;
extern const Row<Real> scale;
extern const Row<Text> labels, curtain, quit;
inline constexpr Form<> quit_off{quit, "off"};
inline constexpr Form<> labels_next{labels, "next"}, curtain_toggle{curtain, "toggle"};
extern const Row<int> tour;
inline constexpr Form<> tour_off{tour, "off"};
extern const Row<> bigger, smaller, palette, shortcuts, settings, undo, redo;

// ---- Files, scripts, the program's text ----
extern const Row<Text> open, compare, save, workspace, script, screenshot, editor, editor_command;
extern const Row<Text, Text> meant, export_picture;
extern const Row<> stop_export, stop_reading;
inline constexpr Form<SourceLine> editor_at{editor};
extern const Row<Texts> record, wait, expect;
extern const Row<Text> queue, rehearse, print;

// ---- Lessons ----
extern const Row<Text> lesson;
inline constexpr Form<> lesson_list{lesson, "list"}, lesson_close{lesson, "close"},
    lesson_next_page{lesson, "page", "next"}, lesson_page_before{lesson, "page", "back"},
    lesson_go_on{lesson, "go-on"};
inline constexpr Form<Text> lesson_to{lesson, "to"}, lesson_course{lesson, "course"};
inline constexpr Form<Text, Text> lesson_item{lesson, "item"};
extern const Row<Turn> check_list;
extern const Row<Text> hand_in;
inline constexpr Form<Text> hand_in_as{hand_in, "as"};
inline constexpr Form<std::uint64_t> lesson_restart{lesson, "restart"};
extern const Row<Text> show_run, look_at, figure, check, hint, reveal, unlock, student;
extern const Row<Text, Text> answer;
extern const Row<Text, Text, Text> fill, hands;
extern const Row<Text, int, int, Text> draw;
inline constexpr Form<Text, int, int, Text, int> draw_in_step{draw};
extern const Row<Text, int> ask;
inline constexpr Form<Text> ask_first{ask};
extern const Row<> parting;
extern const Row<Text, Text> program, starter, browse;
inline constexpr Form<Text, Text, Keyword> starter_over{starter};
inline constexpr Form<Text> browse_here{browse};
inline constexpr Form<Text, Keyword> browse_with{browse};
extern const Row<Text> grade, show_fault;
inline constexpr Form<Text, Keyword> grade_with{grade};
extern const Row<Text, Turn> watch;
extern const Row<> stop_grading;

// ---- Lectures ----
extern const Row<Turn> lecture, lecturer, presenter, blank, spotlight, pen;
inline constexpr Form<> pen_undo{pen, "undo"}, pen_clear{pen, "clear"};
inline constexpr Form<Text> pen_color{pen};
inline constexpr Form<Texts> pen_line{pen, "line"};
extern const Row<Text> countdown;  // "2:00"
inline constexpr Form<> countdown_off{countdown, "off"}, countdown_pause{countdown, "pause"},
    countdown_resume{countdown, "resume"};
extern const Row<> next_stop, previous_stop, timer, resume_lecture;
extern const Row<Text> scenes, scene;
inline constexpr Form<std::uint64_t> scene_skip{scene, "skip"};
inline constexpr Form<std::uint64_t, std::uint64_t> scene_move{scene, "move"};
extern const Row<Text, Text> predict;
inline constexpr Form<> predict_off{predict, "off"}, predict_back{predict, "back"};
inline constexpr Form<Text> predict_choice{predict};
inline constexpr Form<> timer_reset{timer, "reset"};

// ---- Training ----
extern const Row<Text, Text> training, overlap;
extern const Row<Text> training_folder;
extern const Row<> train, stop_training, run_overlap, stop_overlap, show_overlap, open_overlap;
inline constexpr Form<> overlap_closed_form{show_overlap, "closed-form"},
    overlap_measured{show_overlap, "measured"};

// ---- The network and the schedule that are edited ----
extern const Row<> network, schedule;
extern const Row<Text> save_network, save_schedule;
inline constexpr Form<Text> network_open{network, "open"};
inline constexpr Form<> network_close{network, "close"}, network_cut{network, "cut"},
    network_undo{network, "undo"}, network_redo{network, "redo"}, network_save{network, "save"},
    network_run{network, "run"}, network_stop{network, "stop"},
    network_unselect{network, "select", "none"}, network_mode_toggle{network, "mode", "toggle"},
    network_loads_toggle{network, "loads", "toggle"};
inline constexpr Form<Keyword> network_close_with{network, "close"};
inline constexpr Form<Text, Text, Texts> network_link{network, "link"},
    network_select{network, "select"};
inline constexpr Form<Text, Text, Text> network_move{network, "move"};
inline constexpr Form<Text, int> schedule_new{schedule, "new"};
inline constexpr Form<> schedule_of_run{schedule, "of-run"}, schedule_save{schedule, "save"},
    schedule_undo{schedule, "undo"}, schedule_redo{schedule, "redo"}, schedule_run{schedule, "run"},
    schedule_delete{schedule, "delete"}, schedule_later{schedule, "step", "+1"},
    schedule_earlier{schedule, "step", "-1"}, schedule_kind_toggle{schedule, "kind", "toggle"},
    schedule_mode_toggle{schedule, "mode", "toggle"},
    schedule_select_next{schedule, "select", "next"}, schedule_unselect{schedule, "select", "none"},
    schedule_pick{schedule, "pick"}, schedule_pick_none{schedule, "pick", "none"},
    schedule_drop{schedule, "drop"}, schedule_cursor_up{schedule, "cursor", "up"},
    schedule_cursor_down{schedule, "cursor", "down"},
    schedule_cursor_left{schedule, "cursor", "left"},
    schedule_cursor_right{schedule, "cursor", "right"};
inline constexpr Form<int> schedule_step{schedule, "step"}, schedule_ranks{schedule, "ranks"},
    schedule_chunks{schedule, "chunks"};
inline constexpr Form<Text> schedule_collective{schedule, "collective"},
    schedule_network{schedule, "network"}, schedule_bytes{schedule, "bytes"};
inline constexpr Form<int, int, int, int> schedule_select{schedule, "select"};
inline constexpr Form<int, int, int, int, Text> schedule_add{schedule, "add"};

}  // namespace cmd

}  // namespace rankscope::gui
