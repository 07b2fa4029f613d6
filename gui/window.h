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

struct GLFWwindow;
struct ImGuiContext;

namespace rankscope::gui {

class Canvas;
class Window;

struct WindowOptions {
  int width = 1600, height = 1000;
  bool visible = true;
  std::string title = "rankscope";
  /// A second window: it neither begins nor ends the window system, and leaves this one current, with the focus.
  const Window* beside = nullptr;
  std::optional<std::pair<int, int>> position = {};  ///< Empty: where the system puts it.
};

/// A window's inner part, on the desktop.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const WindowPlace&) const = default;
};

/// Limits of a requested window: more than a stamp, and no more than graphics cards can draw.
inline constexpr int kLeastWidth = 320, kLeastHeight = 240;
inline constexpr int kMostWidth = 16384, kMostHeight = 16384;

class Window {
 public:
  /// Throws UserError, with what to do instead, when there is no display or no OpenGL 3.3.
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// OpenGL and Dear ImGui work on this window from now on. What draws makes its own window current.
  void make_current() const;
  bool wants_to_close() const;
  /// It has the keyboard.
  bool focused() const;
  void keep_open();
  void title(const std::string& title);
  /// The screen's own scale (2 on a HiDPI screen).
  float screen_scale() const;
  /// Waits for input, a wake() or the time to pass; then takes the input in.
  void wait(double seconds);
  /// Takes the input in, without waiting.
  void poll();
  /// From any thread: ends a wait().
  static void wake();
  /// Something came in since the last call.
  bool take_input();

  /// Hands the keys of this frame to Dear ImGui and to on_key.
  void begin_frame();
  /// Paints what ImGui::Render() has made, and shows it.
  void end_frame(std::uint32_t background);
  /// The last frame's pictures as they would be in a window of the frame's size.
  /// `most_width`: made smaller where they are wider; 0: never.
  Pixels picture(std::uint32_t background, int most_width = 0);
  /// After the fonts were built again.
  void renew_fonts();
  /// On the monitor on which most of it lies.
  void full_screen(bool on);
  /// Where it is; as before the full screen.
  WindowPlace place() const;
  /// Returns the middle of a monitor that shows nothing of this window; empty without one.
  std::optional<WindowPlace> other_monitor() const;
  /// Some monitor shows a part of it that can be seen and moved.
  /// Most of the place is on the monitor on which this window is.
  bool shares_monitor(const WindowPlace& place) const;
  static bool can_be_seen(const WindowPlace& place);

  /// "Ctrl+Shift+Z", "Space", "PageUp", "T"; called by begin_frame(), at most one that does something
  /// a frame. True: it is done, and Dear ImGui is not to know of it: its own navigation would go to work.
  std::function<bool(const std::string& key)> on_key;
  /// A field has asked for the keyboard and does not have it yet: what is typed meanwhile is kept for it.
  std::function<bool()> keeps_keys;
  /// Files that were dropped.
  std::function<void(const std::vector<std::string>& files)> on_drop;

 private:
  struct Callbacks;
  void make(const WindowOptions& options);
  void take_callbacks();
  void hand_out(const KeyEvent& event);
  GLFWwindow* window_ = nullptr;
  ImGuiContext* context_ = nullptr;
  bool first_ = true;  ///< It has begun the window system.
  bool input_ = true;
  bool shown_before_ = false;
  std::unique_ptr<Canvas> smooth_;  ///< Target of end_frame(); null for the window.
  KeyQueue keys_;
  std::array<int, 4> windowed_ = {60, 60, 1600, 1000};
};

}  // namespace rankscope::gui
