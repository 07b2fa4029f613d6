// Opens a GLFW window with OpenGL and Dear ImGui, passes input on, and shows or captures frames.
#include "gui/window.h"

#include <algorithm>
#include <cmath>

// glad comes before whatever includes OpenGL's own headers.
// clang-format off
#include <glad/gl.h>
#include <GLFW/glfw3.h>
// clang-format on

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <xxhash.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {

/// A framebuffer of our own. It belongs to the window whose context is current when it is constructed.
class Canvas {
 public:
  /// `samples` is the number of samples per pixel; 0 turns multisampling off.
  Canvas(int width, int height, int samples) : width_(width), height_(height) {
    glGenFramebuffers(1, &frame_);
    glBindFramebuffer(GL_FRAMEBUFFER, frame_);
    glGenRenderbuffers(1, &storage_);
    glBindRenderbuffer(GL_RENDERBUFFER, storage_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, storage_);
  }

  ~Canvas() {
    glDeleteFramebuffers(1, &frame_);
    glDeleteRenderbuffers(1, &storage_);
  }

  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  bool has_size(int width, int height) const noexcept {
    return width_ == width && height_ == height;
  }
  /// Makes this framebuffer the target of all drawing.
  void draw_into() const { glBindFramebuffer(GL_FRAMEBUFFER, frame_); }

  /// Copies this framebuffer into the window, which becomes the target of drawing.
  void show() const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
  }

  /// Copies the other framebuffer into this one, scaled if their sizes differ.
  void take(const Canvas& from) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.frame_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame_);
    const bool same = width_ == from.width_ && height_ == from.height_;
    glBlitFramebuffer(0, 0, from.width_, from.height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                      same ? GL_NEAREST : GL_LINEAR);
  }

  Pixels pixels() const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
    const auto wide = static_cast<std::size_t>(width_);
    std::vector<std::uint32_t> rows(wide * static_cast<std::size_t>(height_));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, width_, height_, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, rows.data());
    Pixels pixels{width_, height_, {}};
    pixels.argb.reserve(rows.size());
    for (int y = height_; y-- > 0;)  // OpenGL counts from below
      for (std::size_t x = 0; x < wide; ++x)
        pixels.argb.push_back(rows[static_cast<std::size_t>(y) * wide + x] | 0xFF000000U);
    return pixels;
  }

 private:
  int width_, height_;
  unsigned frame_ = 0, storage_ = 0;
};

namespace {

std::string key_name(int key, int scancode) {
  struct Named {
    int key;
    const char* name;
  };
  static constexpr Named kNames[] = {
      {GLFW_KEY_SPACE, "Space"},   {GLFW_KEY_RIGHT, "Right"},    {GLFW_KEY_LEFT, "Left"},
      {GLFW_KEY_UP, "Up"},         {GLFW_KEY_DOWN, "Down"},      {GLFW_KEY_HOME, "Home"},
      {GLFW_KEY_END, "End"},       {GLFW_KEY_PAGE_UP, "PageUp"}, {GLFW_KEY_PAGE_DOWN, "PageDown"},
      {GLFW_KEY_ESCAPE, "Escape"}, {GLFW_KEY_ENTER, "Enter"},    {GLFW_KEY_TAB, "Tab"},
      {GLFW_KEY_DELETE, "Delete"}, {GLFW_KEY_KP_ADD, "+"},       {GLFW_KEY_KP_SUBTRACT, "-"},
      {GLFW_KEY_COMMA, "Comma"},   {GLFW_KEY_EQUAL, "+"},        {GLFW_KEY_MINUS, "-"},
      {GLFW_KEY_0, "0"},           {GLFW_KEY_SLASH, "?"},        {GLFW_KEY_BACKSPACE, "Backspace"}};
  for (const auto& named : kNames)
    if (named.key == key) return named.name;
  if (key >= GLFW_KEY_1 && key <= GLFW_KEY_9) return fmt::format("{}", 1 + key - GLFW_KEY_1);
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return fmt::format("F{}", 1 + key - GLFW_KEY_F1);
  // Letters as the keyboard's layout has them.
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == 0 || name[1] != 0) return {};
  return ascii_upper(name);
}

/// Returns the name of a key by GLFW's numbers: "Ctrl+Shift+Z", "Space", "PageUp", "T"; letters as the keyboard's layout
/// has them. Empty for a key without a name.
std::string key_text(int key, int scancode, int mods) {
  const std::string name = key_name(key, scancode);
  if (name.empty()) return {};
  const bool sign =
      name == "+" || name == "-" || name == "?";  // Shift makes the sign, on some keyboards
  std::string text;
  if ((mods & GLFW_MOD_CONTROL) != 0) text += "Ctrl+";
  if ((mods & GLFW_MOD_ALT) != 0) text += "Alt+";
  if ((mods & GLFW_MOD_SHIFT) != 0 && !sign) text += "Shift+";
  return text + name;
}

constexpr int kSamples = 4;  ///< Per pixel, for smooth slanted edges.

std::string& last_error() {
  static std::string text;
  return text;
}

[[noreturn]] void refuse(const std::string& why) {
  throw UserError(
      fmt::format("{}.\nWithout a window, the command does the same: `rankscope demo` shows a run "
                  "step by step, and\n"
                  "`rankscope export run.rankscope --diagram spacetime -o run.html` makes a page "
                  "to step through.",
                  why));
}

/// The first mouse button in the queue of keys, whose others have lower numbers; an unknown key is GLFW_KEY_UNKNOWN.
constexpr int kFirstButton = GLFW_KEY_UNKNOWN - 1;

KeyEvent::Kind kind_of(int key, int action, int mods) {
  const bool control = key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL;
  if (control && action == GLFW_PRESS) return KeyEvent::Kind::control;
  if (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) return KeyEvent::Kind::modifier;
  if (action == GLFW_RELEASE) return KeyEvent::Kind::up;
  // GLFW numbers keys that type a character below all others.
  const bool types = key > GLFW_KEY_SPACE && key < GLFW_KEY_ESCAPE;
  const bool keypad = key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL && key != GLFW_KEY_KP_ENTER;
  const bool command = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0;
  if (key == GLFW_KEY_SPACE && !command) return KeyEvent::Kind::space;
  return (types || keypad) && !command ? KeyEvent::Kind::letter : KeyEvent::Kind::action;
}

/// Returns a hash of all that a frame paints.
std::uint64_t fingerprint(const ImDrawData& data, std::uint32_t background) {
  std::uint64_t sum = background;
  const auto add = [&](const auto* first, int count) {
    sum = XXH3_64bits_withSeed(first, static_cast<std::size_t>(count) * sizeof(*first), sum);
  };
  add(&data.DisplaySize, 1);
  add(&data.FramebufferScale, 1);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    add(list.CmdBuffer.Data, list.CmdBuffer.Size);
    add(list.IdxBuffer.Data, list.IdxBuffer.Size);
    add(list.VtxBuffer.Data, list.VtxBuffer.Size);
  }
  return sum;
}

void set_clear_color(std::uint32_t color) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  glClearColor(c.x, c.y, c.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

/// Each window has a context of Dear ImGui, whose backend gives events to the current one.
struct Window::Callbacks {
  static Window& of(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
  }
  /// Hands an event to Dear ImGui, in the context of its window.
  template <class Hand>
  static void hand(GLFWwindow* window, Hand&& hand_on) {
    ImGuiContext* const now = ImGui::GetCurrentContext();
    Window& self = of(window);
    self.input_ = true;
    ImGui::SetCurrentContext(self.context_);
    hand_on();
    ImGui::SetCurrentContext(now);
  }

  static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    of(window).keys_.push({kind_of(key, action, mods), key, scancode, action, mods});
  }
  static void letter(GLFWwindow* window, unsigned character) {
    of(window).keys_.push({.kind = KeyEvent::Kind::text, .character = character});
  }
  static void drop(GLFWwindow* window, int count, const char** paths) {
    Window& self = of(window);
    self.input_ = true;
    if (self.on_drop) self.on_drop(std::vector<std::string>(paths, paths + count));
  }
  static void button(GLFWwindow* window, int button, int action, int mods) {
    const auto kind = action == GLFW_PRESS ? KeyEvent::Kind::button : KeyEvent::Kind::up;
    of(window).keys_.push({kind, kFirstButton - button, 0, action, mods});
  }
  static void scroll(GLFWwindow* window, double x, double y) {
    hand(window, [&] { ImGui_ImplGlfw_ScrollCallback(window, x, y); });
  }
  static void move(GLFWwindow* window, double x, double y) {
    hand(window, [&] { compat::hand_on_move(window, x, y); });
  }
  static void enter(GLFWwindow* window, int entered) {
    hand(window, [&] { ImGui_ImplGlfw_CursorEnterCallback(window, entered); });
  }
  static void focus(GLFWwindow* window, int focused) {
    hand(window, [&] { ImGui_ImplGlfw_WindowFocusCallback(window, focused); });
  }
  /// Repaints the window, whose picture the window system has lost.
  template <typename... Args>
  static void damage(GLFWwindow* window, Args...) {
    of(window).input_ = true;
    of(window).shown_ = 0;
  }
};

Window::Window(const WindowOptions& options) : first_(options.beside == nullptr) {
  if (first_) {
    glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
    if (glfwInit() == GLFW_FALSE)
      refuse(fmt::format("There is no display to open a window on ({})", last_error()));
  }
  make(options);
  take_callbacks();
  IMGUI_CHECKVERSION();
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGui::GetIO().IniFilename = nullptr;  // the layout is ours
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui_ImplGlfw_InitForOpenGL(window_, false);  // we call its callbacks
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

void Window::make(const WindowOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // Full screen stays while somebody works in the other window.
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
  if (!first_) glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_FALSE);
  const bool at_once = options.visible && !options.position;
  glfwWindowHint(GLFW_VISIBLE, at_once ? GLFW_TRUE : GLFW_FALSE);
  window_ =
      glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    if (!first_)
      throw UserError(
          fmt::format("This system gives no second window ({}): close other programs that use "
                      "OpenGL, or show the notes on another computer",
                      last_error()));
    glfwTerminate();
    refuse(fmt::format("This system gives no window with OpenGL 3.3 ({})", last_error()));
  }
  if (options.position)
    glfwSetWindowPos(window_, options.position->first, options.position->second);
  if (options.visible && !at_once) glfwShowWindow(window_);
  visible_ = options.visible;
  glfwMakeContextCurrent(window_);
  if (first_ && gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window_);
    glfwTerminate();
    refuse("OpenGL 3.3 could not be loaded");
  }
  // Only one of two windows waits for its screen, or each frame would take two waits.
  glfwSwapInterval(first_ ? 1 : 0);
}

void Window::take_callbacks() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, &Callbacks::drop);
  glfwSetCursorPosCallback(window_, &Callbacks::move);
  glfwSetCursorEnterCallback(window_, &Callbacks::enter);
  glfwSetMouseButtonCallback(window_, &Callbacks::button);
  glfwSetScrollCallback(window_, &Callbacks::scroll);
  glfwSetFramebufferSizeCallback(window_, &Callbacks::damage<int, int>);
  glfwSetWindowRefreshCallback(window_, &Callbacks::damage<>);
  glfwSetWindowFocusCallback(window_, &Callbacks::focus);
  // Keys and mouse buttons go through our queue first, in their order.
  glfwSetKeyCallback(window_, &Callbacks::key);
  glfwSetCharCallback(window_, &Callbacks::letter);
}

Window::~Window() {
  make_current();
  smooth_ = nullptr;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
  glfwDestroyWindow(window_);
  if (first_) glfwTerminate();
}

void Window::make_current() const {
  glfwMakeContextCurrent(window_);
  ImGui::SetCurrentContext(context_);
}

bool Window::wants_to_close() const { return glfwWindowShouldClose(window_) != GLFW_FALSE; }
bool Window::focused() const { return glfwGetWindowAttrib(window_, GLFW_FOCUSED) != GLFW_FALSE; }
void Window::keep_open() { glfwSetWindowShouldClose(window_, GLFW_FALSE); }
void Window::title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

float Window::screen_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(std::max(x, y), 1.0F, 3.0F);
}

void Window::wait(double seconds) {
  if (seconds > 0) glfwWaitEventsTimeout(seconds);
  else glfwPollEvents();
}
void Window::poll() { glfwPollEvents(); }
void Window::wake() { glfwPostEmptyEvent(); }
bool Window::take_input() { return std::exchange(input_, false) || !keys_.empty(); }

void Window::begin_frame() {
  keys_.begin_frame(keeps_keys && keeps_keys(), compat::field_has_keyboard());
  while (const auto event = keys_.next()) hand_out(*event);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
}

void Window::hand_out(const KeyEvent& event) {
  if (event.kind == KeyEvent::Kind::text)
    return ImGui_ImplGlfw_CharCallback(window_, event.character);
  if (event.key <= kFirstButton)
    return ImGui_ImplGlfw_MouseButtonCallback(window_, kFirstButton - event.key, event.action,
                                              event.mods);
  if (on_key && event.action != GLFW_RELEASE) {
    const std::string name = key_text(event.key, event.scancode, event.mods);
    if (!name.empty() && on_key(name, event.action == GLFW_REPEAT)) return;
  }
  ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
}

bool Window::end_frame(std::uint32_t background) {
  // Painting takes a software driver ten times as long as all else, and most frames equal the last one: two follow each
  // input in case the layout changes, and each step of a script makes one.
  const std::uint64_t now = fingerprint(*ImGui::GetDrawData(), background);
  if (std::exchange(shown_, now) == now) return false;
  if (!visible_) return true;
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  // With several samples per pixel, a software driver takes twice as long until the first frame. So the first
  // frame is drawn without them, and the next one, a moment later, is smooth.
  const bool smooth = std::exchange(shown_before_, true) && width > 0 && height > 0;
  if (!smooth) smooth_ = nullptr;
  else if (!smooth_ || !smooth_->has_size(width, height))
    smooth_ = std::make_unique<Canvas>(width, height, kSamples);
  if (smooth) smooth_->draw_into();
  glViewport(0, 0, width, height);
  set_clear_color(background);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (smooth) smooth_->show();
  glfwSwapBuffers(window_);
  if (!smooth) shown_ = 0;
  return true;
}

// Draws into framebuffers of our own, because hidden or covered parts of a window have no pixels.
Pixels Window::picture(std::uint32_t background, int most_width) {
  const ImDrawData& data = *ImGui::GetDrawData();
  const int width = static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x));
  const int height = static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y));
  const Canvas plain(width, height, 0);
  if (smooth_ && smooth_->has_size(width, height) && shown_ == fingerprint(data, background)) {
    plain.take(*smooth_);
  } else {
    const Canvas smooth(width, height, kSamples);
    glViewport(0, 0, width, height);
    set_clear_color(background);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    plain.take(smooth);
  }
  Pixels pixels;
  if (most_width == 0 || width <= most_width) {
    pixels = plain.pixels();
  } else {
    const Canvas small(most_width, std::max(1, height * most_width / width), 0);
    small.take(plain);
    pixels = small.pixels();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return pixels;
}

void Window::renew_fonts() {
  compat::renew_font_texture();
  shown_ = 0;
}

namespace {

WindowPlace work_area(GLFWmonitor* monitor) {
  WindowPlace area;
  glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.width, &area.height);
  return area;
}

/// Returns the number of pixels that two places share.
long shared(const WindowPlace& a, const WindowPlace& b) {
  const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

std::vector<GLFWmonitor*> monitors() {
  int count = 0;
  GLFWmonitor** const all = glfwGetMonitors(&count);
  return {all, all + count};
}

}  // namespace

WindowPlace Window::place() const {
  if (glfwGetWindowMonitor(window_) != nullptr)
    return {windowed_[0], windowed_[1], windowed_[2], windowed_[3]};
  WindowPlace place;
  glfwGetWindowPos(window_, &place.x, &place.y);
  glfwGetWindowSize(window_, &place.width, &place.height);
  return place;
}

std::optional<WindowPlace> Window::other_monitor() const {
  const WindowPlace here = place();
  for (GLFWmonitor* const monitor : monitors()) {
    if (monitor == glfwGetWindowMonitor(window_)) continue;
    const WindowPlace area = work_area(monitor);
    if (shared(area, here) > 0) continue;
    return WindowPlace{area.x + area.width / 10, area.y + area.height / 10, area.width * 8 / 10,
                       area.height * 8 / 10};
  }
  return std::nullopt;
}

bool Window::shares_monitor(const WindowPlace& place) const {
  const WindowPlace here = this->place();
  return ranges::any_of(monitors(), [&](GLFWmonitor* monitor) {
    const WindowPlace area = work_area(monitor);
    const bool mine = monitor == glfwGetWindowMonitor(window_) || shared(area, here) > 0;
    return mine && 2 * shared(area, place) > static_cast<long>(place.width) * place.height;
  });
}

void Window::open(const std::optional<WindowPlace>& kept) {
  constexpr int kTitleBar = 40;  // at least; place() is the part below it
  WindowPlace at = place();
  const WindowPlace wanted = kept.value_or(at);
  const bool there = kept && can_be_seen(wanted);
  if (there) at = wanted;
  WindowPlace area;
  for (GLFWmonitor* const monitor : monitors())
    if (const WindowPlace one = work_area(monitor);
        area.width == 0 || shared(one, at) > shared(area, at))
      area = one;
  if (area.width > 0) {
    at.width = std::clamp(wanted.width, kLeastWidth, std::max(area.width, kLeastWidth));
    at.height =
        std::clamp(wanted.height, kLeastHeight, std::max(area.height - kTitleBar, kLeastHeight));
  }
  glfwSetWindowSize(window_, at.width, at.height);
  if (there)
    glfwSetWindowPos(window_, std::clamp(at.x, area.x, area.x + std::max(area.width - at.width, 0)),
                     std::clamp(at.y, area.y, area.y + std::max(area.height - at.height, 0)));
  glfwShowWindow(window_);
  visible_ = true;
  shown_ = 0;  // what was drawn while it was hidden has not been painted
}

bool Window::keep_place(std::optional<WindowPlace>& kept) const {
  const WindowPlace now = place();
  if (kept == now || now.width < kLeastWidth || now.height < kLeastHeight) return false;
  kept = now;
  return true;
}

bool Window::can_be_seen(const WindowPlace& place) {
  constexpr long kEnough = 100L * 100;
  return ranges::any_of(monitors(), [&](GLFWmonitor* monitor) {
    return shared(work_area(monitor), place) >= kEnough;
  });
}

std::pair<float, float> Window::pointer() const {
  double x = 0, y = 0;
  glfwGetCursorPos(window_, &x, &y);
  return {static_cast<float>(x), static_cast<float>(y)};
}

void Window::hide_pointer() const { glfwSetInputMode(window_, GLFW_CURSOR, GLFW_CURSOR_HIDDEN); }

void Window::full_screen(bool on) {
  const bool now = glfwGetWindowMonitor(window_) != nullptr;
  if (on == now) return;
  if (!on)
    return glfwSetWindowMonitor(window_, nullptr, windowed_[0], windowed_[1], windowed_[2],
                                windowed_[3], GLFW_DONT_CARE);
  const WindowPlace here = place();
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  for (GLFWmonitor* const one : monitors())
    if (shared(work_area(one), here) > shared(work_area(monitor), here)) monitor = one;
  const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
  if (mode == nullptr) return;
  windowed_ = {here.x, here.y, here.width, here.height};
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

}  // namespace rankscope::gui
