// The commands of the view Schedule: moves are added, changed and taken out, files opened and saved, times asked for.
#include "gui/state/app/schedule_commands.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/network/files/topology_file.h"
#include "engine/studio/recorded/schedule_of_run.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

bool is_drawn(const AppState& s) { return s.schedule.editor.has_value(); }
bool can_undo_schedule(const AppState& s) {
  return is_drawn(s) && s.schedule.editor->undoable() > 0;
}
bool can_redo_schedule(const AppState& s) {
  return is_drawn(s) && s.schedule.editor->redoable() > 0;
}
bool has_run(const AppState& s) { return s.has_trace(); }

/// Parses "add" or "keep"; without a word returns the usual one.
bool is_added(const std::string& word, bool usual) {
  if (word.empty()) return usual;
  if (const auto adds = switched(usual, word, "add", "keep")) return *adds;
  throw UserError(fmt::format("what comes is added or kept: say add or keep, not \"{}\"", word));
}

/// Returns the first line; empty if it cannot be read, which is reported when the whole file is read.
std::string first_line_of(const std::string& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

}  // namespace

// ---- The commands ----

constexpr NameBox kScheduleBox{
    "Open a schedule", "ring.schedule",
    "A table of moves, MSCCL's XML, or GOAL. A table without a line such as \"# allreduce on 4 "
    "ranks\" needs these words after the name: allreduce 4.",
    "open", NameBox::Files::open_schedule};
constexpr Row<> cmd::schedule(
    "schedule new [COLLECTIVE] [RANKS] [CHUNKS]|open FILE [COLLECTIVE RANKS [ROOT]]|of-run|"
    "close [discard]|save [FILE]|add STEP FROM TO CHUNK [add|keep]|delete [STEP FROM TO "
    "CHUNK]|step N|kind [add|keep]|select STEP FROM TO CHUNK|mode add|keep|ranks N|chunks N|"
    "collective NAME [ROOT]|clear|undo|redo|cursor up|down|left|right|pick|drop|"
    "network NAME|bytes SIZE|run",
    "The schedule of the view Schedule: drawn move by move, proved, timed, saved", "", 1, 6,
    Curtain::opens, does<&ScheduleCommands::schedule>,
    menu(item(Menu::file, 1, "Draw a schedule", "new"),
         item(Menu::edit, 2, "Undo in the schedule", "undo", can_undo_schedule),
         item(Menu::edit, 2, "Redo in the schedule", "redo", can_redo_schedule),
         item(Menu::run, 3, "Run the drawn schedule", "run", is_drawn),
         item(Menu::run, 3, "Draw what this run did", "of-run", has_run)),
    kScheduleBox,
    also("draw, editor, studio, algorithm of one's own, table of moves, proof, msccl"));
constexpr Row<Text> cmd::save_schedule(
    "save-schedule FILE",
    "Saves the schedule of the view Schedule: .schedule, .xml (MSCCL), .goal or .et", "", 1, 1,
    Curtain::keeps, does<&ScheduleCommands::save>,
    menu(item(Menu::file, 1, "Save the schedule …", "", is_drawn)),
    file_box(NameBox::Files::save_schedule, "Save the schedule", "my.schedule",
             "A table of moves (.schedule), MSCCL's XML (.xml), GOAL (.goal) or Chakra (.et): "
             "rankscope schedule takes each."));

void ScheduleCommands::schedule(const Arguments& words) {
  using Self = ScheduleCommands;
  using Part = CommandPart<ScheduleCommands>;
  static constexpr std::array kParts = {Part{cmd::schedule_new.begins[0], &Self::start},
                                        Part{"open", &Self::open},
                                        Part{cmd::schedule_of_run.begins[0], &Self::of_run},
                                        Part{"close", &Self::close},
                                        Part{cmd::schedule_save.begins[0], &Self::save},
                                        Part{cmd::schedule_add.begins[0], &Self::add},
                                        Part{cmd::schedule_delete.begins[0], &Self::remove},
                                        Part{cmd::schedule_later.begins[0], &Self::step},
                                        Part{cmd::schedule_kind_toggle.begins[0], &Self::kind},
                                        Part{cmd::schedule_select_next.begins[0], &Self::select},
                                        Part{cmd::schedule_mode_toggle.begins[0], &Self::mode},
                                        Part{cmd::schedule_ranks.begins[0], &Self::ranks},
                                        Part{cmd::schedule_chunks.begins[0], &Self::chunks},
                                        Part{cmd::schedule_collective.begins[0], &Self::collective},
                                        Part{"clear", &Self::clear},
                                        Part{cmd::schedule_undo.begins[0], &Self::undo},
                                        Part{cmd::schedule_redo.begins[0], &Self::redo},
                                        Part{cmd::schedule_cursor_up.begins[0], &Self::cursor},
                                        Part{cmd::schedule_pick.begins[0], &Self::pick},
                                        Part{cmd::schedule_drop.begins[0], &Self::drop},
                                        Part{cmd::schedule_network.begins[0], &Self::network},
                                        Part{cmd::schedule_bytes.begins[0], &Self::bytes},
                                        Part{cmd::schedule_run.begins[0], &Self::run}};
  run_part(*this, cmd::schedule, kParts, words);
}

ScheduleEditor& ScheduleCommands::editor() {
  if (!state_.schedule.editor)
    throw UserError("no schedule is drawn: begin with `schedule new allreduce 4`");
  return *state_.schedule.editor;
}

void ScheduleCommands::changed() {
  auto& schedule = state_.schedule;
  ++schedule.id;
  schedule.facts.reset();
  if (!schedule.editor) return;
  const DrawnSchedule& drawn = schedule.editor->drawn();
  schedule.facts = std::make_shared<const ScheduleFacts>(schedule_facts(drawn));
  if (schedule.selected >= static_cast<int>(drawn.moves.size())) schedule.selected = -1;
  for (auto* place : {&schedule.cursor, &schedule.picked})
    if (*place && ((*place)->rank >= drawn.ranks || (*place)->chunk >= drawn.chunks ||
                   (*place)->step > drawn.steps() + 1))
      place->reset();
}

void ScheduleCommands::select_move(int move) {
  state_.schedule.selected = move;
  changed();
}

void ScheduleCommands::add(const Arguments& words) {
  if (words.size() < 4) throw UserError("schedule add STEP FROM TO CHUNK [add|keep]");
  ScheduleMove move;
  move.step = words.number<int>(0, "the step");
  move.from = words.number<int>(1, "the sender");
  move.to = words.number<int>(2, "the receiver");
  move.chunk = words.number<int>(3, "the chunk");
  move.add = is_added(words[4], state_.schedule.adds);
  if (move.chunk < 0) throw UserError("the chunk is 0 or more");
  select_move(editor().add(move));
}

int ScheduleCommands::selected_move() {
  (void)editor();
  if (state_.schedule.selected < 0)
    throw UserError("select a move with a click, or say its step, sender, receiver and chunk");
  return state_.schedule.selected;
}

int ScheduleCommands::move_of(const Arguments& words) {
  ScheduleEditor& drawn = editor();
  if (words.empty()) return selected_move();
  if (words.size() < 4) throw UserError("name a move by its step, sender, receiver and chunk");
  const int step = words.number<int>(0, "the step"), from = words.number<int>(1, "the sender"),
            to = words.number<int>(2, "the receiver"), chunk = words.number<int>(3, "the chunk");
  const auto found = drawn.find(step, from, to, chunk);
  if (!found)
    throw UserError(
        fmt::format("in step {} rank {} sends no chunk {} to rank {}", step, from, chunk, to));
  return *found;
}

void ScheduleCommands::remove(const Arguments& words) {
  const int move = move_of(words);
  editor().remove(move);
  select_move(-1);
}

void ScheduleCommands::step(const Arguments& words) {
  const int number = selected_move();
  ScheduleMove move = editor().drawn().moves[static_cast<std::size_t>(number)];
  if (words[0] == "+1" || words[0] == "-1") move.step += words[0] == "+1" ? 1 : -1;
  else move.step = words.number<int>(0, "the step");
  select_move(editor().change(number, move));
}

void ScheduleCommands::kind(const Arguments& words) {
  const int number = selected_move();
  ScheduleMove move = editor().drawn().moves[static_cast<std::size_t>(number)];
  move.add = is_added(words.empty() ? "toggle" : words[0], move.add);
  select_move(editor().change(number, move));
}

void ScheduleCommands::select(const Arguments& words) {
  if (words.empty()) throw UserError("schedule select STEP FROM TO CHUNK, next, back or none");
  auto& schedule = state_.schedule;
  const int count = static_cast<int>(editor().drawn().moves.size());
  if (words[0] == "none") schedule.selected = -1;
  else if (words[0] == "next")
    schedule.selected = count == 0 ? -1 : (schedule.selected + 1) % count;
  else if (words[0] == "back")
    schedule.selected = count == 0 ? -1 : (std::max(schedule.selected, 0) + count - 1) % count;
  else schedule.selected = move_of(words);
  ++schedule.id;
}

void ScheduleCommands::mode(const Arguments& words) {
  state_.schedule.adds = is_added(words.empty() ? "toggle" : words[0], state_.schedule.adds);
}

void ScheduleCommands::ranks(const Arguments& words) {
  const DrawnSchedule& drawn = editor().drawn();
  const int ranks = words.number<int>(0, "the number of ranks");
  // One chunk per rank stays one per rank.
  editor().resize(ranks, drawn.chunks == drawn.ranks ? ranks : drawn.chunks);
  select_move(-1);
}

void ScheduleCommands::chunks(const Arguments& words) {
  editor().resize(editor().drawn().ranks, words.number<int>(0, "the number of chunks"));
  select_move(-1);
}

void ScheduleCommands::collective(const Arguments& words) {
  const Collective which = drawn_collective_named(words[0]);
  editor().set_collective(which, words.size() > 1 ? words.number<int>(1, "the root") : 0);
  state_.schedule.adds = traits(which).reduces;
  changed();
}

void ScheduleCommands::clear(const Arguments&) {
  editor().clear();
  select_move(-1);
}

void ScheduleCommands::undo(const Arguments&) {
  if (!editor().undo()) throw UserError("there is nothing to undo in the schedule");
  select_move(-1);
}

void ScheduleCommands::redo(const Arguments&) {
  if (!editor().redo()) throw UserError("there is nothing to redo in the schedule");
  select_move(-1);
}

void ScheduleCommands::cursor(const Arguments& words) {
  state_.schedule.cursor = moved_cursor(editor().drawn(), state_.schedule.cursor, words[0]);
  ++state_.schedule.id;
}

void ScheduleCommands::pick(const Arguments& words) {
  auto& schedule = state_.schedule;
  if (words[0] == "none") schedule.picked.reset();
  else if (!schedule.cursor)
    throw UserError("move the cursor to a chunk first (`schedule cursor down`), then pick it up");
  else schedule.picked = schedule.cursor;
  ++schedule.id;
}

void ScheduleCommands::drop(const Arguments&) {
  auto& schedule = state_.schedule;
  if (!schedule.picked || !schedule.cursor)
    throw UserError("pick a chunk up first: move the cursor to it, then `schedule pick`");
  const ScheduleMove move =
      move_between(editor().drawn(), *schedule.picked, *schedule.cursor, schedule.adds);
  const int number = editor().add(move);
  schedule.picked.reset();
  select_move(number);
}

void ScheduleCommands::network(const Arguments& words) {
  const std::string name = words.rest(0) == "uniform" ? "" : words.rest(0);
  if (!name.empty()) open_topology(name);  // it can be read
  state_.schedule.trial.network = name;
  ++state_.schedule.id;
}

void ScheduleCommands::bytes(const Arguments& words) {
  state_.schedule.trial.bytes = parse_size(words.rest(0), "the size");
  ++state_.schedule.id;
}

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
  if (schedule_format_of(file).format == ScheduleFormat::table)
    asked = asked_in(first_line_of(file));
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
        fmt::format("a run of up to {} ranks and 400,000 events can be drawn: run a smaller one",
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

// Shows the schedule's run in place of the open one, for all views.
void ScheduleCommands::run(const Arguments&) {
  if (simulated_.running()) throw UserError("the schedule is being run: wait for its end");
  const DrawnSchedule& drawn = editor().drawn();
  JobSpec job = job_of_drawn(drawn, state_.schedule.trial);
  RunCommands::require(job);
  simulated_.start(std::move(job), app_.options().changed);
  show_message("running the schedule");
}

void ScheduleCommands::take_simulated(bool& news) {
  if (!simulated_.ready() || !state_.loading.empty()) return;
  news = true;
  const std::string problem = simulated_.take();
  if (!problem.empty()) app_.report(problem);
  if (std::error_code error; std::filesystem::exists(simulated_.trace(), error))
    app_.group<FileCommands>().load(simulated_.trace(), false);
}

void ScheduleCommands::time_again() {
  auto& schedule = state_.schedule;
  if (timing_.valid() || !schedule.editor || schedule.times_are_current() ||
      schedule.editor->drawn().moves.empty() || !state_.settings.layout.shows("schedule"))
    return;
  schedule.timing = true;
  timing_ = made_behind(app_.options().changed,
                        [this, drawn = schedule.editor->drawn(), trial = schedule.trial] {
                          return schedule_times(drawn, trial, stop_);
                        });
}

void ScheduleCommands::take_times(bool& news) {
  if (!is_ready(timing_)) return;
  state_.schedule.times = std::make_shared<const ScheduleTimes>(timing_.get());
  state_.schedule.timing = false;
  ++state_.schedule.id;
  news = true;
}

void ScheduleCommands::update(double /*seconds*/, bool& news) {
  take_simulated(news);
  take_times(news);
  time_again();
}

}  // namespace rankscope::gui
