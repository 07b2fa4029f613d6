// Letters that come before the field that they are meant for has the keyboard.
#pragma once

#include <string>

#include <imgui.h>

namespace rankscope::gui {

/// Of the characters that a key makes.
inline void append_utf8(std::string& text, ImWchar character) {
  const unsigned c = character;
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  if (c < 0x800) text += static_cast<char>(0xC0 | c >> 6);
  else
    text += {static_cast<char>(0xE0 | (c >> 12 & 0xF)), static_cast<char>(0x80 | (c >> 6 & 0x3F))};
  text += static_cast<char>(0x80 | (c & 0x3F));
}

/// What was typed since the last frame; no field gets it then.
inline std::string take_typed() {
  auto& typed = ImGui::GetIO().InputQueueCharacters;
  std::string all;
  for (const ImWchar c : typed) append_utf8(all, c);
  typed.resize(0);
  return all;
}

}  // namespace rankscope::gui
