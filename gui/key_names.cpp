// The table of the keyboard's names, and what stands before them.
#include "gui/key_names.h"

#include <array>

// glad comes before whatever includes OpenGL's own headers.
// clang-format off
#include <glad/gl.h>
#include <GLFW/glfw3.h>
// clang-format on

namespace rankscope::gui {
namespace {

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

}  // namespace

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

}  // namespace rankscope::gui
