// Follows what is shown, and writes it as scenes.
#include "gui/state/app/record_commands.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecordedComplaints = 3;
constexpr double kRest = 0.3;  ///< A picture that stands for so many seconds is a stop.

bool is_recording(const AppState& s) { return s.recording; }
bool is_not_recording(const AppState& s) { return !s.recording; }

/// A path that still holds when the lecture's folder is moved with it.
std::string path_from(const fs::path& lecture, const std::string& file) {
  const fs::path near = fs::path(file).lexically_relative(lecture.parent_path());
  const bool within = !near.empty() && *near.begin() != "..";
  return within ? near.string() : file;
}

std::array<bool, kSwitches.size()> switches_of(const Settings& settings) {
  std::array<bool, kSwitches.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = is_scene_look(kSwitches[i].command.name) && settings.*kSwitches[i].on;
  return out;
}

}  // namespace

constexpr Row<Texts> cmd::record(
    "record FILE|off|last [SECONDS] FILE|on",
    "Makes a lecture of what you do from now on: each run is a scene, each place at which you "
    "rest a stop; last: writes the window's last minute as .gif, .mp4 or .webm (kept in lectures, "
    "presentations, and after `record on`)",
    "", 1, 3, Curtain::keeps, does<&RecordCommands::record>, kUnrecorded,
    menu(item(Menu::lesson, 3, "End the recording", "off", is_recording, nullptr, true),
         item(Menu::lesson, 3, "Record a lecture …", "", is_not_recording, nullptr, true)),
    file_box(NameBox::Files::save_lecture, "Record a lecture", "mine.lecture.toml",
             "Each run is a scene, each place at which you rest a stop, a bookmark (Ctrl+B) a "
             "note."),
    also("lecture, scenes, make slides"));

void RecordCommands::record(const Arguments& words) {
  auto& clips = app_.group<LectureCommands>();
  if (words[0] == "last") return clips.save_last(words);
  if (words.size() > 1)
    throw UserError("usage: record FILE, record off, record last [SECONDS] FILE");
  if (words[0] == "on") return clips.keep(true);
  if (words[0] == "off" && !state_.recording && state_.lecture.keeps_frames)
    return clips.keep(false);
  if (state_.recording) end();
  else if (words[0] == "off") return show_message("nothing is being recorded");
  if (words[0] != "off") begin(words[0]);
}

void RecordCommands::begin(const std::string& file) {
  refuse_pipe(file);
  if (state_.lecture.scenes.open())
    throw UserError("a lecture is open: close it first (`scenes close`), or edit its file");
  fs::path path = absolute_path(file);
  if (!path.has_extension()) path += kLectureEnding;
  if (!path.string().ends_with(kLectureEnding))
    throw UserError(fmt::format("a recording is a lecture: name a file such as {}{}",
                                fs::path(file).stem().string(), kLectureEnding));
  lecture_ = {};
  lecture_.file = path;
  lecture_.title = capitalized(path.stem().stem().string());
  (void)NewFile(path.string());  // throws where nothing can be written
  own_layout_ = state_.settings.layout;
  own_curtain_ = state_.settings.curtain;
  state_.settings.layout = stage_layout();
  state_.settings.curtain = "on";
  state_.recording = true;
  last_ = seen_ = picture();
  seen_since_ = app_.group<LectureCommands>().clock();
  started_ = false;
  asked_.clear();
  show_message(
      "each run is a scene now, each place at which you rest a stop, a bookmark (Ctrl+B) a note; "
      "`record off` ends it");
}

void RecordCommands::end() {
  take_time();
  state_.recording = false;
  keep_own(state_.settings);
  if (lecture_.scenes.empty())
    return show_message("nothing was shown, so there is no lecture: record, then run (F5)");
  write();
  Complaints complaints;
  if (!read_lecture(lecture_.file, complaints))
    throw UserError(
        "the recording cannot be given as it is:\n" +
        complaints.first(kMostRecordedComplaints, lecture_.file.filename().string()).to_string());
  show_message(fmt::format("{} in {}: Ctrl+O opens it, and it can be edited as text",
                           counted(lecture_.scenes.size(), "scene"), lecture_.file.string()));
}

void RecordCommands::fail(const std::string& why) {
  state_.recording = false;
  keep_own(state_.settings);
  auto& scripts = app_.group<ScriptCommands>();
  scripts.report(scripts.line_now(), fmt::format("the recording ends here: {}", why));
}

void RecordCommands::keep_own(Settings& settings) const {
  settings.layout = own_layout_;
  settings.curtain = own_curtain_;
}

// ---- What is shown ----------------------------------------------------------------------------

bool RecordCommands::rests() const {
  if (!state_.has_trace() || state_.what_if.ghost()) return false;
  if (state_.holds()) return true;
  const auto& runs = app_.group<RunCommands>();
  return !state_.playback.playing && !state_.live.running && !runs.running_in_view() &&
         state_.loading.empty() && !state_.race.running && !state_.asked.waits &&
         !state_.program.running();
}

/// Returns whether the picture shows another run, too: in a comparison, or as the one before a what-if.
bool RecordCommands::has_beside() const {
  const auto& layout = state_.settings.layout;
  const bool compares = layout.at(layout.maximized.value_or(Slot::main)) == "compare";
  const bool answers = state_.asked.any && state_.asked.before == state_.other;
  return state_.other && state_.race.runs.empty() && (compares || answers);
}

RecordCommands::Picture RecordCommands::picture() const {
  const Settings& settings = state_.settings;
  const Layout& layout = settings.layout;
  Picture out;
  if (!state_.race.runs.empty())
    for (const DocumentPtr& one : state_.race.runs) out.runs.push_back(one->run_id());
  else if (state_.document) out.runs.push_back(state_.document->run_id());
  if (has_beside()) out.runs.push_back(state_.other->run_id());
  out.clock = state_.playback.clock;
  out.moment = state_.playback.moment;
  Look& look = out.look;
  look.view = layout.at(layout.maximized.value_or(Slot::main));
  look.labels = settings.labels;
  look.curtain = state_.curtain() ? "on" : "off";
  look.filter = state_.event_filter;
  look.switches = switches_of(settings);
  look.separate_clocks = state_.separate_clocks;
  look.asks_who = state_.moves.asked;
  look.selection = state_.selection;
  look.zoom = state_.zoom.number;
  return out;
}

std::vector<std::string> RecordCommands::changes(const Look& from, const Look& to) const {
  std::vector<std::string> lines;
  const auto add = [&](const Command& command) { lines.push_back(command.text()); };
  if (from.filter != to.filter)  // first: it brings a view
    add(to.filter.empty() ? cmd::filter_off() : cmd::filter(to.filter));
  if (from.view != to.view || from.filter != to.filter) add(cmd::view(Slot::main, to.view));
  if (from.labels != to.labels) add(cmd::labels(to.labels));
  if (from.curtain != to.curtain) add(cmd::curtain(to.curtain));
  for (std::size_t i = 0; i < kSwitches.size(); ++i)
    if (from.switches[i] != to.switches[i]) add(kSwitches[i].command(turned(to.switches[i])));
  if (from.separate_clocks != to.separate_clocks)
    add(Command(cmd::compare_clock, {to.separate_clocks ? "separate" : "shared"}));
  if (from.zoom != to.zoom)
    add(state_.zoom.what == ZoomOrder::What::fit ? cmd::zoom_all()
                                                 : cmd::zoom(state_.zoom.begin, state_.zoom.end));
  if (!from.asks_who && to.asks_who) add(cmd::who_can_move_ask());
  if (from.selection == to.selection) return lines;
  const auto chosen = to.selection.thing();
  add(chosen ? cmd::select(chosen->first, chosen->second) : cmd::select_none());
  return lines;
}

// The end of a round is written as that round, which is right on any machine; its time is not.
SceneMoment RecordCommands::moment_now() const {
  using Is = SceneMoment::Is;
  const Document& run = *state_.document;
  const auto& play = state_.playback;
  if (play.moment < kSameMoment) return {};
  if (play.moment >= run.end(play.clock) - kSameMoment) return {Is::end, 0};
  if (play.clock == ClockBase::rounds) return {Is::round, play.moment};
  for (int round = 1; !run.large() && round < run.rounds().count; ++round)
    if (std::abs(run.end_of_round(round) - play.moment) < kSameMoment)
      return {Is::round, static_cast<double>(round)};
  return {Is::time, play.moment};
}

SceneRun RecordCommands::run_of(const Document& run) const {
  const ProgramChoice& choice = state_.program.choice;
  const DocumentPtr program = app_.group<ExecCommands>().shown_run();
  if (program.get() == &run && choice.ranks > 0 && choice.data.empty() && choice.python.empty()) {
    SceneRun out;
    out.is = SceneRun::Is::program;
    out.written = {{"program", path_from(lecture_.file, choice.file)}, {"ranks", choice.ranks}};
    if (!choice.as.empty()) out.written["as"] = choice.as;
    return out;
  }
  const auto& job = run.trace().meta().job;
  const bool can_run = job && !job->is_program() && job->call.program.empty();
  const bool opened = !run.path().empty() && ranges::find(state_.settings.recent, run.path()) !=
                                                 state_.settings.recent.end();
  if (can_run && !opened) return scene_run_of(*job);
  const bool shown = &run == state_.document.get();
  std::string file = shown ? app_.group<FileCommands>().trace_file() : run.path();
  if (file.empty())
    throw UserError("the run that is shown is in no file, and no job makes it again");
  if (!opened) {  // nothing else could make it again
    const fs::path kept = lecture_.file.parent_path() /
                          fmt::format("{}-{}{}.rankscope", lecture_.file.stem().stem().string(),
                                      lecture_.scenes.size() + 1, shown ? "" : "-before");
    copy_file(file, kept.string());
    file = kept.string();
  }
  SceneRun out;
  out.is = SceneRun::Is::trace;
  out.written = {{"trace", path_from(lecture_.file, file)}};
  return out;
}

std::string RecordCommands::title() const {
  if (const auto& all = state_.race.runs; !all.empty()) {
    std::string names;
    for (const DocumentPtr& one : all)
      names += (names.empty() ? "" : " against ") + one->trace().meta().algorithm;
    return names;
  }
  if (state_.asked.any && !state_.asked.of_program && !state_.asked.words.empty())
    return state_.asked.words;
  const auto& job = state_.document->trace().meta().job;
  if (!job || job->is_program()) return state_.document->headline();
  std::string text = capitalized(sentence_text(*job));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void RecordCommands::update(double /*seconds*/, bool& /*news*/) {
  if (!state_.recording) return;
  Picture now = picture();
  if (now == seen_) return;
  seen_ = std::move(now);
  seen_since_ = app_.group<LectureCommands>().clock();
}

// ---- Scenes -----------------------------------------------------------------------------------

void RecordCommands::before(const CommandInfo& info, const Command& command) {
  const bool more = dragged_ == info.name;
  dragged_ = command.more ? info.name : std::string_view();
  if (!state_.recording || more || !rests()) return;
  const Picture now = picture();
  const bool stood = now == seen_ && app_.group<LectureCommands>().clock() - seen_since_ >= kRest;
  if (!stood && !state_.holds()) return;  // it was passed through
  // The picture before the recording is no part of it, unless it is shown on purpose.
  if (lecture_.scenes.empty() && now == last_ && (starts_run(info) || info.is(kUnrecorded))) return;
  try {
    note_picture(now);
    write();
  } catch (const UserError& e) {
    fail(e.what());
  }
}

// A held run grows: each of its pictures is another document.
bool RecordCommands::goes_on(const Picture& now) const {
  if (lecture_.scenes.empty()) return false;
  const LectureScene& scene = lecture_.scenes.back();
  if (scene.held) return !started_ && state_.document->trace().meta().job == scene.run.job;
  return now.runs == last_.runs && now.clock == last_.clock;
}

void RecordCommands::note_picture(const Picture& now) {
  if (!goes_on(now)) begin_scene(now);
  else add_stop(now);
  note_question(now);
  last_ = now;
}

void RecordCommands::begin_scene(const Picture& now) {
  LectureScene scene;
  scene.title = title();
  scene.run = run_of(*state_.document);
  scene.held = state_.holds();
  for (const DocumentPtr& one : state_.race.runs)
    scene.race.push_back(one->trace().meta().algorithm);
  if (has_beside()) scene.beside = run_of(*state_.other);
  const bool race = !scene.race.empty();
  scene.view = race ? "race" : now.look.view;
  scene.curtain = now.look.curtain;
  const ClockBase usual = state_.document->simulated() ? ClockBase::measured : ClockBase::rounds;
  if (now.clock != usual) scene.clock = to_string(now.clock);
  if (!scene.held) scene.at = moment_now();
  Look look;
  look.view = scene.view;
  look.labels = Settings().labels;
  look.switches = switches_of(Settings());
  look.curtain = scene.curtain;
  look.zoom = last_.look.zoom;
  scene.commands = changes(look, now.look);
  take_time();
  since_ = app_.group<LectureCommands>().clock();
  lecture_.scenes.push_back(std::move(scene));
  furthest_ = now.moment;
  started_ = false;
}

void RecordCommands::add_stop(const Picture& now) {
  LectureScene& scene = lecture_.scenes.back();
  const std::vector<std::string> look = changes(last_.look, now.look);
  if (scene.held) {
    scene.orders.insert(scene.orders.end(), look.begin(), look.end());
    return;
  }
  const bool on = now.moment > furthest_ + kSameMoment;
  const bool back = now.moment < furthest_ - kSameMoment;
  if (back && !scene.stops.empty()) {  // looked back, unless something else is to be seen there
    if (!look.empty()) begin_scene(now);
    return;
  }
  if (back) {
    scene.at = moment_now();
    scene.commands.insert(scene.commands.end(), look.begin(), look.end());
  } else if (on || !look.empty()) {
    scene.stops.push_back({moment_now(), look});
  }
  furthest_ = now.moment;
}

// A scene has one question, so the next one begins another scene; a held one, which begins at its start, gets a note.
void RecordCommands::note_question(const Picture& now) {
  const StepPrediction& asked = state_.lecture.prediction;
  if (!asked.stands() || asked.text == asked_) return;
  asked_ = asked.text;
  const SceneMoment before{SceneMoment::Is::round, static_cast<double>(asked.step)};
  const auto& known = lecture_.scenes.back().question;
  if (known && known->before != before) {
    if (lecture_.scenes.back().held) {
      lecture_.scenes.back().notes += "Ask: " + asked.text + "\n\n";
      return;
    }
    begin_scene(now);
  }
  SceneQuestion question{asked.text, asked.options, {}, before, {}};
  if (asked.right >= 0) question.answer = asked.options[static_cast<std::size_t>(asked.right)];
  lecture_.scenes.back().question = std::move(question);
}

void RecordCommands::note(const CommandInfo& info, const Command& command) {
  if (!state_.recording) return;
  if (starts_run(info)) started_ = true;
  if (lecture_.scenes.empty()) return;
  LectureScene& scene = lecture_.scenes.back();
  if (is_scene_order(info.name) && scene.held && !started_) scene.orders.push_back(command.text());
  if (info.name != cmd::bookmark.name || command.words.empty()) return;
  for (std::size_t i = 0; i < command.words.size(); ++i)
    scene.notes += (i > 0 ? " " : "") + command.words[i];
  scene.notes += "\n\n";
}

void RecordCommands::take_time() {
  if (lecture_.scenes.empty()) return;
  const double minutes = (app_.group<LectureCommands>().clock() - since_) / 60;
  lecture_.scenes.back().minutes = std::max(0.5, std::round(minutes * 2) / 2);
}

void RecordCommands::write() const { write_whole(lecture_.file.string(), lecture_text(lecture_)); }

}  // namespace rankscope::gui
