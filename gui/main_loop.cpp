// The main loop: takes input, runs commands, draws a frame when something changed, takes
// screenshots.
#include "gui/main_loop.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/run/conductor/launcher.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/settings.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/drawn_texts.h"

namespace rankscope::gui {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kFrame = 1.0 / 60;
/// ImGui needs a few frames for a change to settle: sizes of windows, hover.
constexpr int kSettle = 3;
/// After this many frames a picture is taken even if a view is not finished.
constexpr int kMostPictureFrames = 600;
/// Seconds between frames of the presenter's window while something moves in the main window.
constexpr double kPresenterFrame = 0.1;
/// Seconds: between looks for a picture made in the background; the longest sleep, after which a signal to end is noticed;
/// the longest wait until everything has settled.
constexpr double kPeek = 0.03, kLongestSleep = 0.5, kLongestWait = 300;
constexpr double kQuiet = 0.04;  ///< Seconds between frames while something moves by itself.
/// Seconds without input after which decorative motion stops.
constexpr double kWatched = 60;
/// On a projector of this size the smallest text (12 at scale 1) has 18 pixels; a larger one shows the same picture enlarged.
constexpr double kProjectorScale = 1.5, kProjectorWide = 1280, kProjectorHigh = 720;
constexpr double kRests = 2.5;  ///< Seconds after which a mouse that does not move is at rest.
/// The fonts of scale 4 fill a texture of 4096 x 9989. At 4.8 a glyph is larger than the 256 KB that Dear
/// ImGui 1.86 keeps for it (imgui_freetype.cpp), and is written beyond them.
constexpr double kMostScale = 4;

volatile std::sig_atomic_t stop_signal = 0;
void request_stop(int) { stop_signal = 1; }

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Returns the command `rankscope` beside this program, else that on the PATH.
std::string command_program() {
  const auto beside = std::filesystem::path(own_program()).parent_path() / "rankscope";
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) ? beside.string() : "rankscope";
}

WindowOptions window_options(const StartOptions& options) {
  WindowOptions window;
  if (options.width > 0) window.width = options.width;
  if (options.height > 0) window.height = options.height;
  window.visible = !options.hidden && options.has_size();
  return window;
}

AppOptions app_options(const StartOptions& options) {
  return {
      .worker_program = command_program(),
      .remember = !options.fresh && options.monkey_s <= 0,
      .changed = [] { Window::wake(); },
      .keep_settings =
          options.screenshot.empty()};  // a screenshot's script must not change the user's settings
}

/// Returns the countdown's seconds, -1 without one. A frame is drawn only when this number changes.
int countdown_now(const AppState& state) {
  return state.lecture.countdown ? state.lecture.countdown->left_s : -1;
}

// Limits frames to 60 a second, in case the screen sets no pace.
void pace(SteadyClock::time_point before) {
  const double left = kFrame - seconds_since(before);
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

}  // namespace

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

MainLoop::MainLoop(const StartOptions& options)
    : options_(options),
      window_(window_options(options)),
      app_(app_options(options)),
      shell_(app_),
      unsettled_(kSettle) {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  // Ends with its terminal, except under nohup.
  if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  app_.look_for_now(options.theme,
                    options.scale_given ? std::optional(options.scale) : std::nullopt);
  AppState& state = app_.mutable_state();
  if (!options.hidden && !options.has_size()) window_.open(state.settings.window_place);
  if (scripted()) state.show_welcome = false;
  build_look();
  window_.on_key = [this](const std::string& key, bool again) {
    const bool done = shell_.press(key, again);
    shell_.carry_out();  // before the next frame: what is typed meanwhile belongs to the palette
    return done;
  };
  window_.keeps_keys = [this] { return shell_.keeps_keys(); };
  window_.on_drop = [this](const std::vector<std::string>& files) { app_.drop(files); };
  app_.on_script_line = [](const std::string& line, const std::string& error) {
    if (!error.empty())
      std::fprintf(stderr, "rankscope-gui: %s\n    %s\n", error.c_str(), line.c_str());
  };
  app_.on_print = [](const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  };
  queue_work();
}

bool MainLoop::stop_requested() { return stop_signal != 0; }
double MainLoop::age() const { return seconds_since(zero_); }

bool MainLoop::scripted() const {
  return !options_.script.empty() || !options_.commands.empty() || !options_.screenshot.empty() ||
         !options_.trace.empty() || options_.bench_frames > 0 || options_.bench_live_s > 0 ||
         options_.monkey_s > 0;
}

void MainLoop::queue_work() {
  std::vector<std::string> lines;
  for (const std::string& file : options_.plugins) lines.push_back(cmd::plugin(file).text());
  if (!options_.trace.empty()) {
    lines.push_back(cmd::open(options_.trace).text());
    if (!options_.commands.empty() || !options_.screenshot.empty()) lines.emplace_back("wait run");
  }
  lines.insert(lines.end(), options_.commands.begin(), options_.commands.end());
  if (!options_.script.empty()) lines.push_back(cmd::script(options_.script).text());
  if (!options_.screenshot.empty()) {
    lines.emplace_back("wait still");  // not "wait run": nobody would release a held run
    lines.emplace_back("wait 0.2");
    lines.push_back(cmd::screenshot(options_.screenshot).text());
    lines.emplace_back("quit");
  }
  app_.queue_script(lines, "command line");
}

int MainLoop::run() {
  while (!app_.state().quit && !stop_requested()) {
    const bool busy = app_.animating() || unsettled_ > 0 || (presenter_ && presenter_->unsettled());
    const auto before = SteadyClock::now();
    window_.wait(busy ? 0 : shell_.moves() ? std::min(kQuiet, longest_wait()) : longest_wait());
    if (window_.wants_to_close()) {
      app_.execute(cmd::quit());
      if (app_.state().quit) break;
      window_.keep_open();
      unsettled_ = kSettle;
    }
    const bool input = window_.take_input();
    if (input) last_input_ = SteadyClock::now();
    app_.mutable_state().focused =
        window_.focused() && options_.screenshot.empty() && seconds_since(last_input_) < kWatched;
    const double passed = std::min(seconds_since(last_update_), 0.25);
    last_update_ = SteadyClock::now();
    const bool news = app_.update(passed);
    if (input || news) unsettled_ = kSettle;
    else if (countdown_shown_ != countdown_now(app_.state())) unsettled_ = std::max(unsettled_, 1);
    const bool comes_to_rest =
        app_.state().presenting && !mouse_rests_ && seconds_since(mouse_moved_) > kRests;
    if (unsettled_ > 0 || shell_.unfinished() || shell_.moves() || comes_to_rest) frame();
    else if (presenter_) keep_windows();
    if (unsettled_ == 0) minute_due_ = keep_minute();
    if (busy) pace(before);
  }
  return app_.script_failed() || screenshot_failed_ ? 1 : 0;
}

double MainLoop::longest_wait() const {
  if (shell_.unfinished()) return kPeek;
  double wait = std::min(kLongestSleep, app_.state().lecture.next_change_s);
  if (fresh_) wait = std::min(wait, minute_due_);
  if (app_.state().presenting && !mouse_rests_)
    wait = std::min(wait, kRests - seconds_since(mouse_moved_));
  return std::max(wait, 0.001);
}

void MainLoop::settle() {
  const auto since = SteadyClock::now();
  unsettled_ = kSettle;
  do {
    const double before = thread_seconds();
    const bool news = app_.update(kFrame);
    if (costs != nullptr) costs->updated.push_back(thread_seconds() - before);
    if (news) unsettled_ = kSettle;
    if (unsettled_ > 0 || shell_.unfinished()) frame();
    window_.wait(kFrame);
  } while ((app_.script_running() || app_.state().live.running || app_.animating() ||
            shell_.unfinished() || unsettled_ > 0) &&
           seconds_since(since) < kLongestWait);
}

double MainLoop::wanted_scale() const {
  const auto& state = app_.state();
  if (!state.presenting)
    return std::min(kMostScale,
                    state.settings.ui_scale * static_cast<double>(window_.screen_scale()));
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const double larger = std::min(static_cast<double>(room.x) / kProjectorWide,
                                 static_cast<double>(room.y) / kProjectorHigh);
  return std::min(kMostScale, kProjectorScale * std::max(1.0, state.settings.ui_scale) *
                                  std::max(1.0, std::floor(larger * 20) / 20));
}

void MainLoop::build_look() {
  const auto& state = app_.state();
  const double scale = wanted_scale();
  look_.for_projector(state.presenting);
  if (std::abs(scale - built_scale_) < 1e-6) return look_.use(state.settings.theme);
  built_scale_ = scale;
  const double before = thread_seconds();
  look_.build(state.settings.theme, static_cast<float>(scale), !all_letters_);
  if (costs != nullptr) costs->fonts.push_back(thread_seconds() - before);
  if (start_cost_ < 0) start_cost_ += thread_seconds();
  window_.renew_fonts();
}

void MainLoop::load_letters() {
  if (all_letters_ || !std::exchange(drawn_, true)) return;
  all_letters_ = true;
  built_scale_ = 0;
  build_look();
}

void MainLoop::build_frame() {
  const double before = thread_seconds();
  compat::check_keys(ImGui::GetIO());
  ImGui::NewFrame();
  shell_.draw(look_);
  ImGui::Render();
  if (costs != nullptr) costs->built.push_back(thread_seconds() - before);
}

void MainLoop::build() {
  load_letters();
  window_.begin_frame();
  build_frame();
}

void MainLoop::rest_mouse() {
  const auto& state = app_.state();
  const auto now = window_.pointer();
  const bool held = ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1);
  if (std::exchange(mouse_, now) != now || held) mouse_moved_ = SteadyClock::now();
  mouse_rests_ = seconds_since(mouse_moved_) > kRests;
  shell_.mouse_moves(!mouse_rests_);
  if (!state.presenting || !mouse_rests_ || state.lecture.spotlight || state.lecture.pen) return;
  compat::move_mouse(ImGui::GetIO(), -FLT_MAX, -FLT_MAX);
  window_.hide_pointer();
}

void MainLoop::frame() {
  countdown_shown_ = countdown_now(app_.state());
  load_letters();
  window_.begin_frame();
  // A screenshot shows neither hover nor tooltips, wherever the pointer is.
  if (!options_.screenshot.empty()) compat::move_mouse(ImGui::GetIO(), -FLT_MAX, -FLT_MAX);
  rest_mouse();
  if (app_.state().presenting && std::abs(wanted_scale() - built_scale_) > 1e-6) build_look();
  on_frame(ImGui::GetIO());
  build_frame();
  if (!paints() || window_.end_frame(look_.palette().window)) fresh_ = true;
  minute_due_ = keep_minute();
  on_orders();
  shell_.carry_out();
  if (presenter_) presenter_->refresh();
  keep_windows();
  if (unsettled_ > 0) --unsettled_;
  auto& requests = app_.requests();
  if (!requests.clipboard.empty())
    ImGui::SetClipboardText(std::exchange(requests.clipboard, {}).c_str());
  // While processes run, nothing comes to rest, so a picture is taken after a few frames.
  if (requests.screenshots.empty() && requests.copies.empty()) picture_frames_ = 0;
  else if (++picture_frames_ >= (shell_.unfinished() ? kMostPictureFrames : kSettle))
    take_screenshots();
  else unsettled_ = std::max(unsettled_, 1);
  if (requests.look_changed) {
    requests.look_changed = false;
    build_look();
    window_.full_screen(app_.state().presenting && !options_.hidden && options_.screenshot.empty());
    unsettled_ = kSettle;
  }
}

void MainLoop::open_presenter() {
  try {
    presenter_ =
        std::make_unique<PresenterWindow>(window_, app_.state().settings, !options_.hidden);
    if (!window_.other_monitor())
      app_.show_message(
          "only one screen is connected: the presenter's window is beside this one, and everybody "
          "sees it. Connect the projector as a second screen (not as a copy), then F9 twice");
    presenter_->on_key = [this](const std::string& key, bool again) {
      unsettled_ = kSettle;
      return window_.on_key(key, again);
    };
  } catch (const UserError& e) {
    window_.make_current();
    app_.execute(cmd::presenter(Turn::off));
    app_.report(e.what());
    unsettled_ = kSettle;
  }
}

void MainLoop::keep_windows() {
  if (!options_.hidden && !options_.has_size() &&
      window_.keep_place(app_.mutable_state().settings.window_place))
    app_.layout_changed();
  if (presenter_ && presenter_->wants_to_close()) {
    app_.execute(cmd::presenter(Turn::off));
    unsettled_ = kSettle;
  }
  const bool wanted = app_.state().lecture.presenter;
  if (wanted && !presenter_) open_presenter();
  if (!wanted && presenter_) presenter_.reset();
  if (!presenter_) return app_.requests().presenter_screenshots.clear();
  if (presenter_->moved(app_.mutable_state().settings)) app_.layout_changed();
  if (!app_.requests().presenter_screenshots.empty()) presenter_->refresh();
  if (presenter_->changed(app_.state())) draw_presenter();
}

void MainLoop::draw_presenter() {
  auto& pictures = app_.requests().presenter_screenshots;
  // The audience watches motion in the main window: this one follows at a slower rate.
  const bool often = app_.animating() && pictures.empty();
  if (often && seconds_since(presenter_drawn_) < kPresenterFrame) return;
  presenter_drawn_ = SteadyClock::now();
  presenter_->draw(app_.state(), presenter_commands_);
  for (auto& command : presenter_commands_.take()) {
    shell_.ask(std::move(command));
    unsettled_ = kSettle;
  }
  shell_.carry_out();
  if (pictures.empty()) {
    presenter_pictures_ = 0;
  } else if (++presenter_pictures_ >= kSettle) {
    presenter_pictures_ = 0;
    for (const auto& file : std::exchange(pictures, {}))
      write_file(file, [&] { return to_png(presenter_->picture()); });
  }
}

double MainLoop::keep_minute() {
  auto& clips = app_.group<LectureCommands>();
  const double due = clips.wants_frame_in();
  if (!fresh_ || due > 0) return due;
  try {
    fresh_ = !clips.take_frame(window_.picture(look_.palette().window, FrameRing::kMostWidth));
  } catch (const std::exception& e) {  // a failed recording ends no lecture
    fresh_ = false;
    app_.report(fmt::format("the window's last minute could not be kept: {}", e.what()));
  }
  return fresh_ ? kPeek : clips.wants_frame_in();
}

void MainLoop::write_file(const std::string& file, const std::function<std::string()>& content) {
  try {
    write_whole(file, content());
  } catch (const UserError& e) {
    std::fprintf(stderr, "rankscope-gui: %s\n", e.what());
    app_.report(e.what());
    screenshot_failed_ = true;
  }
}

void MainLoop::take_screenshots() {
  picture_frames_ = 0;
  for (const auto& slot : std::exchange(app_.requests().copies, {}))
    app_.put_on_clipboard(
        to_png(part_of(window_.picture(look_.palette().window), shell_.place_of(slot),
                       ImGui::GetDrawData()->FramebufferScale.x)));
  for (const auto& file : std::exchange(app_.requests().screenshots, {}))
    write_file(file, [&] {
      return file.ends_with(".txt") ? text_table(drawn_texts(*ImGui::GetDrawData(), look_))
                                    : to_png(window_.picture(look_.palette().window));
    });
}

}  // namespace rankscope::gui
