// A window with OpenGL 3.3 and Dear ImGui in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/diagrams/paint/cairo_painter.h"
#include "gui/state/app/key_queue.h"

struct GLFWwindow;

namespace rankscope::gui {

struct WindowOptions {
  int width = 1600, height = 1000;
  bool visible = true;
  std::string title = "rankscope";
};

/// Of a window that is asked for: more than a stamp, and what graphics cards make pictures of.
inline constexpr int kLeastWidth = 320, kLeastHeight = 240;
inline constexpr int kMostWidth = 16384, kMostHeight = 16384;

class Window {
 public:
  /// Throws UserError, with what to do instead, when there is no display or no OpenGL 3.3.
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

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
  Pixels picture(std::uint32_t background);
  /// After the fonts were built again.
  void renew_fonts();
  void full_screen(bool on);

  /// "Ctrl+Shift+Z", "Space", "PageUp", "T"; called by begin_frame(), at most one that does something
  /// a frame. True: it is done, and Dear ImGui is not to know of it: its own navigation would go to work.
  std::function<bool(const std::string& key)> on_key;
  /// A field has asked for the keyboard and does not have it yet: what is typed meanwhile is kept for it.
  std::function<bool()> keeps_keys;
  /// Files that were dropped.
  std::function<void(const std::vector<std::string>& files)> on_drop;

 private:
  struct Callbacks;
  void hand_out(const KeyEvent& event);
  GLFWwindow* window_ = nullptr;
  bool input_ = true;
  KeyQueue keys_;
  int windowed_[4] = {60, 60, 1600, 1000};
};

}  // namespace rankscope::gui
