// The commands of a lecture, and what its clocks show.
#include "gui/state/app/lecture_commands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

constexpr double kSameMoment = 1e-6;
constexpr int kUsualCountdown = 120, kLongestCountdown = 24 * 3600;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool shows_presenter(const AppState& s) { return s.lecture.presenter; }
bool counts_down(const AppState& s) { return s.lecture.countdown.has_value(); }

/// "2:00", "90" (seconds), "1:30:00". Throws UserError.
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

const Step* page_of(const LessonState& lesson) {
  if (!lesson.lesson || lesson.page() < 0 || lesson.page() >= lesson.pages()) return nullptr;
  return &lesson.lesson->steps[static_cast<std::size_t>(lesson.page())];
}

}  // namespace

LectureCommands::LectureCommands(App& app) : CommandGroup(app), clock(steady_seconds) {}

// ---- The commands ----

constexpr Row<Turn> cmd::presenter(
    "presenter [on|off|toggle]", "A second window for the presenter: notes, what comes next, timer",
    "F9", 0, 1, Curtain::keeps, does<&LectureCommands::presenter>,
    menu(item(Menu::lesson, 2, "Presenter's window", "toggle", nullptr, shows_presenter)),
    also("second screen, notes"));
// What they come to is recorded: a step, a page, a run.
constexpr Row<> cmd::next_stop(
    "next-stop", "As a clicker: the next step of the run, at its end the lesson's next page", "", 0,
    0, Curtain::keeps, does<&LectureCommands::next_stop>, kUnrecorded);
constexpr Row<> cmd::previous_stop(
    "previous-stop", "As a clicker: one step back, at the start the lesson's page before", "", 0, 0,
    Curtain::keeps, does<&LectureCommands::previous_stop>, kUnrecorded);
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

void LectureCommands::presenter(const Arguments& words) {
  auto& lecture = state_.lecture;
  lecture.presenter = words.switched(lecture.presenter);
  if (!lecture.presenter) return;
  state_.lesson.lecturer = false;  // they are shown there, and not to everybody
  begin();
}

// ---- A clicker --------------------------------------------------------------------------------

void LectureCommands::carry_out(const Command& command) { app_.execute(command); }

// What a clicker does first: it brings the picture back.
bool LectureCommands::show_again() {
  auto& lecture = state_.lecture;
  if (lecture.countdown && lecture.countdown->left_s == 0) carry_out(cmd::countdown_off());
  if (!lecture.blank) return false;
  carry_out(cmd::blank(Turn::off));
  return true;
}

bool LectureCommands::step_run() {
  const auto& live = state_.live;
  if (live.running && live.stepping && !live.resumed) {
    carry_out(cmd::release_round());
    return true;
  }
  if (!state_.has_trace()) return false;
  const auto& play = state_.playback;
  if (play.playing && play.until) {  // pressed again: not in slow motion
    carry_out(cmd::seek(*play.until));
    return true;
  }
  if (play.moment >= state_.document->end(play.clock) - kSameMoment) return false;
  carry_out(state_.settings.motion ? cmd::play_step() : cmd::step());
  return true;
}

std::string LectureCommands::run_to_come() const {
  const Step* const page = page_of(state_.lesson);
  if (page == nullptr) return {};
  std::string first;
  bool behind = false;
  for (const Block& block : page->blocks) {
    if (block.kind != Block::Kind::run) continue;
    // Only a lecture opens what waits for an answer: first the question, then its run.
    if (!state_.lesson.lecture && !state_.lesson.locking_run(block.id).empty()) continue;
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
  if (show_again() || app_.group<ScriptCommands>().click() || step_run()) return;
  if (state_.live.running) return show_message("the run goes on: its end is the next stop");
  if (next_of_lesson()) return;
  show_message(state_.lesson.lesson ? "this is the last stop of the lesson"
               : state_.has_trace()
                   ? "this is the end of the run"
                   : "there is nothing to step through: start a run (Ctrl+R), open "
                     "a trace or a lesson (Ctrl+L)");
}

void LectureCommands::previous_stop() {
  if (show_again()) return;
  if (state_.has_trace() && state_.playback.moment > kSameMoment)
    return carry_out(cmd::step_back());
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

// What changes with time is no news, for which the window settles: next_change_s says when to look at it.
void LectureCommands::update(double /*seconds*/, bool& /*news*/) {
  const double now = clock();
  state_.lecture.next_change_s = LectureState::kNever;
  take_timer(now);
  take_countdown(now);
  take_time_of_day();
}

}  // namespace rankscope::gui
