#include "gui/application.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <imgui.h>
#include <time.h>

#include "engine/core/error.h"
#include "engine/model/statistics.h"
#include "engine/run/launcher.h"
#include "gui/monkey.h"
#include "gui/shell.h"
#include "gui/window.h"

namespace rankscope::gui {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kFrame = 1.0 / 60;
/// ImGui needs a few frames for a change to settle: sizes of windows, hover.
constexpr int kSettle = 3;
/// Frames after which a picture is taken although a view is not done.
constexpr int kPatience = 600;
/// How soon a picture that is made in the background is seen, and a signal to end.
constexpr double kPeek = 0.03, kLongestSleep = 0.5;
constexpr double kPresentationScale = 1.6;
/// The fonts of scale 4 fill a texture of 4096 x 9989. At 4.8 a glyph is larger than the 256 KB that Dear
/// ImGui 1.86 keeps for it (imgui_freetype.cpp), and is written beyond them.
constexpr double kMostScale = 4;

volatile std::sig_atomic_t stop_requested = 0;
void request_stop(int) { stop_requested = 1; }

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// CPU time that the process has used is about its age when nothing has waited yet.
double process_age() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The command stands beside this program; an installed one is found on the PATH.
std::string command_program() {
  const auto beside = std::filesystem::path(own_program()).parent_path() / "rankscope";
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) ? beside.string() : "rankscope";
}

void print_commands() {
  for (const auto& info : command_infos())
    std::printf("%-44s %-20s %s\n", std::string(info.usage).c_str(),
                std::string(info.shortcut).c_str(), std::string(info.summary).c_str());
}

class Application {
 public:
  explicit Application(const StartOptions& options)
      : options_(options),
        window_(window_options(options)),
        app_(app_options(options)),
        shell_(app_) {
    auto& settings = app_.mutable_state().settings;
    if (!options.theme.empty()) app_.execute({"theme", {options.theme}});
    if (options.scale > 0) app_.execute({"scale", {fmt::format("{}", options.scale)}});
    if (scripted()) app_.mutable_state().show_welcome = false;
    (void)settings;
    build_look();
    window_.on_key = [this](const std::string& key) { pressed(key); };
    window_.on_drop = [this](const std::vector<std::string>& files) {
      if (!files.empty()) app_.execute({"open", {files.front()}});
    };
    app_.on_script_line = [this](const std::string& line, const std::string& error) {
      if (!error.empty())
        std::fprintf(stderr, "rankscope-gui: %s\n    %s\n", error.c_str(), line.c_str());
    };
    app_.on_print = [](const std::string& text) {
      std::printf("%s\n", text.c_str());
      std::fflush(stdout);
    };
    queue_work();
  }

  int run() {
    while (!app_.state().quit && stop_requested == 0) {
      const bool busy = app_.animating() || unsettled_ > 0;
      const auto before = SteadyClock::now();
      window_.wait(busy ? 0 : shell_.unfinished() ? kPeek : kLongestSleep);
      if (window_.wants_to_close()) break;
      const bool input = window_.take_input();
      const double passed = std::min(seconds_since(last_update_), 0.25);
      last_update_ = SteadyClock::now();
      const bool news = app_.update(passed);
      if (input || news) unsettled_ = kSettle;
      if (unsettled_ > 0 || shell_.unfinished()) frame();
      if (finished()) break;
      if (busy) pace(before);
    }
    return app_.script_failed() || screenshot_failed_ ? 1 : 0;
  }

  /// Prints what frames cost while the trace plays from its start to its end.
  int bench();
  int monkey();

 private:
  Summary frame_costs(int frames);
  Summary scrub_costs(int seeks);
  void settle();
  static WindowOptions window_options(const StartOptions& options) {
    WindowOptions window;
    if (options.width > 0) window.width = options.width;
    if (options.height > 0) window.height = options.height;
    window.visible = !options.hidden;
    return window;
  }
  static AppOptions app_options(const StartOptions& options) {
    AppOptions app;
    app.worker_program = command_program();
    app.remember = !options.fresh && options.monkey_s <= 0;
    app.changed = [] { Window::wake(); };
    return app;
  }
  bool scripted() const {
    return !options_.script.empty() || !options_.commands.empty() || !options_.screenshot.empty() ||
           !options_.trace.empty() || options_.bench_frames > 0 || options_.monkey_s > 0;
  }

  void queue_work() {
    std::vector<std::string> lines;
    if (!options_.trace.empty()) {
      lines.push_back(Command("open", {options_.trace}).text());
      if (!options_.commands.empty() || !options_.screenshot.empty())
        lines.emplace_back("wait run");
    }
    lines.insert(lines.end(), options_.commands.begin(), options_.commands.end());
    if (!options_.script.empty()) lines.push_back(Command("script", {options_.script}).text());
    if (!options_.screenshot.empty()) {
      lines.emplace_back("wait run");
      lines.emplace_back("wait 0.2");
      lines.push_back(Command("screenshot", {options_.screenshot}).text());
      lines.emplace_back("quit");
    }
    app_.queue_script(lines, "command line");
  }

  void build_look() {
    const auto& state = app_.state();
    const double scale =
        std::min(kMostScale, state.settings.ui_scale * static_cast<double>(window_.screen_scale()) *
                                 (state.presenting ? kPresentationScale : 1));
    if (std::abs(scale - built_scale_) < 1e-6) {
      look_.use(state.settings.theme);
      return;
    }
    built_scale_ = scale;
    look_.build(state.settings.theme, static_cast<float>(scale));
    window_.renew_fonts();
  }

  void pressed(const std::string& key) {
    if (key == "Escape") return shell_.escape();
    if (key == "?" && !shell_.wants_keys()) return shell_.ask({"shortcuts"});
    const bool plain = key.find("Ctrl+") == std::string::npos && !(key.size() > 1 && key[0] == 'F');
    if (shell_.wants_keys() && plain) return;
    for (const auto& info : command_infos()) {
      std::string_view keys = info.shortcut;
      while (!keys.empty()) {
        const auto comma = keys.find(", ");
        if (keys.substr(0, comma) == key) return shell_.ask({std::string(info.name)});
        keys = comma == std::string_view::npos ? "" : keys.substr(comma + 2);
      }
    }
  }

  void build_frame() {
    const double before = thread_seconds();
    ImGui::NewFrame();
    shell_.draw(look_, seconds_since(started_));
    ImGui::Render();
    if (options_.bench_frames > 0) built_.push_back(thread_seconds() - before);
  }

  void frame() {
    window_.begin_frame();
    if (monkey_) monkey_->feed(ImGui::GetIO());
    build_frame();
    // Painting takes ten times as long as all the rest, without a graphics card.
    if (!monkey_ || monkey_->now_and_then(8)) window_.end_frame(look_.palette().window);
    if (monkey_) sift();
    shell_.carry_out();
    if (unsettled_ > 0) --unsettled_;
    auto& requests = app_.requests();
    // While processes run there is always something new: a few frames are enough then.
    if (!requests.clipboard.empty())
      ImGui::SetClipboardText(std::exchange(requests.clipboard, {}).c_str());
    if (requests.screenshots.empty() && requests.copies.empty()) picture_frames_ = 0;
    else if (++picture_frames_ >= (shell_.unfinished() ? kPatience : kSettle)) take_screenshots();
    else unsettled_ = std::max(unsettled_, 1);
    if (requests.look_changed) {
      requests.look_changed = false;
      build_look();
      window_.full_screen(app_.state().presenting && !options_.hidden &&
                          options_.screenshot.empty());
      unsettled_ = kSettle;
    }
  }

  void take_screenshots() {
    picture_frames_ = 0;
    for (const auto& slot : std::exchange(app_.requests().copies, {}))
      app_.put_on_clipboard(
          to_png(part_of(window_.picture(look_.palette().window), shell_.place_of(slot),
                         ImGui::GetDrawData()->FramebufferScale.x)));
    for (const auto& file : std::exchange(app_.requests().screenshots, {})) {
      const std::string png = to_png(window_.picture(look_.palette().window));
      std::ofstream out(file, std::ios::binary | std::ios::trunc);
      out << png;
      if (!out.flush()) {
        std::fprintf(stderr, "rankscope-gui: cannot write %s\n", file.c_str());
        screenshot_failed_ = true;
      }
    }
  }

  // What the monkey asked for by clicks and keys, without what would end the test.
  void sift() {
    for (const auto& command : shell_.take_commands()) {
      if (!Monkey::harmless(command)) continue;
      std::fprintf(stderr, "clicked: %s\n", command.text().c_str());
      shell_.ask(command);
    }
  }

  bool finished() const { return false; }

  // No more than 60 frames a second where the screen does not say when.
  static void pace(SteadyClock::time_point before) {
    const double left = kFrame - seconds_since(before);
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }

  static constexpr double kLongestWait = 300;
  const StartOptions& options_;
  SteadyClock::time_point zero_ = SteadyClock::now();
  double born_ = process_age();  ///< Seconds from the start of the process to zero_.
  Window window_;
  double window_made_ = seconds_since(zero_);
  App app_;
  Shell shell_;
  Look look_;
  double built_scale_ = 0;
  std::optional<Monkey> monkey_;
  int unsettled_ = kSettle, picture_frames_ = 0;
  bool screenshot_failed_ = false;
  std::vector<double> built_, updated_;  ///< What frames and news cost, to be measured.
  SteadyClock::time_point started_ = SteadyClock::now(), last_update_ = SteadyClock::now();
};

// CPU time of building a frame at each of so many moments, from the trace's start to its end.
Summary Application::frame_costs(int frames) {
  const double end = app_.state().document->end(app_.state().playback.clock);
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    window_.poll();
    app_.execute({"seek", {fmt::format("{}", end * i / frames)}});
    const double before = thread_seconds();
    window_.begin_frame();
    build_frame();
    times.push_back(thread_seconds() - before);
  }
  return summarize(times);
}

// From the order to the frame that shows the moment, as a person waits for it.
Summary Application::scrub_costs(int seeks) {
  const double end = app_.state().document->end(app_.state().playback.clock);
  std::minstd_rand random;
  std::uniform_real_distribution<double> anywhere(0, end);
  std::vector<double> times;
  for (int i = 0; i < seeks; ++i) {
    window_.poll();
    const auto before = SteadyClock::now();
    app_.execute({"seek", {fmt::format("{}", anywhere(random))}});
    window_.begin_frame();
    build_frame();
    times.push_back(seconds_since(before));
  }
  return summarize(times);
}

// Until all views have made what they show.
void Application::settle() {
  const auto since = SteadyClock::now();
  unsettled_ = kSettle;
  do {
    const double before = thread_seconds();
    const bool news = app_.update(kFrame);
    updated_.push_back(thread_seconds() - before);
    if (news) unsettled_ = kSettle;
    if (unsettled_ > 0 || shell_.unfinished()) frame();
    window_.wait(kFrame);
  } while ((app_.script_running() || app_.state().live.running || app_.animating() ||
            shell_.unfinished() || unsettled_ > 0) &&
           seconds_since(since) < kLongestWait);
}

int Application::bench() {
  constexpr int kFramesOfAView = 60, kSeeks = 100;
  const auto print = [](std::string_view what, const Summary& s) {
    fmt::print("{:<32} {:8.3f} ms (median) {:8.3f} ms (99 %) {:8.3f} ms (at most)\n", what,
               s.median * 1e3, s.p99 * 1e3, s.max * 1e3);
  };
  frame();
  const double first = seconds_since(zero_) - window_made_;
  fmt::print(
      "first frame {:.3f} s after the start, without {:.3f} s for the window and the driver\n",
      first + born_, window_made_);
  settle();
  if (!app_.state().has_trace()) throw UserError("--bench-frames needs a trace to play");
  fmt::print("{} events are shown {:.3f} s after the start\n",
             app_.state().document->trace().size(), seconds_since(zero_));
  built_.erase(built_.begin());  // the first: fonts, windows
  print("while it was opened, or ran", summarize(built_));
  print("news, meanwhile", summarize(updated_));
  app_.execute({"first"});
  settle();
  print("a frame", frame_costs(options_.bench_frames));
  print("from a seek to its frame", scrub_costs(kSeeks));
  for (const auto* view :
       {"spacetime", "buffers", "graph", "matrix", "table", "code", "events", "statistics"}) {
    app_.execute({"view", {"main", view}});
    settle();
    print(fmt::format("a frame with {}", view), frame_costs(kFramesOfAView));
  }
  return 0;
}

// Every command is told before it is carried out: after a crash the last lines say what it was.
int Application::monkey() {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "rankscope-monkey-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw UserError("cannot make a temporary folder");
  const auto home = fs::current_path();
  fs::current_path(folder);  // whatever is written lands there
  monkey_.emplace(options_.seed);
  int commands = 0, failed = 0, frames = 0;
  double slowest = 0;
  std::string of_slowest;
  std::printf("monkey: seed %llu, in %s\n", static_cast<unsigned long long>(options_.seed),
              folder.c_str());
  std::fflush(stdout);
  for (const auto begin = SteadyClock::now();
       seconds_since(begin) < options_.monkey_s && stop_requested == 0; ++frames) {
    const auto before = SteadyClock::now();
    window_.poll();
    app_.update(kFrame);
    std::string what = fmt::format("update {:.0f} ms", seconds_since(before) * 1e3);
    if (monkey_->now_and_then(3)) {
      const Command command = monkey_->command();
      std::fprintf(stderr, "%s\n", command.text().c_str());
      failed += app_.execute(command) ? 0 : 1;
      ++commands;
      what += fmt::format(", {} {:.0f} ms", command.name, seconds_since(before) * 1e3);
    }
    if (monkey_->now_and_then(6)) {
      const std::string key = monkey_->key();
      std::fprintf(stderr, "key: %s\n", key.c_str());
      pressed(key);
    }
    unsettled_ = std::max(unsettled_, 1);
    frame();
    app_.mutable_state().quit = false;
    if (seconds_since(before) <= slowest) continue;
    slowest = seconds_since(before);
    of_slowest = what;
  }
  std::printf(
      "monkey: %d commands (%d refused), %d frames, the slowest took %.0f ms (until then %s)\n",
      commands, failed, frames, slowest * 1e3, of_slowest.c_str());
  fs::current_path(home);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return 0;
}

}  // namespace

int run_application(const StartOptions& options) {
  if (options.list_commands) {
    print_commands();
    return 0;
  }
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  Application application(options);
  if (options.monkey_s > 0) return application.monkey();
  return options.bench_frames > 0 ? application.bench() : application.run();
}

}  // namespace rankscope::gui
