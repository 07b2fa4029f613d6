// The presenter's window, beside the main one that everybody sees.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/views/presenter_page.h"
#include "gui/window.h"

namespace rankscope::gui {

class PresenterWindow {
 public:
  /// Opens the window where it was last, else on another monitor than `main`, which stays current. Throws UserError.
  PresenterWindow(Window& main, const Settings& settings, bool visible);
  PresenterWindow(const PresenterWindow&) = delete;
  PresenterWindow& operator=(const PresenterWindow&) = delete;

  bool wants_to_close() const { return window_.wants_to_close(); }
  /// Called with a key while `main` is current: see Window::on_key.
  std::function<bool(const std::string& key, bool again)> on_key;

  /// Returns whether to draw: after input or refresh(), or if a figure of this window has changed.
  bool changed(const AppState& state);
  /// Call it when the rest of the application has changed.
  void refresh() noexcept { unsettled_ = kFrames; }
  bool unsettled() const noexcept { return unsettled_ > 0; }
  /// Draws a frame; commands given in it are added to `commands`.
  void draw(const AppState& state, CommandQueue& commands);
  /// Returns the window's last frame as a picture.
  Pixels picture();
  /// Writes the window's place into the settings; returns whether it has changed.
  bool moved(Settings& settings) const;

 private:
  static constexpr int kFrames = 3;  ///< Dear ImGui needs a few for a change to settle.
  static WindowOptions options(const Window& main, const Settings& settings, bool visible);
  void build_look(const AppState& state);

  /// Makes the main window current when this one is gone.
  struct Back {
    const Window& to;
    ~Back() { to.make_current(); }
  };
  Back back_;
  Window window_;
  Look look_;
  PresenterPage page_;
  double built_scale_ = 0;
  int unsettled_ = kFrames;
  std::vector<int> figures_;  ///< The figures that were shown last.
};

}  // namespace rankscope::gui
