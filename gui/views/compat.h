// The differences between releases of Dear ImGui (1.86 in Debian 12, to 1.92), in one place.
#pragma once

#include <imgui.h>

namespace rankscope::gui::compat {

/// From 1.92 on a font has no size of its own: it is said when the font is pushed.
inline void push_font(ImFont* font, [[maybe_unused]] float size) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, size);
#else
  ImGui::PushFont(font);
#endif
}

/// Pixels from the top of a line to its baseline.
inline float ascent(ImFont* font, float size, [[maybe_unused]] float baked_size) {
#if IMGUI_VERSION_NUM >= 19200
  return font->GetFontBaked(size)->Ascent;
#else
  return font->Ascent * size / baked_size;
#endif
}

inline bool begin_child(const char* id, const ImVec2& size, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_None, flags);
#else
  return ImGui::BeginChild(id, size, false, flags);
#endif
}

/// The texture of the font atlas is made by the backend from 1.92 on.
inline bool needs_font_build() { return IMGUI_VERSION_NUM < 19200; }

}  // namespace rankscope::gui::compat
