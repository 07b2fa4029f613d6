// The commands of a lecture's scenes, the clicker's way through them, and the file with how far it is.
#include "gui/state/app/scene_commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/catalogue.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "gui/state/files/settings.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostComplaints = 5;
constexpr int kTimerEvery = 5;  ///< Seconds between notes of the timer.

bool plays_scenes(const AppState& s) { return s.lecture.scenes.open(); }
bool has_stopped_lecture(const AppState& s) { return s.lecture.stopped.has_value(); }

std::string line_problem(const std::string& line, bool orders) {
  try {
    const Command command = parse_command(line);
    if (const std::string problem = command_problem(command); !problem.empty()) return problem;
    if (!is_scene_look(command.name) && !(orders && is_scene_order(command.name)))
      return fmt::format("a scene's commands change its look ({}), and no more: not '{}'",
                         fmt::join(kSceneLooks, ", "), command.name);
  } catch (const UserError& e) {
    return e.what();
  }
  return {};
}

std::vector<std::string> titles_of(const Lecture& lecture) {
  std::vector<std::string> titles;
  for (const LectureScene& scene : lecture.scenes) titles.push_back(scene.title);
  return titles;
}

void check_looks(const Lecture& lecture, Complaints& complaints) {
  const std::string file = lecture.file.filename().string();
  for (const LectureScene& scene : lecture.scenes) {
    if (!is_view(scene.view) && find_diagram(scene.view) == nullptr)
      complaints.add(file, scene.line, fmt::format("there is no view '{}'", scene.view));
    std::vector<std::string> lines = scene.commands;
    for (const SceneStop& stop : scene.stops)
      lines.insert(lines.end(), stop.commands.begin(), stop.commands.end());
    const auto check = [&](const std::string& line, bool orders) {
      if (const std::string problem = line_problem(line, orders); !problem.empty())
        complaints.add(file, scene.line, problem);
    };
    for (const std::string& line : lines) check(line, false);
    for (const std::string& order : scene.orders) check(order, true);
  }
}

/// Returns the place of the scene that a word names, from 0.
std::size_t place_of(const Arguments& words, std::size_t word, std::size_t all) {
  const auto number = words.number<std::size_t>(word, "the scene's number");
  if (number < 1 || number > all) throw UserError(fmt::format("the lecture has {} scenes", all));
  return number - 1;
}

fs::path stopped_file() {
  const fs::path settings = settings_path();
  return settings.empty() ? settings : settings.parent_path() / "lecture.json";
}

/// Copies what a lecture sets from one to the other.
void carry(const Settings& from, Settings& to) {
  to.job = from.job;
  to.layout = from.layout;
  to.curtain = from.curtain;
  to.labels = from.labels;
  copy_scene_switches(from, to);
}

}  // namespace

void copy_scene_switches(const Settings& from, Settings& to) {
  for (const SettingSwitch& one : kSwitches)
    if (is_scene_look(one.command.name)) to.*one.on = from.*one.on;
}

SceneCommands::SceneCommands(App& app) : CommandGroup(app), program_(app.options().changed) {
  find_cards();
  if (app.options().remember) read_stopped();
}

// ---- The commands ----

constexpr Row<Text> cmd::scenes(
    "scenes [FILE|close]",
    "Opens a lecture of scenes; without a word shows them all, to jump to one", "Ctrl+T", 0,
    kAnyNumber, Curtain::keeps, does<&SceneCommands::scenes>, kUnrecorded,
    menu(item(Menu::lesson, 3, "All scenes of the lecture", "", plays_scenes),
         item(Menu::lesson, 3, "Close the lecture", "close", plays_scenes)),
    also("lecture, slides, jump"));
constexpr Row<Text> cmd::scene("scene N|next|back|again|skip N|move N TO",
                               "Goes to a scene of the lecture, counted from 1; again: from its "
                               "beginning, with a new run; skip: the clicker passes it over, or "
                               "no longer; move: gives it another place, without a change of the "
                               "file",
                               "", 1, 3, Curtain::keeps, does<&SceneCommands::scene>, kUnrecorded,
                               menu(item(Menu::lesson, 3, "Next scene", "next", plays_scenes),
                                    item(Menu::lesson, 3, "Scene before", "back", plays_scenes),
                                    item(Menu::lesson, 3, "This scene again", "again",
                                         plays_scenes)));
constexpr Row<> cmd::resume_lecture("resume-lecture",
                                    "Goes on with the lecture that was open last: at its scene, "
                                    "moment and time",
                                    "Ctrl+Shift+T", 0, 0, Curtain::keeps,
                                    does<&SceneCommands::resume>, kUnrecorded,
                                    menu(item(Menu::lesson, 3, "Go on with the lecture", "",
                                              has_stopped_lecture)),
                                    also("go on, continue, crash"));

void SceneCommands::scenes(const Arguments& words) {
  auto& scenes = state_.lecture.scenes;
  if (!words.empty() && words[0] != "close") return open_file(words.rest(0));
  if (!open())
    throw UserError(
        "no lecture is open: open one that ends in .lecture.toml (Ctrl+O), or take one from the "
        "first page");
  if (words.empty()) scenes.strip = !scenes.strip;
  else close();
}

void SceneCommands::scene(const Arguments& words) {
  if (!open()) throw UserError("no lecture is open: `scenes FILE` opens one");
  auto& scenes = state_.lecture.scenes;
  const std::size_t all = scenes.lecture->scenes.size();
  moved_ = true;
  if (words[0] == "skip") return skip(words);
  if (words[0] == "move") return move(words);
  scenes.strip = false;
  if (words[0] == "again") {
    cancel();
    place_ = {};
    left_now() = {};
    return begin(false);
  }
  if (words[0] == "next" || words[0] == "back") {
    const auto to = scenes.neighbour(words[0] == "next" ? 1 : -1);
    if (!to)
      throw UserError(words[0] == "next" ? "this is the last scene" : "this is the first scene");
    return enter(*to);
  }
  const std::size_t to = scenes.order[place_of(words, 0, all)];
  if (to != scenes.now) enter(to);
}

void SceneCommands::skip(const Arguments& words) {
  auto& scenes = state_.lecture.scenes;
  const std::size_t place =
      words.size() < 2 ? scenes.place() : place_of(words, 1, scenes.order.size());
  const std::size_t scene = scenes.order[place];
  scenes.skipped[scene] = !scenes.skipped[scene];
  show_message(fmt::format("scene {} is {}", place + 1,
                           scenes.skipped[scene] ? "skipped by the clicker" : "given again"));
}

void SceneCommands::move(const Arguments& words) {
  auto& order = state_.lecture.scenes.order;
  if (words.size() < 3) throw UserError("scene move N TO: which scene, and to which place");
  const std::size_t from = place_of(words, 1, order.size()), to = place_of(words, 2, order.size());
  const std::size_t scene = order[from];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), scene);
  show_message(fmt::format("scene {} is number {} now; the file stays as it is", from + 1, to + 1));
}

void SceneCommands::open_file(const std::string& file, bool begins) {
  Complaints complaints;
  const std::string whole = absolute_path(file);
  auto lecture = read_lecture(whole, complaints);
  if (lecture) check_looks(*lecture, complaints);
  if (!complaints.empty() || !lecture)
    throw UserError(
        "this lecture cannot be given:\n" +
        complaints.first(kMostComplaints, fs::path(file).filename().string()).to_string());
  if (state_.recording)
    throw UserError("what is recorded is no lecture yet: end the recording first (record off)");
  if (open()) close();
  own_ = state_.settings;
  auto& scenes = state_.lecture.scenes;
  lefts_.clear();
  lefts_.resize(lecture->scenes.size());
  scenes = {};
  scenes.seen.assign(lecture->scenes.size(), false);
  scenes.kept = scenes.skipped = scenes.seen;
  for (std::size_t i = 0; i < scenes.seen.size(); ++i) scenes.order.push_back(i);
  scenes.lecture = std::make_shared<const Lecture>(std::move(*lecture));
  if (state_.lecture.stopped && state_.lecture.stopped->file == whole)
    take_order(parse_json_or_none(written_));
  scenes.now = scenes.order.front();
  if (scenes.skipped[scenes.now]) scenes.now = scenes.neighbour(1).value_or(scenes.now);
  state_.show_welcome = false;
  state_.settings.welcomed = true;
  state_.lesson.browser = false;
  state_.settings.layout = stage_layout();
  (void)app_.group<EditCommands>().exchange();
  moved_ = false;
  place_ = {};
  if (!begins) return;
  begin(false);
  const auto& stopped = state_.lecture.stopped;
  const bool known = stopped && stopped->file == whole && stopped->place > 0;
  show_message(known ? fmt::format("Ctrl+Shift+T goes on at scene {}; P presents, PageDown goes on",
                                   stopped->place + 1)
                     : "P presents, PageDown goes on, Ctrl+T shows all scenes");
}

void SceneCommands::close() {
  cancel();
  keep_place();
  remember();
  auto& runs = app_.group<RunCommands>();
  if (runs.running()) runs.stop();
  lefts_.clear();
  state_.lecture.scenes = {};
  carry(own_, state_.settings);
  (void)app_.group<EditCommands>().exchange();
}

void SceneCommands::keep_own(Settings& settings) const {
  if (open()) carry(own_, settings);
}

// ---- A clicker --------------------------------------------------------------------------------

double SceneCommands::moment_of(const SceneMoment& moment) const {
  const auto clock = state_.playback.clock;
  const double end = state_.document->end(clock);
  switch (moment.is) {
    case SceneMoment::Is::start: return 0;
    case SceneMoment::Is::end: return end;
    case SceneMoment::Is::time:
      return clock == ClockBase::measured ? std::min(moment.value, end) : 0;
    case SceneMoment::Is::round: break;
  }
  if (clock == ClockBase::rounds) return std::min(moment.value, end);
  const int round = static_cast<int>(moment.value);
  return round >= state_.document->rounds().count ? end : state_.document->end_of_round(round);
}

double SceneCommands::start_moment() const {
  return state_.has_trace() ? moment_of(shown().at) : 0;
}

/// Returns the moments at which the clicker stops, from the scene's beginning on.
std::vector<double> SceneCommands::stops() const {
  std::vector<double> out{start_moment()};
  if (!state_.has_trace()) return out;
  if (!shown().stops.empty() && !foreign_) {
    for (const SceneStop& stop : shown().stops)
      out.push_back(std::max(out.back(), moment_of(stop.at)));
    return out;
  }
  for (const double stop : state_.document->stops(state_.playback.clock))
    if (stop > out.back() + kSameMoment) out.push_back(stop);
  const double end = state_.document->end(state_.playback.clock);
  if (end > out.back() + kSameMoment) out.push_back(end);
  return out;
}

// Returns the stop that was reached last; if the cursor was moved away from it, the last stop before the cursor.
std::size_t SceneCommands::stop_now(const std::vector<double>& stops) const {
  const auto& play = state_.playback;
  const double moment = play.playing && play.until ? *play.until : play.moment;
  if (place_.stop < stops.size() && std::abs(stops[place_.stop] - moment) < kSameMoment)
    return place_.stop;
  const auto behind = ranges::upper_bound(stops, moment + kSameMoment);
  return behind == stops.begin() ? 0 : static_cast<std::size_t>(behind - stops.begin()) - 1;
}

void SceneCommands::forward_held() {
  auto& runs = app_.group<RunCommands>();
  const auto& play = state_.playback;
  if (play.playing && play.until) return app_.group<PlaybackCommands>().play_towards(*play.until);
  if (!state_.at_present()) {
    const auto& all = state_.document->stops(play.clock);
    const auto next = ranges::upper_bound(all, play.moment + kSameMoment);
    return app_.group<PlaybackCommands>().play_towards(
        next == all.end() ? state_.document->end(play.clock) : *next);
  }
  if (state_.lecture.scenes.moving || !runs.held())
    return show_message("the ranks are on their way to their gates");
  if (place_.clicks < shown().orders.size()) return give_order();
  app_.execute(cmd::release_round());
}

// The scene's next order; one that changes the look is also given once the run is over.
void SceneCommands::give_order() { app_.execute(parse_command(shown().orders[place_.clicks++])); }

void SceneCommands::forward() {
  moved_ = true;
  auto& playback = app_.group<PlaybackCommands>();
  if (arrival_ != Arrival::none)
    return show_message("the scene's run is on its way: its end is the next stop");
  if (state_.holds()) {
    forward_held();
    return keep_place();
  }
  if (state_.live.running && app_.group<RunCommands>().running_in_view())
    return show_message("the run goes on: its end is the next stop");
  const auto& play = state_.playback;
  if (play.playing && play.until) {
    playback.play_towards(*play.until);
    return keep_place();
  }
  const auto all = stops();
  const std::size_t at = stop_now(all);
  const bool over = !state_.has_trace() || at + 1 >= all.size();
  const auto& orders = shown().orders;
  if (over && !foreign_ && place_.clicks < orders.size() && is_scene_look(orders[place_.clicks]))
    return give_order();
  if (over) return next_scene();
  place_.stop = at + 1;
  if (!shown().stops.empty() && !foreign_) dress(place_.stop);
  playback.play_towards(all[at + 1]);
  keep_place();
}

void SceneCommands::next_scene() {
  if (foreign_) {
    cancel();
    place_ = left_now().place;
    begin(true);
    return show_message("back in the scene");
  }
  const auto next = state_.lecture.scenes.neighbour(1);
  if (!next) return show_message("this was the last scene");
  enter(*next);
}

void SceneCommands::back() {
  moved_ = true;
  auto& scenes = state_.lecture.scenes;
  const auto all = stops();
  const auto& play = state_.playback;
  const bool before = arrival_ != Arrival::none || !state_.has_trace() ||
                      (play.moment <= all.front() + kSameMoment && stop_now(all) == 0);
  if (before) {
    if (foreign_) return next_scene();
    const auto to = scenes.neighbour(-1);
    if (!to) return show_message("this is the first stop");
    return enter(*to);
  }
  std::size_t at = stop_now(all);
  const double from = play.playing && play.until ? *play.until : play.moment;
  if (at > 0 && from <= all[at] + kSameMoment) --at;  // else it lies between two stops
  place_.stop = at;
  if (!shown().stops.empty() && !foreign_) dress(at);
  app_.group<PlaybackCommands>().play_towards(all[at]);
  keep_place();
}

// ---- What is noted ----------------------------------------------------------------------------

bool starts_run(const CommandInfo& info) {
  constexpr std::array<std::string_view, 13> kRuns = {
      "run",  "live",  "say",         "sample",   "rerun",   "open",    "exec",
      "race", "train", "what-if-run", "show-run", "compare", "take-off"};
  return ranges::find(kRuns, info.name) != kRuns.end();
}

void SceneCommands::note(const CommandInfo& info, const Command& command) {
  if (!open() || replays_) return;
  if (is_scene_order(info.name) && shown().held && !foreign_) {
    place_.orders.push_back(command.text());
    begin_order();
  }
  if (starts_run(info) && arrival_ == Arrival::none && !foreign_) {
    keep_place();
    left_now().place = place_;
    foreign_ = true;
  }
}

// While another run is open, the place stays that of the scene before it.
void SceneCommands::keep_place() {
  if (foreign_ || arrival_ != Arrival::none || !state_.has_trace()) return;
  const auto& play = state_.playback;
  place_.moment = play.playing && play.until ? *play.until : play.moment;
  place_.present = *place_.moment >= state_.document->end(play.clock) - kSameMoment;
}

void SceneCommands::follow_question() {
  auto& scenes = state_.lecture.scenes;
  scenes.asks = false;
  const auto& asked = shown().question;
  if (!asked || arrival_ != Arrival::none || foreign_ || !state_.has_trace()) return;
  const auto all = stops();
  using Is = SceneMoment::Is;
  const SceneMoment& before = asked->before;
  // The round in question begins where the one before it ends.
  const double begins = before.is == Is::round ? moment_of({Is::round, before.value - 1})
                        : before.is == Is::end ? all[all.size() < 2 ? 0 : all.size() - 2]
                                               : moment_of(before) - 2 * kSameMoment;
  const auto behind = ranges::upper_bound(all, begins + kSameMoment);
  const double stop = behind == all.begin() ? all.front() : *std::prev(behind);
  const auto& play = state_.playback;
  // Held processes have the round ahead of them until it is released, and behind them afterwards.
  const bool happened = state_.holds() && before.is == Is::round &&
                        state_.document->end(play.clock) < before.value - 1 - kSameMoment;
  // After a run's early end, as by a killed rank, there is nothing to predict.
  const bool ahead = state_.holds() || play.moment < state_.document->end(play.clock) - kSameMoment;
  scenes.asks = ahead && !happened && std::abs(play.moment - stop) < kSameMoment && !play.playing;
}

bool SceneCommands::answered() const {
  const auto& asked = shown().question;
  if (!asked || !state_.has_trace() || foreign_ || state_.lecture.scenes.asks) return false;
  return !asked->answered || state_.playback.moment >= moment_of(*asked->answered) - kSameMoment;
}

void SceneCommands::update(double /*seconds*/, bool& news) {
  take_program();
  if (!open()) return;
  follow_order();
  follow_arrival(news);
  const bool asked = state_.lecture.scenes.asks;
  follow_question();
  news = news || asked != state_.lecture.scenes.asks;
  if (arrival_ == Arrival::none && !state_.playback.playing) remember();
}

// ---- After the window was closed --------------------------------------------------------------

void SceneCommands::find_cards() {
  std::error_code error;
  const fs::path folder = lectures_folder();
  if (folder.empty()) return;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.path().string().ends_with(kLectureEnding)) continue;
    Complaints ignored;  // they are said when it is opened
    const auto lecture = read_lecture(entry.path(), ignored);
    if (lecture)
      state_.lecture.cards.push_back({entry.path().lexically_normal().string(), lecture->title,
                                      lecture->summary, lecture->minutes()});
  }
  ranges::sort(state_.lecture.cards, [](const auto& a, const auto& b) { return a.file < b.file; });
}

void SceneCommands::read_stopped() {
  const std::string text = read_or_nothing(stopped_file());
  const json found = parse_json_or_none(text);
  try {
    const std::size_t scene = found.at("scene");
    const auto order = found.value("order", std::vector<std::size_t>());
    const auto place = ranges::find(order, scene);
    StoppedLecture stopped{
        found.at("file"), found.at("title"),
        place == order.end() ? scene : static_cast<std::size_t>(place - order.begin()),
        found.at("left").size(), found.at("timer")};
    std::error_code error;
    if (!fs::exists(stopped.file, error)) return;
    state_.lecture.stopped = std::move(stopped);
    written_ = text;
  } catch (const json::exception&) {  // of another version, or damaged: nothing to go on with
  }
}

// Moves and skips scenes as they were left, if the file still has the same ones.
void SceneCommands::take_order(const json& kept) {
  auto& scenes = state_.lecture.scenes;
  try {
    if (kept.at("titles").get<std::vector<std::string>>() != titles_of(*scenes.lecture)) return;
    auto order = kept.at("order").get<std::vector<std::size_t>>();
    auto skipped = kept.at("skipped").get<std::vector<bool>>();
    auto sorted = order;
    ranges::sort(sorted);
    if (sorted != scenes.order || skipped.size() != order.size()) return;
    scenes.order = std::move(order);
    scenes.skipped = std::move(skipped);
  } catch (const json::exception&) {  // of an earlier version: the file's order
  }
}

// A file is small, and written whole or not at all: whatever ends the window, the last stop is there.
void SceneCommands::remember() {
  const auto& options = app_.options();
  if (!moved_ || !options.remember || !options.keep_settings || !open()) return;
  keep_place();
  const auto& scenes = state_.lecture.scenes;
  json left = json::array();
  for (std::size_t i = 0; i < lefts_.size(); ++i) {
    const Place& place = i == scenes.now ? place_ : lefts_[i].place;
    left.push_back({{"orders", place.orders},
                    {"clicks", place.clicks},
                    {"stop", place.stop},
                    {"present", place.present},
                    {"moment", place.moment ? json(*place.moment) : json()}});
  }
  const int timer = state_.lecture.timer_s / kTimerEvery * kTimerEvery;
  const json now{{"file", scenes.lecture->file.string()},
                 {"title", scenes.lecture->title},
                 {"scene", scenes.now},
                 {"timer", timer},
                 {"presenting", state_.presenting},
                 {"presenter", state_.lecture.presenter},
                 {"order", scenes.order},
                 {"skipped", scenes.skipped},
                 {"titles", titles_of(*scenes.lecture)},
                 {"left", std::move(left)}};
  std::string text = dump_json(now);
  if (text == written_) return;
  written_ = std::move(text);
  state_.lecture.stopped = StoppedLecture{scenes.lecture->file.string(), scenes.lecture->title,
                                          scenes.place(), lefts_.size(), timer};
  const fs::path file = stopped_file();
  if (file.empty()) return;
  try {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    write_whole(file.string(), written_);
  } catch (const UserError&) {  // a full disk ends no lecture; the settings say so
  }
}

void SceneCommands::resume() {
  const json found = parse_json_or_none(written_);
  if (!state_.lecture.stopped || !found.is_object())
    throw UserError("no lecture was begun: open one (Ctrl+O)");
  const std::string file = state_.lecture.stopped->file;
  open_file(file, false);
  try {
    const json& left = found.at("left");
    for (std::size_t i = 0; i < std::min(left.size(), lefts_.size()); ++i) {
      Place& place = lefts_[i].place;
      place.orders = left[i].at("orders").get<std::vector<std::string>>();
      place.clicks = left[i].at("clicks");
      place.stop = left[i].at("stop");
      place.present = left[i].at("present");
      if (left[i].at("moment").is_number()) place.moment = left[i].at("moment").get<double>();
      state_.lecture.scenes.seen[i] = place.moment.has_value();
    }
    state_.lecture.scenes.now = std::min(found.at("scene").get<std::size_t>(), lefts_.size() - 1);
    app_.group<LectureCommands>().set_timer(found.at("timer"));
    if (found.at("presenting").get<bool>() != state_.presenting) app_.execute(cmd::present());
    if (found.at("presenter").get<bool>()) app_.execute(cmd::presenter(Turn::on));
  } catch (const json::exception&) {
    state_.lecture.scenes.now = 0;
    begin(false);
    throw UserError("how far the lecture was cannot be read: it begins at its first scene");
  }
  moved_ = true;
  place_ = left_now().place;
  begin(true);
  show_message(fmt::format("{}: on with scene {}", state_.lecture.scenes.lecture->title,
                           state_.lecture.scenes.place() + 1));
}

}  // namespace rankscope::gui
