// The list of all commands, and their words as text.
#include "gui/state/command/commands.h"

#include <fmt/format.h>

namespace rankscope::gui {
namespace detail {

void add_word(Texts& words, Text word) { words.emplace_back(word); }
void add_word(Texts& words, std::int64_t number) { words.push_back(fmt::format("{}", number)); }
void add_word(Texts& words, const Real& number) {
  words.push_back(number.digits < 0 ? fmt::format("{}", number.value)
                                    : fmt::format("{:.{}f}", number.value, number.digits));
}
void add_word(Texts& words, const SourceLine& line) {
  words.push_back(fmt::format("{}:{}", line.file, line.line));
}

}  // namespace detail

std::span<const CommandInfo* const> command_infos() {
  using namespace cmd;
  static constexpr auto kAll = std::to_array<const CommandInfo*>(
      {// Runs
       &run, &cmd::exec, &live, &say, &take_off, &sample, &cmd::plugin, &rerun, &cmd::stop, &set,
       &release, &step_rank, &release_round, &gate_pause, &gate_resume, &delay, &cmd::kill,
       &break_at, &clear_breakpoints, &who_can_move, &moves, &editor, &editor_command, &pseudocode,
       &fold_code, &race, &train, &stop_training, &training, &training_folder, &overlap,
       &run_overlap, &stop_overlap, &show_overlap, &open_overlap, &network, &save_network,
       &schedule, &save_schedule,
       // Lessons and lectures
       &lesson, &check_list, &hand_in, &show_run, &look_at, &figure, &answer, &fill, &check, &hint,
       &reveal, &unlock, &student, &lecture, &hands, &lecturer, &ask, &draw, &parting, &presenter,
       &next_stop, &previous_stop, &predict, &scenes, &scene, &resume_lecture, &blank, &timer,
       &countdown, &spotlight, &pen, &program, &grade, &starter, &browse, &watch, &open_faults,
       &stop_grading, &show_fault,
       // Files
       &cmd::open, &compare, &meant, &save, &workspace, &export_picture, &stop_export,
       &stop_reading, &what_if, &what_if_run,
       // The cursor
       &play, &cmd::pause, &toggle_play, &play_step, &play_step_back, &step, &step_back,
       &next_round, &previous_round, &next_event, &previous_event, &seek, &first, &last, &speed,
       &faster, &slower, &loop, &bookmark, &remove_bookmark, &next_bookmark, &previous_bookmark,
       &cmd::select, &cmd::clock,
       // The window
       &view, &maximize, &panel, &layout, &zoom, &zoom_in, &zoom_out, &zoom_fit, &copy_picture,
       &copy_text, &filter, &compare_clock, &present, &theme, &scale, &bigger, &smaller, &labels,
       &values, &narration, &curtain, &portrait, &critical_path, &motion, &welcome, &tour, &palette,
       &shortcuts, &settings, &quit, &script, &record, &queue, &cmd::wait, &rehearse, &expect,
       &print, &screenshot, &undo, &redo});
  return kAll;
}

}  // namespace rankscope::gui
