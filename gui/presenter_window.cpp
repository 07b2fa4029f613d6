// Opens the presenter's window, and draws it in a context of its own.
#include "gui/presenter_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr int kUsualWidth = 1000, kUsualHeight = 700;
constexpr double kMostPresenterScale = 4;  // see main_loop.cpp

/// While it lives, calls of ImGui go to `window`, then to `back`.
class InWindow {
 public:
  InWindow(const Window& window, const Window& back) : back_(back) { window.make_current(); }
  ~InWindow() { back_.make_current(); }
  InWindow(const InWindow&) = delete;
  InWindow& operator=(const InWindow&) = delete;

 private:
  const Window& back_;
};

}  // namespace

WindowOptions PresenterWindow::options(const Window& main, const Settings& settings, bool visible) {
  WindowOptions options;
  options.width = kUsualWidth;
  options.height = kUsualHeight;
  options.visible = visible;
  options.title = "Presenter - rankscope";
  options.beside = &main;
  std::optional<WindowPlace> place = settings.presenter_place;
  if (place) {
    options.width = std::clamp(place->width, kLeastWidth, kMostWidth);
    options.height = std::clamp(place->height, kLeastHeight, kMostHeight);
  }
  // The monitor of last time may be gone, and notes do not belong on the main window's.
  const auto other = main.other_monitor();
  const bool good = place && Window::can_be_seen(*place) && !(other && main.shares_monitor(*place));
  if (!good) place = other;
  if (place) options.position = {place->x, place->y};
  return options;
}

PresenterWindow::PresenterWindow(Window& main, const Settings& settings, bool visible)
    : back_{main}, window_(options(main, settings, visible)) {
  window_.on_key = [this](const std::string& key, bool again) {
    const InWindow others(back_.to, window_);
    return on_key && on_key(key, again);
  };
  main.make_current();
}

bool PresenterWindow::changed(const AppState& state) {
  if (window_.take_input()) refresh();
  const auto& lecture = state.lecture;
  const auto& down = lecture.countdown;
  std::vector<int> now = {lecture.timer_s, lecture.timer_runs ? 1 : 0, lecture.minute_of_day,
                          down ? down->left_s : -1};
  if (now != figures_ && unsettled_ == 0) unsettled_ = 1;
  figures_ = std::move(now);
  return unsettled_ > 0;
}

void PresenterWindow::build_look(const AppState& state) {
  const double scale = std::min(
      kMostPresenterScale, state.settings.ui_scale * static_cast<double>(window_.screen_scale()));
  if (std::abs(scale - built_scale_) < 1e-6) {
    if (look_.kind() != state.settings.theme) look_.use(state.settings.theme);
    return;
  }
  built_scale_ = scale;
  look_.build(state.settings.theme, static_cast<float>(scale));
  window_.renew_fonts();
}

void PresenterWindow::draw(const AppState& state, CommandQueue& commands) {
  const InWindow mine(window_, back_.to);
  build_look(state);
  bool unfinished = false;
  ViewContext context{state, commands, look_, &unfinished, nullptr};
  window_.begin_frame();
  compat::check_keys(ImGui::GetIO());
  ImGui::NewFrame();
  page_.draw(context);
  ImGui::Render();
  window_.end_frame(look_.palette().window);
  unsettled_ = unfinished ? 1 : std::max(0, unsettled_ - 1);
}

Pixels PresenterWindow::picture() {
  const InWindow mine(window_, back_.to);
  return window_.picture(look_.palette().window);
}

bool PresenterWindow::moved(Settings& settings) const {
  return window_.keep_place(settings.presenter_place);
}

}  // namespace rankscope::gui
