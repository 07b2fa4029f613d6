// A window with OpenGL 3.3 and Dear ImGui in it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/diagrams/paint/cairo_painter.h"
#include "gui/state/command/key_queue.h"
#include "gui/state/files/settings.h"

struct GLFWwindow;
struct ImGuiContext;

namespace rankscope::gui {

class Canvas;
class Window;

struct WindowOptions {
  int width = 1600, height = 1000;
  bool visible = true;
  std::string title = "rankscope";
  /// The first window, if this is a second one, which neither starts nor ends the window system. The first stays current and
  /// keeps the focus.
  const Window* beside = nullptr;
  std::optional<std::pair<int, int>> position = {};  ///< If empty, the system chooses.
};

/// Limits of a requested window's size: smaller ones are of no use, and graphics cards cannot draw larger ones.
inline constexpr int kLeastWidth = 320, kLeastHeight = 240;
inline constexpr int kMostWidth = 16384, kMostHeight = 16384;

class Window {
 public:
  /// Throws UserError, with what to do instead, when there is no display or no OpenGL 3.3.
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Makes OpenGL and Dear ImGui work on this window. Code that draws first makes its own window current.
  void make_current() const;
  bool wants_to_close() const;
  /// Returns whether the window has the keyboard focus.
  bool focused() const;
  void keep_open();
  void title(const std::string& title);
  /// Returns the screen's own scale: 1 to 3, 2 on a HiDPI screen.
  float screen_scale() const;
  /// Waits until there is input, wake() is called or the time has passed; then handles the input.
  void wait(double seconds);
  /// Handles the input that is there, without waiting.
  void poll();
  /// Ends a wait(). May be called from any thread.
  static void wake();
  /// Returns whether there was input since the last call.
  bool take_input();

  /// Hands the keys of this frame to Dear ImGui and to on_key.
  void begin_frame();
  /// Paints what ImGui::Render() has made, and shows it, if somebody can see the window. Returns false if the last frame was
  /// the same.
  bool end_frame(std::uint32_t background);
  /// Returns the last frame as a picture, even if the window is hidden or covered. A picture wider than `most_width` is
  /// made smaller, unless `most_width` is 0.
  Pixels picture(std::uint32_t background, int most_width = 0);
  /// Call it after the fonts were built again.
  void renew_fonts();
  /// Returns where the mouse is, in units of the window.
  std::pair<float, float> pointer() const;
  /// Hides the mouse until the next frame; call it after begin_frame().
  void hide_pointer() const;
  /// Turns full screen on or off, on the monitor that shows most of the window.
  void full_screen(bool on);
  /// Returns the window's place; in full screen, its place before.
  WindowPlace place() const;
  /// Returns a place on a monitor that shows nothing of this window; empty without one.
  std::optional<WindowPlace> other_monitor() const;
  /// Returns whether most of the place is on a monitor that shows this window.
  bool shares_monitor(const WindowPlace& place) const;
  /// Shows a window that was made invisible, within the screen, at the `kept` place if that can be seen.
  void open(const std::optional<WindowPlace>& kept);
  /// Writes the window's place into `kept`. Returns whether it has changed.
  bool keep_place(std::optional<WindowPlace>& kept) const;
  /// Returns whether some monitor shows enough of a window at this place to see and move it.
  static bool can_be_seen(const WindowPlace& place);

  /// Called by begin_frame() with a key such as "Ctrl+Shift+Z", "Space", "PageUp" or "T", for at most one key per frame that
  /// has an effect. Returns true if it has used the key, which Dear ImGui then does not get, because it would navigate by it.
  /// `again`: the key is held down, and the system repeats it.
  std::function<bool(const std::string& key, bool again)> on_key;
  /// Returns whether a text field has asked for the keyboard focus but does not have it yet; typed text is kept for it.
  std::function<bool()> keeps_keys;
  /// Called with the files that were dropped on the window.
  std::function<void(const std::vector<std::string>& files)> on_drop;

 private:
  struct Callbacks;
  void make(const WindowOptions& options);
  void take_callbacks();
  void hand_out(const KeyEvent& event);
  GLFWwindow* window_ = nullptr;
  ImGuiContext* context_ = nullptr;
  bool first_ = true;  ///< Whether it has started the window system.
  bool input_ = true;
  bool visible_ = false, shown_before_ = false;
  std::uint64_t shown_ = 0;  ///< Fingerprint of the last frame; 0 if it must be painted again.
  std::unique_ptr<Canvas> smooth_;  ///< Target of end_frame(); null for the window itself.
  KeyQueue keys_;
  std::array<int, 4> windowed_ = {60, 60, 1600, 1000};
};

}  // namespace rankscope::gui
