// Leaves a lecture's scene, shows one again as it was left, and waits for the runs of a new one.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/app/scene_commands.h"
#include "gui/state/files/settings.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostKept = 2;
constexpr std::chrono::milliseconds kQuiet{60}, kNothingFollows{1500};

}  // namespace

void SceneCommands::leave() {
  auto& scenes = state_.lecture.scenes;
  Left& left = left_now();
  if (arrival_ != Arrival::none) {  // it is where it was before
    cancel();
    left.place = place_;
    return;
  }
  if (state_.playback.playing && state_.playback.until)
    app_.group<PlaybackCommands>().begin_from(*state_.playback.until, false);
  keep_place();
  left.place = place_;
  left.document.reset();
  left.held.reset();
  left.ended = false;
  if (foreign_) return;  // its own run is made again
  auto& runs = app_.group<RunCommands>();
  if (runs.running() && !state_.holds()) return;
  left.document = state_.document;
  left.other = state_.other;
  left.playback = state_.playback;
  left.selection = state_.selection;
  left.result = state_.result;
  left.problems = state_.problems;
  left.bookmarks = state_.bookmarks;
  left.race = state_.race;
  left.asked = state_.asked;
  left.view = state_.settings.layout.at(Slot::main);
  left.order = ++order_;
  if (!state_.holds()) return;
  left.held.emplace(runs.park());
  scenes.kept[scenes.now] = true;
  end_oldest();
}

void SceneCommands::end_oldest() {
  Left* oldest = nullptr;
  std::size_t count = 0;
  for (Left& one : lefts_) {
    if (!one.held) continue;
    ++count;
    if (oldest == nullptr || one.order < oldest->order) oldest = &one;
  }
  if (count <= kMostKept) return;
  oldest->held.reset();
  oldest->document.reset();
  oldest->ended = true;
  state_.lecture.scenes.kept[static_cast<std::size_t>(oldest - lefts_.data())] = false;
}

void SceneCommands::enter(std::size_t scene) {
  leave();
  auto& edits = app_.group<EditCommands>();
  left_now().edits = edits.exchange();
  state_.lecture.scenes.moving = false;
  state_.lecture.scenes.now = scene;
  Left& left = left_now();
  (void)edits.exchange(std::move(left.edits));
  place_ = left.place;
  if (left.document) restore(left);
  else begin(place_.moment.has_value() || !place_.orders.empty());
}

void SceneCommands::reset_look() {
  const Settings usual;
  auto& settings = state_.settings;
  settings.labels = usual.labels;
  copy_scene_switches(usual, settings);
  settings.curtain = shown().curtain;
  settings.layout.maximized.reset();
  settings.layout.at(Slot::main) = ViewCommands::view_showing(shown().view);
  state_.separate_clocks = false;
  state_.event_filter.clear();
}

void SceneCommands::restore(Left& left) {
  auto& runs = app_.group<RunCommands>();
  foreign_ = false;
  state_.settings.job = shown().run.job;
  reset_look();
  if (left.held) {
    runs.unpark(std::move(*left.held));
    left.held.reset();
    state_.lecture.scenes.kept[state_.lecture.scenes.now] = false;
  } else {
    runs.make_way();
  }
  state_.document = std::exchange(left.document, nullptr);
  state_.other = left.other;
  state_.race = left.race;
  state_.asked = left.asked;
  state_.result = left.result;
  state_.problems = left.problems;
  state_.bookmarks = left.bookmarks;
  state_.playback = left.playback;
  state_.moves = {};
  app_.group<PlaybackCommands>().begin_from(left.playback.moment, false);
  dress(place_.stop);
  state_.settings.layout.at(Slot::main) = left.view;
  state_.selection = left.selection;
  follow_question();
}

// Starts the scene's run; `again`: to the place where the scene was.
void SceneCommands::begin(bool again) {
  auto& scenes = state_.lecture.scenes;
  foreign_ = false;
  if (!again) place_ = {};
  scenes.seen[scenes.now] = true;
  scenes.kept[scenes.now] = false;
  scenes.asks = scenes.moving = false;
  state_.moves = {};
  state_.bookmarks.clear();
  app_.group<RaceCommands>().start("off");
  beside_.reset();
  replayed_ = 0;
  reset_look();
  const LectureScene& scene = shown();
  const bool first_beside = scene.beside.is != SceneRun::Is::none;
  start(first_beside ? scene.beside : scene.run, first_beside);
}

void SceneCommands::start(const SceneRun& run, bool beside) {
  auto& runs = app_.group<RunCommands>();
  const LectureScene& scene = shown();
  before_ = state_.document;
  errors_ = state_.errors;
  arrival_ = beside ? Arrival::beside : Arrival::run;
  state_.lecture.scenes.arriving = true;
  try {
    if (run.is == SceneRun::Is::program) {
      runs.make_way();
      start_program(run);
    } else if (run.is == SceneRun::Is::trace) {
      app_.group<FileCommands>().load(run.file.string(), false);
    } else if (!scene.race.empty()) {
      state_.settings.job = run.job;
      app_.group<RaceCommands>().start(fmt::format("{}", fmt::join(scene.race, " ")));
    } else {
      runs.start(RunCommands::in_processes(run.job), scene.held && !beside);
    }
  } catch (const std::exception& e) {  // a scene that cannot run is still followed by the next one
    arrival_ = Arrival::none;
    state_.lecture.scenes.arriving = false;
    app_.report(fmt::format("scene {}: {}", state_.lecture.scenes.now + 1, e.what()));
  }
}

void SceneCommands::start_program(const SceneRun& run) {
  if (!traces_) traces_.emplace("lecture");
  const std::filesystem::path folder = traces_->path() / fmt::format("{}", ++number_);
  std::filesystem::create_directories(folder);
  trace_ = (folder / run.file.filename()).string() + ".rankscope";
  std::vector<std::string> words{app_.options().worker_program,
                                 "exec",
                                 "-n",
                                 std::to_string(run.job.world.size),
                                 "--no-findings",
                                 "-o",
                                 trace_};
  if (!run.as.empty()) words.insert(words.end(), {"--as", run.as});
  words.insert(words.end(), {"--timeout", "20", run.file.string()});
  program_.start(std::move(words));
}

void SceneCommands::cancel() {
  auto& runs = app_.group<RunCommands>();
  if (arrival_ == Arrival::none) return;
  if (program_.running()) program_.stop();
  if (runs.running()) runs.stop();
  app_.group<RaceCommands>().stop();
  arrival_ = Arrival::none;
  state_.lecture.scenes.arriving = false;
}

bool SceneCommands::has_made(const std::string& trace) const {
  return traces_ && trace.starts_with(traces_->path().string());
}

// ---- A run arrives ----------------------------------------------------------------------------

bool SceneCommands::has_arrived() {
  auto& runs = app_.group<RunCommands>();
  const LectureScene& scene = shown();
  const bool main = arrival_ != Arrival::beside;
  if (arrival_ == Arrival::reading || (main ? scene.run : scene.beside).is == SceneRun::Is::trace)
    return !app_.group<FileCommands>().busy() && state_.document != before_;
  if (main && !scene.race.empty()) return !state_.race.running && !state_.race.runs.empty();
  if (main && scene.held && runs.running())
    return runs.held() && runs.up_to_date() && state_.has_trace();
  return !runs.running() && state_.result.has_value() && state_.document != before_;
}

// A program leaves a trace also where it fails: only without one there is nothing to show.
void SceneCommands::take_program() {
  const auto ended = program_.take_end();
  if (!ended) return;
  std::error_code error;
  if (std::filesystem::exists(trace_, error)) {
    if (arrival_ == Arrival::beside || arrival_ == Arrival::run) {
      const bool beside = arrival_ == Arrival::beside;
      app_.group<FileCommands>().load(trace_, false);
      reading_beside_ = beside;
      arrival_ = Arrival::reading;
    }
    return;
  }
  if (arrival_ == Arrival::none) return;
  const ChildFailure failure = child_failure(ended->errors);
  app_.group<RunCommands>().forget();  // the picture would be of the scene before
  app_.report(fmt::format("scene {}: the program made no run: {}", state_.lecture.scenes.now + 1,
                          failure.problem));
}

void SceneCommands::follow_arrival(bool& news) {
  take_program();
  if (arrival_ == Arrival::none) return;
  if (state_.errors != errors_ && !app_.group<RunCommands>().running()) {  // it is said already
    arrival_ = Arrival::none;
    state_.lecture.scenes.arriving = false;
    news = true;
    return;
  }
  if (arrival_ == Arrival::orders) {
    if (state_.lecture.scenes.moving) return;
    news = true;
    return replay();
  }
  if (!has_arrived()) return;
  news = true;
  if (arrival_ == Arrival::beside || (arrival_ == Arrival::reading && reading_beside_)) {
    beside_ = state_.document;
    reading_beside_ = false;
    return start(shown().run, false);
  }
  arrived();
}

void SceneCommands::arrived() {
  state_.other = beside_;
  auto& play = state_.playback;
  const LectureScene& scene = shown();
  if (beside_ && scene.view != "compare")
    app_.group<ChangeCommands>().answer_of(beside_, scene.title);
  const bool simulated = state_.document->simulated();
  const bool measured = scene.clock == "measured" || (scene.clock.empty() && simulated);
  play.clock = measured || state_.document->large() ? ClockBase::measured : ClockBase::rounds;
  if (!place_.orders.empty()) {
    arrival_ = Arrival::orders;
    return replay();
  }
  settle();
}

// Does the next thing that had moved the scene's processes.
void SceneCommands::replay() {
  if (replayed_ < place_.orders.size() && state_.holds()) {
    replays_ = true;
    app_.execute(parse_command(place_.orders[replayed_++]));
    replays_ = false;
    return begin_order();
  }
  settle();
}

void SceneCommands::begin_order() {
  state_.lecture.scenes.moving = true;
  ordered_ = quiet_since_ = std::chrono::steady_clock::now();
  shown_before_ = state_.has_trace() ? state_.document->trace().size() : 0;
}

// A step's events arrive in parts; the next order waits until the picture has all of them.
void SceneCommands::follow_order() {
  auto& moving = state_.lecture.scenes.moving;
  if (!moving) return;
  const auto& runs = app_.group<RunCommands>();
  const auto now = std::chrono::steady_clock::now();
  const bool over = !runs.running() && !state_.live.running;
  const bool rests = over || (runs.held() && runs.up_to_date());
  const std::uint64_t document = state_.document ? state_.document->id() : 0;
  if (!rests || std::exchange(last_document_, document) != document) quiet_since_ = now;
  // An order that nothing follows, such as a kill that nobody has noticed yet, does not wait for ever.
  const bool shown = over || now - ordered_ > kNothingFollows ||
                     (state_.has_trace() && state_.document->trace().size() > shown_before_);
  moving = !shown || now - quiet_since_ < kQuiet;
}

void SceneCommands::settle() {
  arrival_ = Arrival::none;
  state_.lecture.scenes.arriving = false;
  app_.group<PlaybackCommands>().finish_motion();
  const double end = state_.document->end(state_.playback.clock);
  const bool present = shown().held && place_.present && place_.moment.has_value();
  app_.group<PlaybackCommands>().begin_from(present ? end : place_.moment.value_or(start_moment()),
                                            false);
  dress(place_.stop);
  follow_question();
  if (std::exchange(left_now().ended, false))
    show_message(
        "this scene's processes were ended, as two newer scenes hold theirs: they ran again to "
        "where they stood");
}

// The scene's look, changed by each of its stops up to this one.
void SceneCommands::dress(std::size_t stop) {
  const LectureScene& scene = shown();
  const bool any = !scene.commands.empty() || place_.clicks > 0 ||
                   ranges::any_of(scene.stops, [](const auto& s) { return !s.commands.empty(); });
  reset_look();
  if (!any) return;
  state_.selection = {};
  std::vector<std::string> lines = scene.commands;
  for (std::size_t i = 0; i < std::min(place_.clicks, scene.orders.size()); ++i)
    if (is_scene_look(scene.orders[i])) lines.push_back(scene.orders[i]);
  for (std::size_t i = 0; i < std::min(stop, scene.stops.size()); ++i)
    lines.insert(lines.end(), scene.stops[i].commands.begin(), scene.stops[i].commands.end());
  const double moment = state_.playback.moment;
  const bool plays = state_.playback.playing;
  for (const std::string& line : lines) app_.execute(parse_command(line));
  if (!plays && state_.playback.moment != moment)
    app_.group<PlaybackCommands>().begin_from(moment, false);  // a selected event moves the cursor
}

}  // namespace rankscope::gui
