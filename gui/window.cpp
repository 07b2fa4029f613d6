// Opens a GLFW window with OpenGL and Dear ImGui, passes input on, and shows or captures frames.
#include "gui/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// glad comes before whatever includes OpenGL's own headers.
// clang-format off
#include <glad/gl.h>
#include <GLFW/glfw3.h>
// clang-format on

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include "engine/core/base/error.h"
#include "gui/views/compat.h"

namespace rankscope::gui {
namespace {

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

std::string key_name(int key, int scancode) {
  struct Named {
    int key;
    const char* name;
  };
  static constexpr std::array<Named, 32> kNames = {
      {{GLFW_KEY_SPACE, "Space"},   {GLFW_KEY_RIGHT, "Right"},    {GLFW_KEY_LEFT, "Left"},
       {GLFW_KEY_UP, "Up"},         {GLFW_KEY_DOWN, "Down"},      {GLFW_KEY_HOME, "Home"},
       {GLFW_KEY_END, "End"},       {GLFW_KEY_PAGE_UP, "PageUp"}, {GLFW_KEY_PAGE_DOWN, "PageDown"},
       {GLFW_KEY_ESCAPE, "Escape"}, {GLFW_KEY_ENTER, "Enter"},    {GLFW_KEY_TAB, "Tab"},
       {GLFW_KEY_DELETE, "Delete"}, {GLFW_KEY_KP_ADD, "+"},       {GLFW_KEY_KP_SUBTRACT, "-"},
       {GLFW_KEY_F1, "F1"},         {GLFW_KEY_F2, "F2"},          {GLFW_KEY_F3, "F3"},
       {GLFW_KEY_F4, "F4"},         {GLFW_KEY_F5, "F5"},          {GLFW_KEY_F6, "F6"},
       {GLFW_KEY_F7, "F7"},         {GLFW_KEY_F8, "F8"},          {GLFW_KEY_F9, "F9"},
       {GLFW_KEY_F10, "F10"},       {GLFW_KEY_F11, "F11"},        {GLFW_KEY_F12, "F12"},
       {GLFW_KEY_COMMA, "Comma"},   {GLFW_KEY_EQUAL, "+"},        {GLFW_KEY_MINUS, "-"},
       {GLFW_KEY_0, "0"},           {GLFW_KEY_SLASH, "?"}}};
  for (const auto& named : kNames)
    if (named.key == key) return named.name;
  // Letters as the keyboard's layout has them.
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == 0 || name[1] != 0) return {};
  const char c = name[0];
  return std::string(1, c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
}

KeyEvent::Kind kind_of(int key, int action, int mods) {
  if (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) return KeyEvent::Kind::modifier;
  if (action == GLFW_RELEASE) return KeyEvent::Kind::up;
  // Whatever types a character has a number below those of the keys that do not. Space presses buttons, too.
  const bool types = key > GLFW_KEY_SPACE && key < GLFW_KEY_ESCAPE;
  const bool keypad = key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL && key != GLFW_KEY_KP_ENTER;
  const bool command = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0;
  return (types || keypad) && !command ? KeyEvent::Kind::letter : KeyEvent::Kind::deed;
}

void set_clear_color(std::uint32_t color) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  glClearColor(c.x, c.y, c.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

struct Window::Callbacks {
  static Window& of(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
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
  template <typename... Args>
  static void any(GLFWwindow* window, Args...) {
    of(window).input_ = true;
  }
};

Window::Window(const WindowOptions& options) {
  glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
  if (glfwInit() == GLFW_FALSE)
    refuse(fmt::format("There is no display to open a window on ({})", last_error()));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SAMPLES, 4);
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  window_ =
      glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    glfwTerminate();
    refuse(fmt::format("This system gives no window with OpenGL 3.3 ({})", last_error()));
  }
  glfwMakeContextCurrent(window_);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window_);
    glfwTerminate();
    refuse("OpenGL 3.3 could not be loaded");
  }
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, &Callbacks::drop);
  glfwSetCursorPosCallback(window_, &Callbacks::any<double, double>);
  glfwSetMouseButtonCallback(window_, &Callbacks::any<int, int, int>);
  glfwSetScrollCallback(window_, &Callbacks::any<double, double>);
  glfwSetFramebufferSizeCallback(window_, &Callbacks::any<int, int>);
  glfwSetWindowRefreshCallback(window_, &Callbacks::any<>);
  glfwSetWindowFocusCallback(window_, &Callbacks::any<int>);
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // the layout is ours
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);  // keeps our callbacks, and calls them
  // The keyboard's events go through our queue first.
  glfwSetKeyCallback(window_, &Callbacks::key);
  glfwSetCharCallback(window_, &Callbacks::letter);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

Window::~Window() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
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
  keys_.begin_frame(keeps_keys && keeps_keys());
  while (const auto event = keys_.next()) hand_out(*event);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
}

void Window::hand_out(const KeyEvent& event) {
  if (event.kind == KeyEvent::Kind::text)
    return ImGui_ImplGlfw_CharCallback(window_, event.character);
  if (on_key && event.action != GLFW_RELEASE) {
    const std::string name = key_name(event.key, event.scancode);
    const bool sign =
        name == "+" || name == "-" || name == "?";  // Shift makes the sign, on some keyboards
    std::string text;
    if ((event.mods & GLFW_MOD_CONTROL) != 0) text += "Ctrl+";
    if ((event.mods & GLFW_MOD_ALT) != 0) text += "Alt+";
    if ((event.mods & GLFW_MOD_SHIFT) != 0 && !sign) text += "Shift+";
    if (!name.empty() && on_key(text + name)) return;
  }
  ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
}

void Window::end_frame(std::uint32_t background) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  set_clear_color(background);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
}

// Into a framebuffer of our own: parts of a window that is hidden or covered have no pixels.
Pixels Window::picture(std::uint32_t background) {
  const ImDrawData& data = *ImGui::GetDrawData();
  Pixels pixels;
  pixels.width = static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x));
  pixels.height = static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y));
  GLuint frame = 0, many = 0, single = 0, plain = 0;
  const auto target = [&](GLuint& buffer, GLuint& storage, int samples) {
    glGenFramebuffers(1, &buffer);
    glBindFramebuffer(GL_FRAMEBUFFER, buffer);
    glGenRenderbuffers(1, &storage);
    glBindRenderbuffer(GL_RENDERBUFFER, storage);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, pixels.width,
                                     pixels.height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, storage);
  };
  target(frame, many, 4);
  glViewport(0, 0, pixels.width, pixels.height);
  set_clear_color(background);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  target(single, plain, 0);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
  glBlitFramebuffer(0, 0, pixels.width, pixels.height, 0, 0, pixels.width, pixels.height,
                    GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, single);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(pixels.width) *
                                  static_cast<std::size_t>(pixels.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, pixels.width, pixels.height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
               rows.data());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(1, &frame);
  glDeleteFramebuffers(1, &single);
  glDeleteRenderbuffers(1, &many);
  glDeleteRenderbuffers(1, &plain);
  pixels.argb.reserve(rows.size());
  for (int y = pixels.height; y-- > 0;)  // OpenGL counts from below
    for (int x = 0; x < pixels.width; ++x)
      pixels.argb.push_back(
          rows[static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
               static_cast<std::size_t>(x)] |
          0xFF000000U);
  return pixels;
}

void Window::renew_fonts() { compat::renew_font_texture(); }

void Window::full_screen(bool on) {
  const bool now = glfwGetWindowMonitor(window_) != nullptr;
  if (on == now) return;
  if (!on)
    return glfwSetWindowMonitor(window_, nullptr, windowed_[0], windowed_[1], windowed_[2],
                                windowed_[3], GLFW_DONT_CARE);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
  if (mode == nullptr) return;
  glfwGetWindowPos(window_, &windowed_[0], &windowed_[1]);
  glfwGetWindowSize(window_, &windowed_[2], &windowed_[3]);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

}  // namespace rankscope::gui
