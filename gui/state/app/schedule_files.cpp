// The commands that begin, open, close and save a schedule.
#include <fstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/new_file.h"
#include "engine/studio/recorded/schedule_of_run.h"
#include "gui/state/app/groups.h"
#include "gui/state/app/schedule_commands.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

/// Returns the first line; empty if it cannot be read, which is reported when the whole file is read.
std::string first_line(const std::string& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

}  // namespace

void ScheduleCommands::refuse_to_lose() const {
  const auto& editor = state_.schedule.editor;
  if (editor && editor->changed() && !editor->drawn().moves.empty())
    throw UserError(
        "the schedule has changes that are not saved: `schedule save FILE`, or `schedule close "
        "discard`");
}

void ScheduleCommands::show(DrawnSchedule drawn, const std::string& file) {
  check_drawn(drawn);
  auto& schedule = state_.schedule;
  schedule.adds = traits(drawn.collective).reduces;
  schedule.editor = ScheduleEditor(std::move(drawn));
  schedule.file = file;
  schedule.selected = -1;
  schedule.cursor.reset();
  schedule.picked.reset();
  changed();
  app_.group<ViewCommands>().bring_in("schedule", Slot::main);
}

void ScheduleCommands::start(const Arguments& words) {
  refuse_to_lose();
  DrawnSchedule drawn;
  if (!words.empty()) drawn.collective = drawn_collective_named(words[0]);
  if (words.size() > 1) drawn.ranks = words.number<int>(1, "the number of ranks");
  drawn.chunks = words.size() > 2 ? words.number<int>(2, "the number of chunks") : drawn.ranks;
  show(std::move(drawn), "");
}

void ScheduleCommands::open(const Arguments& words) {
  if (words.empty()) throw UserError("schedule open FILE [COLLECTIVE RANKS [ROOT]]");
  refuse_to_lose();
  const std::string& file = words[0];
  ScheduleAsked asked;
  if (schedule_format_of(file).format == ScheduleFormat::table) asked = asked_in(first_line(file));
  if (words.size() > 1) asked.collective = drawn_collective_named(words[1]);
  if (words.size() > 2) asked.ranks = words.number<int>(2, "the number of ranks");
  if (words.size() > 3) asked.root = words.number<int>(3, "the root");
  show(drawn_from(read_schedule(file, asked)), file);
  const DrawnSchedule& drawn = editor().drawn();
  show_message(fmt::format("{}: {} on {} ranks, {} moves", file, to_string(drawn.collective),
                           drawn.ranks, drawn.moves.size()));
}

void ScheduleCommands::of_run(const Arguments&) {
  require_trace("there is no run whose schedule could be drawn: start one, or open a trace");
  refuse_to_lose();
  const Trace& trace = state_.document->trace();
  if (!trace.meta().collective)
    throw UserError(
        "this run is a program's, which does not say for which collective: rankscope schedule "
        "from-trace FILE --collective NAME makes a table of it");
  if (trace.world_size() > kMostDrawnRanks || state_.document->large())
    throw UserError(
        fmt::format("a run of up to {} ranks and 400,000 events can be drawn: run a "
                    "smaller one",
                    kMostDrawnRanks));
  const TraceAnalysis& run = state_.document->analysis();
  const std::string name = trace.meta().algorithm;
  DrawnSchedule drawn{.collective = *trace.meta().collective, .ranks = trace.world_size()};
  if (trace.meta().job) drawn.root = trace.meta().job->call.root;
  ScheduleFile file;
  file.table = schedule_of_run(run, chunks_of_run(run, name), name, "run it with another count");
  file.tasks = dataflow_tasks(*file.table, drawn.use(name));
  show(drawn_from(file), "");
}

void ScheduleCommands::close(const Arguments& words) {
  if (words[0] != "discard") refuse_to_lose();
  state_.schedule.editor.reset();
  state_.schedule.file.clear();
  state_.schedule.selected = -1;
  changed();
}

void ScheduleCommands::save_file(const Arguments& words) { save(words); }

void ScheduleCommands::save(const Arguments& words) {
  const DrawnSchedule& drawn = editor().drawn();
  auto& schedule = state_.schedule;
  const std::string file = words.empty() ? schedule.file : words.rest(0);
  if (file.empty()) throw UserError("say the file: schedule save my.schedule");
  refuse_pipe(file);
  if (schedule_format_of(file).format == ScheduleFormat::table) {
    write_whole(file, written_table(drawn));
  } else {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    write_schedule(dataflow_tasks(drawn.table(), drawn.use(name)), file,
                   {schedule.trial.bytes, sizeof(float), 0});
  }
  schedule.file = file;
  editor().saved();
  ++schedule.id;
  show_message(fmt::format("saved: rankscope schedule prove {}", file));
}

}  // namespace rankscope::gui
