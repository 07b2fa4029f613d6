// The commands of a lecture, and what its clocks show.
#include "gui/state/app/lecture_commands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

constexpr int kUsualCountdown = 120, kLongestCountdown = 24 * 3600;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool shows_presenter(const AppState& s) { return s.lecture.presenter; }
bool counts_down(const AppState& s) { return s.lecture.countdown.has_value(); }

/// Parses "2:00", "90" (seconds), "1:30:00". Throws UserError.
int seconds_said(const std::string& text) {
  int sum = 0, parts = 0;
  for (std::string_view rest = text;;) {
    const auto end = rest.find(':');
    const int part = number_of<int>(std::string(rest.substr(0, end)), "the countdown");
    const bool fits = part >= 0 && part <= kLongestCountdown && (parts == 0 || part < 60);
    if (!fits || ++parts > 3) throw UserError("a countdown is like 2:00, or seconds: 90");
    sum = sum * 60 + part;
    if (sum > kLongestCountdown) throw UserError("a countdown lasts 24 hours at most");
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (sum < 1) throw UserError("a countdown lasts a second at least: countdown 2:00");
  return sum;
}

}  // namespace

LectureCommands::LectureCommands(App& app) : CommandGroup(app), clock(steady_seconds) {}

// ---- The commands ----

constexpr Row<Turn> cmd::presenter(
    "presenter [on|off|toggle]", "A second window for the presenter: notes, what comes next, timer",
    "F9", 0, 1, Curtain::keeps, does<&LectureCommands::presenter>,
    menu(item(Menu::lesson, 2, "Presenter's window", "toggle", nullptr, shows_presenter)),
    also("second screen, notes"));
// Recordings have their effect instead: a step, a page, a run.
constexpr Row<> cmd::next_stop(
    "next-stop",
    "Like a clicker: the next step of the run; at the present of a held run the next round is "
    "released, at a run's end comes the lesson's next page",
    "", 0, 0, Curtain::keeps, does<&LectureCommands::next_stop>, kUnrecorded);
constexpr Row<> cmd::previous_stop(
    "previous-stop", "Like a clicker: one step back, at the start the lesson's page before", "", 0,
    0, Curtain::keeps, does<&LectureCommands::previous_stop>, kUnrecorded);
constexpr Row<Turn> cmd::blank("blank [on|off|toggle]",
                               "Makes the window black, until the next key", "., B", 0, 1,
                               Curtain::keeps, does<&LectureCommands::blank>,
                               menu(item(Menu::lesson, 2, "Black screen", "on")));
constexpr Row<> cmd::timer("timer [start|pause|reset|toggle]", "The time since the lecture began",
                           "", 0, 1, Curtain::keeps, does<&LectureCommands::timer>);
constexpr Row<Text> cmd::countdown(
    "countdown [M:SS|pause|resume|off]",
    "Counts down in the corner; without a word two minutes, then pauses and goes on", "Shift+C", 0,
    1, Curtain::keeps, does<&LectureCommands::countdown>,
    menu(item(Menu::lesson, 2, "Countdown of two minutes", "2:00"),
         item(Menu::lesson, 2, "End the countdown", "off", counts_down, nullptr, true)),
    also("timer, clock, minutes"));

void LectureCommands::begin() {
  if (!started_) started_ = clock();
}

void LectureCommands::set_timer(int seconds) {
  kept_s_ = seconds;
  started_ = clock();
}

void LectureCommands::presenter(const Arguments& words) {
  auto& lecture = state_.lecture;
  lecture.presenter = words.switched(lecture.presenter);
  if (!lecture.presenter) return;
  state_.lesson.lecturer = false;  // they are shown there, and not to everybody
  begin();
}

// ---- A clicker --------------------------------------------------------------------------------

void LectureCommands::carry_out(const Command& command) { app_.execute(command); }

// A clicker first brings the picture back.
bool LectureCommands::show_again() {
  auto& lecture = state_.lecture;
  if (lecture.countdown && lecture.countdown->left_s == 0) carry_out(cmd::countdown_off());
  if (!lecture.blank) return false;
  carry_out(cmd::blank(Turn::off));
  return true;
}

bool LectureCommands::step_run() {
  if (state_.holds() && state_.at_present()) {
    carry_out(cmd::release_round());
    return true;
  }
  if (!state_.has_trace()) return false;
  if (state_.at_present()) return false;
  carry_out(cmd::play_step());
  return true;
}

std::string LectureCommands::run_to_come() const {
  std::string first;
  bool behind = false;
  for (const Block& block : state_.lesson.blocks()) {
    if (block.kind != Block::Kind::run) continue;
    // Only a lecture opens a run that waits for an answer: first the question, then its run.
    const bool opens = state_.lesson.lecture && !state_.lesson.lesson->student_copy;
    if (!opens && !state_.lesson.locking_run(block.id).empty()) continue;
    if (behind) return block.id;
    if (first.empty()) first = block.id;
    behind = block.id == state_.lesson.shown_run;
  }
  return behind ? std::string() : first;
}

bool LectureCommands::next_of_lesson() {
  const auto& lesson = state_.lesson;
  if (!lesson.lesson) return false;
  std::string run = run_to_come();
  if (run.empty()) {
    if (lesson.page() + 1 >= lesson.pages()) return false;
    carry_out(cmd::lesson_next_page());
    run = run_to_come();
  }
  if (run.empty()) return true;
  if (const auto locking = lesson.locking_run(run); !locking.empty()) {
    if (lesson.sought.id != locking.front()->id) {
      carry_out(cmd::lesson_to(locking.front()->id));
      show_message("once more opens the run");
      return true;
    }
    carry_out(cmd::unlock(run));
  }
  carry_out(cmd::show_run(run));
  return true;
}

void LectureCommands::next_stop() {
  if (show_again() || app_.group<ScriptCommands>().click()) return;
  if (auto& scenes = app_.group<SceneCommands>(); scenes.open()) {
    begin();
    return scenes.forward();
  }
  if (step_run()) return;
  if (state_.live.running) return show_message("the run goes on: its end is the next stop");
  if (next_of_lesson()) return;
  show_message(state_.lesson.lesson ? "this is the last stop of the lesson"
               : state_.has_trace() ? "this is the end of the run"
                                    : "there is nothing to step through: start a run (Ctrl+R), "
                                      "open a trace or a lesson (Ctrl+L)");
}

void LectureCommands::previous_stop() {
  if (show_again()) return;
  if (auto& scenes = app_.group<SceneCommands>(); scenes.open()) return scenes.back();
  if (state_.has_trace() && state_.playback.moment > kSameMoment)
    return carry_out(cmd::play_step_back());
  if (state_.lesson.lesson && state_.lesson.page() > 0) return carry_out(cmd::lesson_page_before());
  show_message("this is the first stop");
}

void LectureCommands::blank(const Arguments& words) {
  state_.lecture.blank = words.switched(state_.lecture.blank);
}

// ---- Clocks -----------------------------------------------------------------------------------

void LectureCommands::timer(const Arguments& words) {
  const std::string word = words.empty() ? "toggle" : words[0];
  const bool stands = word == "pause" || (word == "toggle" && started_);
  if (word != "start" && word != "reset" && word != "pause" && word != "toggle")
    throw UserError(fmt::format("say start, pause, reset or toggle, not \"{}\"", word));
  if (word == "reset") kept_s_ = 0;
  else if (started_) kept_s_ += clock() - *started_;
  started_ = stands || (word == "reset" && !started_) ? std::nullopt : std::optional(clock());
  bool ignored = false;
  update(0, ignored);
}

void LectureCommands::start_countdown(int seconds) {
  state_.lecture.countdown = Countdown{seconds, seconds, false};
  ends_ = clock() + seconds;
}

void LectureCommands::pause_countdown(bool pause) {
  auto& shown = *state_.lecture.countdown;
  if (shown.paused == pause || shown.left_s == 0) return;
  shown.paused = pause;
  if (pause) left_ = ends_ - clock();
  else ends_ = clock() + left_;
}

void LectureCommands::countdown(const Arguments& words) {
  auto& shown = state_.lecture.countdown;
  const std::string& word = words[0];
  if (word == "off") return shown.reset();
  if (word.empty() || word == "pause" || word == "resume") {
    const bool counts = shown && shown->left_s > 0;
    if (!counts && !word.empty()) throw UserError("nothing counts down: countdown 2:00");
    if (!counts) return start_countdown(kUsualCountdown);
    return pause_countdown(word.empty() ? !shown->paused : word == "pause");
  }
  start_countdown(seconds_said(word));
}

void LectureCommands::due_in(double seconds) {
  auto& next = state_.lecture.next_change_s;
  next = std::min(next, std::max(seconds, 0.005));
}

void LectureCommands::take_timer(double now) {
  auto& lecture = state_.lecture;
  const double passed = kept_s_ + (started_ ? now - *started_ : 0);
  lecture.timer_s = static_cast<int>(passed);
  lecture.timer_runs = started_.has_value();
  if (started_ && lecture.presenter) due_in(std::floor(passed) + 1 - passed);
}

void LectureCommands::take_countdown(double now) {
  auto& shown = state_.lecture.countdown;
  if (!shown || shown->paused || shown->left_s == 0) return;
  const double left = std::max(0.0, ends_ - now);
  const int seconds = static_cast<int>(std::ceil(left - kSameMoment));
  shown->left_s = seconds;
  if (seconds > 0) due_in(left - (seconds - 1));
}

void LectureCommands::take_time_of_day() {
  if (!state_.lecture.presenter) return;
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  state_.lecture.minute_of_day = local.tm_hour * 60 + local.tm_min;
  due_in(60 - local.tm_sec);
}

// Clocks are no news, which would keep the window drawing: next_change_s says when the next figure changes.
void LectureCommands::update(double /*seconds*/, bool& news) {
  const double now = clock();
  state_.lecture.next_change_s = LectureState::kNever;
  take_timer(now);
  take_countdown(now);
  take_time_of_day();
  take_clip(news);
}

namespace {

constexpr std::size_t kMostStrokes = 500, kMostPoints = 4000;

bool has_spotlight(const AppState& s) { return s.lecture.spotlight; }
bool draws_with_pen(const AppState& s) { return s.lecture.pen; }
bool has_strokes(const AppState& s) { return !s.lecture.strokes.empty(); }

/// Parses "0.25,0.5": shares of the window.
PenStroke::Point point_said(const std::string& word) {
  const auto comma = word.find(',');
  if (comma == std::string::npos) throw UserError("a pen's line goes by points like 0.25,0.5");
  const PenStroke::Point point{number_of<double>(word.substr(0, comma), "a pen's x"),
                               number_of<double>(word.substr(comma + 1), "a pen's y")};
  const auto inside = [](double share) { return share >= 0 && share <= 1; };
  if (!inside(point.x) || !inside(point.y))
    throw UserError("a pen's points lie between 0,0 and 1,1, the window's corners");
  return point;
}

}  // namespace

constexpr Row<Turn> cmd::spotlight("spotlight [on|off|toggle|RADIUS]",
                                   "A bright circle around the mouse, all else dimmed", "S", 0, 1,
                                   Curtain::keeps, does<&LectureCommands::spotlight>,
                                   menu(item(Menu::lesson, 2, "Spotlight", "toggle", nullptr,
                                             has_spotlight)));
constexpr Row<Turn> cmd::pen(
    "pen [on|off|toggle|orange|blue|green|purple|undo|clear|line X,Y...]",
    "Draws over the window with the mouse; undo takes a line back, clear all", "D", 0, kAnyNumber,
    Curtain::keeps, does<&LectureCommands::pen>,
    menu(item(Menu::lesson, 2, "Pen", "toggle", nullptr, draws_with_pen),
         item(Menu::lesson, 2, "Take a pen's line back", "undo", has_strokes, nullptr, true),
         item(Menu::lesson, 2, "Clear what the pen drew", "clear", has_strokes, nullptr, true)),
    also("draw on the screen, annotate"));

void LectureCommands::spotlight(const Arguments& words) {
  auto& lecture = state_.lecture;
  const bool is_size = !words.empty() && words[0].find_first_of("0123456789") == 0;
  if (!is_size) {
    lecture.spotlight = words.switched(lecture.spotlight);
    return;
  }
  const auto radius = words.number<double>(0, "the spotlight's radius");
  if (!(radius >= LectureState::kLeastSpotlight && radius <= LectureState::kMostSpotlight))
    throw UserError(fmt::format("the spotlight's radius goes from {} to {} pixels",
                                LectureState::kLeastSpotlight, LectureState::kMostSpotlight));
  lecture.spotlight_radius = radius;
  lecture.spotlight = true;
}

void LectureCommands::line(const Arguments& words) {
  auto& lecture = state_.lecture;
  if (words.size() < 2) throw UserError("a pen's line needs points: pen line 0.2,0.3 0.4,0.3");
  if (words.size() > kMostPoints)
    throw UserError(fmt::format("a pen's line has {} points at most", kMostPoints - 1));
  if (lecture.strokes.size() >= kMostStrokes)
    throw UserError(fmt::format("{} lines are drawn already: pen clear", kMostStrokes));
  PenStroke stroke{lecture.pen_color, {}};
  for (std::size_t i = 1; i < words.size(); ++i) stroke.points.push_back(point_said(words[i]));
  lecture.strokes.push_back(std::move(stroke));
}

void LectureCommands::pen(const Arguments& words) {
  auto& lecture = state_.lecture;
  const std::string& word = words[0];
  if (word == "line") return line(words);
  if (words.size() > 1) throw UserError(fmt::format("'pen {}' takes no more words", word));
  if (word == "clear") return lecture.strokes.clear();
  if (word == "undo") {
    if (!lecture.strokes.empty()) lecture.strokes.pop_back();
    return;
  }
  const auto color = ranges::find(kPenColors, word, &PenColor::name);
  if (color != kPenColors.end()) {
    lecture.pen_color = static_cast<std::size_t>(color - kPenColors.begin());
    lecture.pen = true;
    return;
  }
  if (!word.empty() && word != "on" && word != "off" && word != "toggle")
    throw UserError(fmt::format(
        "say on, off, undo, clear, line, or a colour (orange, blue, green, purple), not \"{}\"",
        word));
  lecture.pen = words.switched(lecture.pen);
}

// ---- The window's last minute ----------------------------------------------------------------

LectureCommands::~LectureCommands() {
  *stopped_ = true;
  if (saving_.valid()) saving_.wait();
}

void LectureCommands::keep(bool on) {
  state_.lecture.keeps_frames = on;
  show_message(on ? "the window's last minute is kept from now on: record last clip.gif"
                  : "the window's last minute is no longer kept");
}

double LectureCommands::wants_frame_in() const {
  if (!keeps_frames()) return LectureState::kNever;
  const double due = std::max(0.0, ring_.next_at() - steady_seconds());
  return ring_.busy() ? std::max(due, FrameRing::kEvery / 4) : due;
}

bool LectureCommands::take_frame(Pixels picture) {
  return ring_.add(std::move(picture), steady_seconds());
}

void LectureCommands::save_last(const Arguments& words) {
  if (words.size() < 2 || words.size() > 3)
    throw UserError("usage: record last [SECONDS] FILE, such as record last 20 clip.gif");
  const std::string& file = words[words.size() - 1];
  const auto seconds =
      words.size() > 2 ? words.number<double>(1, "how many seconds") : FrameRing::kSeconds;
  if (!(seconds >= 1 && seconds <= FrameRing::kSeconds))
    throw UserError(fmt::format("record last keeps 1 to {} seconds", FrameRing::kSeconds));
  refuse_pipe(file);
  check_clip_file(file);
  if (saving_.valid())
    throw UserError(fmt::format("{} is still being written: wait for it", saving_file_));
  const double now = steady_seconds();
  auto frames = ring_.between(now - seconds, now);
  if (frames.empty())
    throw UserError(
        "nothing of the window was kept: its last minute is, in a presentation (P), in a lecture, "
        "with the presenter's window (F9), and from `record on` on");
  const double from = std::max(now - seconds, frames.front().at);
  saving_file_ = file;
  asked_by_ = app_.group<ScriptCommands>().line_now();
  saving_ = made_behind(
      app_.options().changed,
      [frames = std::move(frames), from, now, file, stopped = stopped_]() -> std::string {
        try {
          write_clip(frames, from, now, file, [&](std::size_t, std::size_t) {
            if (*stopped) throw std::runtime_error("the window was closed");
          });
        } catch (const std::exception& e) {  // no clip that fails ends a lecture
          return e.what();
        }
        return {};
      });
  show_message(fmt::format("writing {} …", file));
}

void LectureCommands::take_clip(bool& news) {
  if (!ring_.empty()) ring_.forget(steady_seconds());
  if (!is_ready(saving_)) return;
  const std::string wrong = saving_.get();
  news = true;
  if (wrong.empty()) return show_message(fmt::format("written: {}", saving_file_));
  app_.group<ScriptCommands>().report(asked_by_, wrong);
}

}  // namespace rankscope::gui
